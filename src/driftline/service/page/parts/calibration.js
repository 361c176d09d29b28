// Calibration: guesses with a probability of 70 % should be correct in 70 of 100 cases.
import { drawn, element } from "./dom.js";
import { count, percent } from "./format.js";

/** @typedef {import("../answers").CalibrationBin} CalibrationBin */

/** @param {CalibrationBin[]} bins */
export function calibrationSentence(bins) {
  const n = bins.reduce((sum, bin) => sum + bin.n, 0);
  if (!n) return "No guess has been compared with a label yet.";
  const gap = bins.reduce((sum, bin) => sum + (bin.n / n) * Math.abs(bin.predicted - bin.right), 0);
  return `The probabilities of ${count(n)} guesses differ from their accuracy by ${percent(gap)} on average. On the diagonal, both are equal.`;
}

/** @param {CalibrationBin[]} bins */
export const calibrationRows = (bins) => bins.map(({ predicted, right, n }) => [percent(predicted), percent(right), count(n)]);

/** @param {CalibrationBin[]} bins */
export function calibrationPicture(bins) {
  const [left, top, side] = [34, 8, 170];
  const most = Math.max(1, ...bins.map(({ n }) => n));
  /** @param {number} value */
  const x = (value) => left + side * value;
  /** @param {number} value */
  const y = (value) => top + side * (1 - value);
  const picture = drawn("svg", {
    class: "calibration",
    viewBox: `0 0 ${left + side + 12} ${top + side + 34}`,
    "aria-hidden": "true",
  });
  for (const tick of [0, 0.5, 1]) {
    picture.append(
      drawn("line", { class: "calibration-grid", x1: left, x2: x(1), y1: y(tick), y2: y(tick) }),
      drawn("line", { class: "calibration-grid", y1: top, y2: y(0), x1: x(tick), x2: x(tick) }),
    );
    const across = drawn("text", { x: x(tick), y: y(0) + 15, "text-anchor": "middle" });
    const up = drawn("text", { x: left - 5, y: y(tick) + 4, "text-anchor": "end" });
    across.textContent = up.textContent = `${100 * tick}`;
    picture.append(across, up);
  }
  const name = drawn("text", { x: x(0.5), y: y(0) + 31, "text-anchor": "middle" });
  name.textContent = "predicted, %  →  observed, %";
  picture.append(name, drawn("line", { class: "calibration-ideal", x1: x(0), y1: y(0), x2: x(1), y2: y(1) }));
  const known = bins.filter(({ n }) => n > 0);
  if (known.length > 1)
    picture.append(
      drawn("polyline", {
        class: "calibration-line",
        points: known.map((bin) => `${x(bin.predicted)},${y(bin.right)}`).join(" "),
      }),
    );
  for (const bin of known)
    picture.append(
      drawn("circle", {
        class: "calibration-point",
        cx: x(bin.predicted),
        cy: y(bin.right),
        r: 2.5 + 5 * Math.sqrt(bin.n / most),
      }),
    );
  return element("div", { class: "calibration-frame" }, picture);
}
