// A sparkline beside a word or a topic; the numbers of the row contain the same information.
import { drawn } from "./dom.js";

/**
 * @param {(number | null)[]} values
 * @param {{ width?: number, height?: number, class?: string, low?: (number | null)[], high?: (number | null)[] }} [how]
 */
export function spark(values, { width = 96, height = 26, class: name = "spark", low, high } = {}) {
  const highest = Math.max(1e-12, ...[...values, ...(high ?? [])].map((value) => value ?? 0));
  /** @param {number} i */
  const x = (i) => ((width * i) / Math.max(1, values.length - 1)).toFixed(1);
  /** @param {number} value */
  const y = (value) => (height - 1 - ((height - 3) * value) / highest).toFixed(1);
  const picture = drawn("svg", {
    class: name,
    viewBox: `0 0 ${width} ${height}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  if (low && high) {
    const places = values.map((_, i) => i).filter((i) => high[i] !== null && low[i] !== null);
    const points = [
      ...places.map((i) => `${x(i)},${y(Number(high[i]))}`),
      ...places.reverse().map((i) => `${x(i)},${y(Number(low[i]))}`),
    ];
    picture.append(drawn("polygon", { class: "spark-band", points: points.join(" ") }));
  }
  let begins = true;
  const path = values.map((value, i) => {
    if (value === null) {
      begins = true;
      return "";
    }
    const step = `${begins ? "M" : "L"}${x(i)} ${y(value)}`;
    begins = false;
    return step;
  });
  picture.append(drawn("path", { class: "spark-line", d: path.join("") }));
  return picture;
}
