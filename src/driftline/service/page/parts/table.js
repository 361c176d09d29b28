// Tables of figures and of lists. A heading that begins with "#" marks a column of numbers, aligned right.
import { element, fill } from "./dom.js";

/** @typedef {import("./dom.js").Child} Child */

/**
 * @param {string} caption
 * @param {string[]} headings
 * @param {Child[][]} rows the first cell of a row is its heading
 * @param {{ hidden?: boolean, class?: string }} [how]
 */
export function table(caption, headings, rows, how = {}) {
  const isNumber = headings.map((heading) => heading.startsWith("#"));
  const names = headings.map((heading) => heading.replace(/^#/, ""));
  /** @param {number} i */
  const kind = (i) => (isNumber[i] ? "number" : undefined);
  return element(
    "table",
    { class: how.class },
    element("caption", { class: how.hidden ? "unseen" : undefined }, caption),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        names.map((name, i) => element("th", { scope: "col", class: kind(i) }, name)),
      ),
    ),
    element(
      "tbody",
      {},
      rows.map((row) =>
        element(
          "tr",
          {},
          row.map((cell, i) =>
            element(i ? "td" : "th", { scope: i ? undefined : "row", class: kind(i), "data-name": names[i] }, cell),
          ),
        ),
      ),
    ),
  );
}

/** Make a scrollable region that is also reachable by keyboard. @param {string} name @param {...Child} children */
export const scrolling = (name, ...children) =>
  element("div", { class: "scroll", role: "region", "aria-label": name, tabindex: "0" }, ...children);

/** @param {Element} place @param {string} message */
export const nothing = (place, message) => fill(place, element(place.matches("ul") ? "li" : "p", { class: "quiet" }, message));
