(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("slider-data").textContent);
  const slider = document.getElementById("threshold");
  /* The second handle, and the cost of a referral, are there where rows are referred. */
  const upper = document.getElementById("threshold-alert");
  const inputs = { fp: document.getElementById("cost-fp"), fn: document.getElementById("cost-fn"), refer: document.getElementById("cost-refer") };
  const buttons = [...document.querySelectorAll("button[data-jump]")];
  const gains = data.costs || { gain_tp: 0, gain_tn: 0 };
  const NOTHING = "-";
  /* What savings are counted against, in the words of judgement.py. */
  const NO_ALERT = "no alert", ALL_ALERTS = "an alert on everything";

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
  const shown = (threshold) => (threshold >= 0.01 ? fixed(threshold, 3) : twoDigits(threshold));
  const alertsAt = (threshold, tp, fp, fn, tn) =>
    fn + tn === 0 ? "everything" : tp + fp === 0 ? "nothing" : shown(threshold);
  const show = (name, text) => {
    document.querySelectorAll(`[data-out="${name}"]`).forEach((place) => { place.textContent = text; });
  };
  const cost = (input) => (input.value.trim() === "" ? NaN : Number(input.value));

  const money = (tp, fp, fn, tn, referredPositive = 0, referredNegative = 0) => {
    const costFp = cost(inputs.fp), costFn = cost(inputs.fn), price = inputs.refer ? cost(inputs.refer) : 0;
    const referred = referredPositive + referredNegative, rows = tp + fp + fn + tn + referred;
    if (!(costFp >= 0 && costFn >= 0 && price >= 0)) return [NOTHING, NOTHING, NO_ALERT];
    const silent = costFn * (fn + tp + referredPositive) - gains.gain_tn * (tn + fp + referredNegative);
    const always = costFp * (tn + fp + referredNegative) - gains.gain_tp * (tp + fn + referredPositive);
    const spent = costFp * fp + costFn * fn - gains.gain_tp * tp - gains.gain_tn * tn + price * referred;
    const perThousand = (sum) => 1000 * (sum / rows);
    const saved = perThousand(Math.min(silent, always)) - perThousand(spent);
    return [fixed(perThousand(spent), 0), fixed(saved, 0), silent <= always ? NO_ALERT : ALL_ALERTS];
  };

  const showCounts = (counts) => Object.keys(counts).forEach((name) => show(name, fixed(counts[name], 0)));
  const showMoney = (...counts) => {
    const [spent, saved, baseline] = money(...counts);
    show("cost", spent);
    show("saved", saved);
    show("baseline", baseline);
  };
  const moveMarkers = () => {
    document.querySelectorAll("line.marker").forEach((line) => {
      const place = Number((line.dataset.handle === "high" ? upper : slider).value);
      const share = data.points.length > 1 ? place / (data.points.length - 1) : 0;
      const start = Number(line.dataset.start), x = start + share * (Number(line.dataset.end) - start);
      line.setAttribute("x1", x);
      line.setAttribute("x2", x);
    });
  };
  const press = (isAt) => {
    buttons.forEach((button) => { button.setAttribute("aria-pressed", String(isAt(button.dataset.jump))); });
  };

  const updateOne = () => {
    const place = Number(slider.value);
    const [threshold, tp, fp, fn, tn] = data.points[place];
    const rows = tp + fp + fn + tn;
    showCounts({ tp, fp, fn, tn });
    show("threshold", alertsAt(threshold, tp, fp, fn, tn));
    show("precision", percent(tp, tp + fp));
    show("recall", percent(tp, tp + fn));
    show("f1", percent(2 * tp, 2 * tp + fn + fp));
    show("alerts", fixed(1000 * ((tp + fp) / rows), 1));
    showMoney(tp, fp, fn, tn);
    slider.setAttribute("aria-valuetext", `threshold ${alertsAt(threshold, tp, fp, fn, tn)}, ${fixed(tp + fp, 0)} alerts`);
    press((name) => data.marks[name] === place);
  };

  /* The handles where the model has them show its judgement, other places the curve. */
  const pointsOf = (low, high) =>
    data.pair.judged && low === data.pair.low && high === data.pair.high ? data.pair.judged : [data.points[low], data.points[high]];
  const updatePair = () => {
    const low = Number(slider.value), high = Number(upper.value);
    const [[pass, foundAbove, falseAbove, fn, tn], [alert, tp, fp]] = pointsOf(low, high);
    const positive = foundAbove - tp, negative = falseAbove - fp, rows = foundAbove + falseAbove + fn + tn;
    showCounts({ tp, fp, fn, tn, "refer-positive": positive, "refer-negative": negative });
    show("threshold", shown(pass));
    show("threshold-alert", shown(alert));
    show("referred", percent(positive + negative, rows));
    show("miss", percent(fn, fn + foundAbove));
    show("false-alarm", percent(fp, tp + fp));
    show("f1", percent(2 * tp, 2 * tp + fn + fp));
    show("alerts", fixed(1000 * ((tp + fp) / rows), 1));
    showMoney(tp, fp, fn, tn, positive, negative);
    slider.setAttribute("aria-valuetext", `pass at or below ${shown(pass)}, ${fixed(fn + tn, 0)} pass`);
    upper.setAttribute("aria-valuetext", `alert above ${shown(alert)}, ${fixed(tp + fp, 0)} alerts`);
    press((name) => (name === "chosen" ? low === data.pair.low && high === data.pair.high : low === high && data.marks[name] === low));
  };

  const update = () => {
    if (upper) updatePair();
    else updateOne();
    moveMarkers();
  };
  const jump = (name) => {
    slider.value = data.marks[name];
    if (upper) upper.value = name === "chosen" ? data.pair.high : data.marks[name];
    update();
  };
  /* A handle that meets the other takes it along. */
  if (upper) {
    slider.addEventListener("input", () => { if (Number(upper.value) < Number(slider.value)) upper.value = slider.value; });
    upper.addEventListener("input", () => { if (Number(slider.value) > Number(upper.value)) slider.value = upper.value; });
  }

  buttons.forEach((button) => {
    button.disabled = false;
    button.addEventListener("click", () => jump(button.dataset.jump));
  });
  [slider, upper, inputs.fp, inputs.fn, inputs.refer].filter(Boolean).forEach((input) => {
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
