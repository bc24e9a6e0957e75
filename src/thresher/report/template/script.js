(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("slider-data").textContent);
  const slider = document.getElementById("threshold");
  const inputs = { fp: document.getElementById("cost-fp"), fn: document.getElementById("cost-fn") };
  const buttons = [...document.querySelectorAll("button[data-jump]")];
  const gains = data.costs || { gain_tp: 0, gain_tn: 0 };
  const NOTHING = "-";

  /* A tie goes up, as in wording.py; toFixed decides by the exact value as well. */
  const fixed = (value, decimals) => {
    const [whole, part] = Math.abs(value).toFixed(decimals).split(".");
    const digits = whole.replace(/\B(?=(\d{3})+$)/g, ",") + (part ? "." + part : "");
    return value < 0 && /[1-9]/.test(digits) ? "-" + digits : digits;
  };
  /* As in wording.py: one decimal from 10 % on, two digits below, below 0.1 % in ppm. */
  const twoDigits = (value) => {
    if (value <= 0) return "0";
    const rounded = value.toExponential(1);
    return fixed(Number(rounded), Math.max(0, 1 - Number(rounded.split("e")[1])));
  };
  const percent = (part, whole) => {
    const share = whole > 0 ? part / whole : 0;
    if (share >= 0.01) return fixed(100 * share, 1) + "\u00a0%";
    if (share > 0 && share < 0.000995) return twoDigits(1e6 * share) + "\u00a0ppm";
    return twoDigits(100 * share) + "\u00a0%";
  };
  const alertsAt = (threshold, tp, fp, fn, tn) =>
    fn + tn === 0 ? "everything" : tp + fp === 0 ? "nothing" : threshold >= 0.01 ? fixed(threshold, 3) : twoDigits(threshold);
  const show = (name, text) => {
    document.querySelectorAll(`[data-out="${name}"]`).forEach((place) => { place.textContent = text; });
  };
  const cost = (input) => (input.value.trim() === "" ? NaN : Number(input.value));

  const money = (tp, fp, fn, tn) => {
    const costFp = cost(inputs.fp), costFn = cost(inputs.fn), rows = tp + fp + fn + tn;
    if (!(costFp >= 0 && costFn >= 0)) return [NOTHING, NOTHING];
    const silent = costFn * (fn + tp) - gains.gain_tn * (tn + fp);
    const spent = costFp * fp + costFn * fn - gains.gain_tp * tp - gains.gain_tn * tn;
    const perThousand = (sum) => 1000 * (sum / rows);
    return [fixed(perThousand(spent), 0), fixed(perThousand(silent) - perThousand(spent), 0)];
  };

  const update = () => {
    const place = Number(slider.value);
    const [threshold, tp, fp, fn, tn] = data.points[place];
    const rows = tp + fp + fn + tn;
    const counts = { tp, fp, fn, tn };
    Object.keys(counts).forEach((name) => show(name, fixed(counts[name], 0)));
    show("threshold", alertsAt(threshold, tp, fp, fn, tn));
    show("precision", percent(tp, tp + fp));
    show("recall", percent(tp, tp + fn));
    show("f1", percent(2 * tp, 2 * tp + fn + fp));
    show("alerts", fixed(1000 * ((tp + fp) / rows), 1));
    const [spent, saved] = money(tp, fp, fn, tn);
    show("cost", spent);
    show("saved", saved);
    slider.setAttribute("aria-valuetext", `threshold ${alertsAt(threshold, tp, fp, fn, tn)}, ${fixed(tp + fp, 0)} alerts`);
    const share = data.points.length > 1 ? place / (data.points.length - 1) : 0;
    document.querySelectorAll("line.marker").forEach((line) => {
      const start = Number(line.dataset.start), x = start + share * (Number(line.dataset.end) - start);
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
    });
    buttons.forEach((button) => {
      button.setAttribute("aria-pressed", String(data.marks[button.dataset.jump] === place));
    });
  };

  buttons.forEach((button) => {
    button.disabled = false;
    button.addEventListener("click", () => { slider.value = data.marks[button.dataset.jump]; update(); });
  });
  [slider, inputs.fp, inputs.fn].forEach((input) => {
    input.disabled = false;
    input.addEventListener("input", update);
  });

  const nodes = [...document.querySelectorAll(".tree details")];
  document.querySelectorAll("button[data-unfold]").forEach((button) => {
    button.disabled = false;
    button.addEventListener("click", () => {
      nodes.forEach((node) => { node.open = button.dataset.unfold === "all"; });
    });
  });

  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((part) => { part.open = true; });
  });
  window.addEventListener("afterprint", () => { folded.forEach((part) => { part.open = false; }); });
  update();
})();
