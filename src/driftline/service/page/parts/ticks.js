// Marks of a time axis at whole hours, days, months or years.
import { clock, dayOf } from "./format.js";

const hour = 3600;
const day = 86_400;
const steps = [hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 7 * day, 14 * day, 28 * day];
const monthSteps = [1, 2, 3, 6, 12, 24, 60, 120, 600];
const monthName = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", month: "short" });

/**
 * @param {number} from
 * @param {number} to
 * @param {number} most
 * @param {number} length of a period: marks are no finer
 * @returns {{ time: number, text: string }[]}
 */
export function axisTicks(from, to, most, length) {
  const step = steps.find((each) => each >= length && (to - from) / each <= most);
  if (step) {
    const first = Math.ceil(from / step) * step;
    return Array.from({ length: Math.max(0, Math.floor((to - first) / step) + 1) }, (_, i) => first + i * step).map((time) => ({
      time,
      text: time % day ? clock(time) : dayOf(time),
    }));
  }
  const months = monthSteps.find((each) => (to - from) / (30.4 * day * each) <= most) ?? 1200;
  const start = new Date(1000 * from);
  const found = [];
  let place = Math.ceil((12 * start.getUTCFullYear() + start.getUTCMonth()) / months) * months;
  for (; ; place += months) {
    const time = Date.UTC(Math.floor(place / 12), place % 12) / 1000;
    if (time > to) return found;
    if (time >= from) found.push({ time, text: place % 12 ? monthName.format(1000 * time) : String(Math.floor(place / 12)) });
  }
}
