// Numbers of documents by period, as bars; a click on a bar selects its period.
import { drawn, element } from "./dom.js";

const height = 92;

/**
 * @param {number[]} times
 * @param {number[]} counts
 * @param {(place: number) => void} choose
 */
export function histogram(times, counts, choose) {
  const highest = Math.max(1, ...counts);
  const n = Math.max(1, times.length);
  const picture = drawn("svg", {
    class: "histogram",
    viewBox: `0 0 ${n} ${height}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  counts.forEach((value, i) => {
    const size = value ? Math.max(2, ((height - 2) * value) / highest) : 0;
    const bar = drawn(
      "g",
      { class: "histogram-bar" },
      drawn("rect", { class: "histogram-area", x: i, y: 0, width: 1, height }),
      drawn("rect", { class: "histogram-value", x: i + 0.08, y: height - size, width: 0.84, height: size }),
    );
    bar.addEventListener("click", () => choose(i));
    picture.append(bar);
  });
  return element("div", { class: "histogram-frame" }, picture);
}
