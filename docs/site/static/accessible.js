// Names for what the theme, the gallery and tables of notebooks leave without one, for screen readers.
document.addEventListener("DOMContentLoaded", () => {
  for (const summary of document.querySelectorAll("li > details > summary")) {
    const link = summary.closest("li").querySelector("a");
    summary.setAttribute("aria-label", `Pages below ${link ? link.textContent.trim() : "this one"}`);
  }
  for (const example of document.querySelectorAll(".sphx-glr-thumbcontainer")) {
    const title = example.querySelector(".sphx-glr-thumbnail-title");
    const link = example.querySelector("a");
    if (title && link) link.setAttribute("aria-label", title.textContent.trim());
  }
  for (const cell of document.querySelectorAll("table.dataframe th, .thresher th")) {
    if (cell.textContent.trim() === "") cell.replaceWith(document.createElement("td"));
  }
  // Pictures of the gallery have no box of their own to scroll in.
  for (const picture of document.querySelectorAll("img.sphx-glr-single-img")) {
    const box = document.createElement("p");
    picture.replaceWith(box);
    box.append(picture);
  }
  scrollVisibly();
});

// What is wider than its box scrolls in it, by keyboard too, and shows that there is more.
function scrollVisibly() {
  const names = {
    "pre": "Code",
    ".pst-scrollable-table-container": "Table",
    ".output_subarea": "Output",
    "p:has(> img:only-child)": "Picture",
  };
  const look = (box, name) => {
    const left = box.scrollWidth - box.clientWidth - box.scrollLeft;
    box.classList.toggle("more", left > 1);
    if (box.scrollWidth <= box.clientWidth) return;
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", `${name}, scrolls sideways`);
  };
  for (const [selector, name] of Object.entries(names)) {
    for (const box of document.querySelectorAll(`.bd-article ${selector}`)) {
      box.addEventListener("scroll", () => look(box, name), { passive: true });
      new ResizeObserver(() => look(box, name)).observe(box);
    }
  }
}
