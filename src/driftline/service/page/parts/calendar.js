// A calendar of alarms: a table per month, a cell per day; days with alarms are buttons.
import { element } from "./dom.js";
import { date, month, plural, sure } from "./format.js";

/** @typedef {import("../answers").AlarmDay} AlarmDay */

const day = 86_400;
const names = ["Mo", "Tu", "We", "Th", "Fr", "Sa", "Su"];

/** @param {number} n */
const strength = (n) => (n >= 5 ? 3 : n >= 2 ? 2 : 1);

/**
 * @param {AlarmDay[]} days
 * @param {number | null} chosen
 * @param {(day: number) => void} choose
 * @param {number} [most] months shown, the newest first
 */
export function calendar(days, chosen, choose, most = 3) {
  const byDay = new Map(days.map((each) => [each.day, each]));
  const months = [...new Set(days.map((each) => monthOf(each.day)))].sort((a, b) => b - a).slice(0, most);
  return element(
    "div",
    { class: "calendar" },
    months.map((start) => monthTable(start, byDay, chosen, choose)),
  );
}

/** @param {number} seconds */
function monthOf(seconds) {
  const at = new Date(1000 * seconds);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth()) / 1000;
}

/** @param {number} start @param {Map<number, AlarmDay>} byDay @param {number | null} chosen @param {(day: number) => void} choose */
function monthTable(start, byDay, chosen, choose) {
  const at = new Date(1000 * start);
  const next = Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1) / 1000;
  const before = (at.getUTCDay() + 6) % 7;
  const cells = [
    ...Array.from({ length: before }, () => NaN),
    ...Array.from({ length: (next - start) / day }, (_, i) => start + i * day),
  ];
  while (cells.length % 7) cells.push(NaN);
  /** @param {number} time */
  const cell = (time) => {
    const alarms = byDay.get(time);
    const number = Number.isNaN(time) ? "" : String(new Date(1000 * time).getUTCDate());
    if (!alarms) return element("td", {}, number);
    return element(
      "td",
      {},
      element(
        "button",
        {
          type: "button",
          class: `day strength-${strength(alarms.n)}`,
          "aria-pressed": String(chosen === time),
          "aria-label": `${date(time)}: ${plural(alarms.n, "alarm")}, up to ${sure(alarms.highest)} certain`,
          on: { click: () => choose(time) },
        },
        number,
        element("small", {}, `${alarms.n}`),
      ),
    );
  };
  return element(
    "table",
    { class: "month" },
    element("caption", {}, month(start)),
    element(
      "thead",
      {},
      element(
        "tr",
        {},
        names.map((name) => element("th", { scope: "col" }, name)),
      ),
    ),
    element(
      "tbody",
      {},
      Array.from({ length: cells.length / 7 }, (_, week) => element("tr", {}, cells.slice(7 * week, 7 * week + 7).map(cell))),
    ),
  );
}
