// Names for what the theme, the gallery and data frames leave without one, for screen readers.
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
  for (const cell of document.querySelectorAll("table.dataframe th")) {
    if (cell.textContent.trim() === "") cell.replaceWith(document.createElement("td"));
  }
  // A wide table scrolls in its frame, by keyboard too.
  for (const frame of document.querySelectorAll(".output_subarea")) {
    frame.tabIndex = 0;
    frame.setAttribute("role", "region");
    frame.setAttribute("aria-label", "Output");
  }
});
