// Formatting of numbers and times. Times are seconds since 1970, shown in UTC, as in the report.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
/** @param {Intl.DateTimeFormatOptions} options */
const dates = (options) => new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...options });
const hour = dates({ hour: "2-digit", minute: "2-digit" });
const day = dates({ day: "numeric", month: "long" });
const dayOfYear = dates({ day: "numeric", month: "short", year: "numeric" });
const monthOfYear = dates({ month: "long", year: "numeric" });
const moment = dates({ day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });

/** @param {number} value */
export const count = (value) => whole.format(value);
/** No-break space, between a number and its unit. */
const JOINED = "\u00a0";
/** @param {number} value */
export const percent = (value) =>
  value > 0 && value < 0.001
    ? `<${JOINED}0.1${JOINED}%`
    : `${trim(100 * value, value < 0.1 && value > 0 ? 1 : 0)}${JOINED}%`;
/** Format a probability, never as 0 or 100 %. @param {number} value */
export const sure = (value) => `${Math.min(99, Math.max(1, Math.round(100 * value)))}${JOINED}%`;
/** @param {number} value @param {number} digits */
const trim = (value, digits) => (digits ? value.toFixed(digits).replace(/\.?0+$/, "") : value.toFixed(0)).replace("-", "−");

/** Format a number with three significant digits. @param {number} value */
export function amount(value) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  return size >= 100
    ? whole.format(value)
    : trim(value, size >= 10 ? 1 : size >= 1 ? 2 : Math.min(6, 2 - Math.floor(Math.log10(size))));
}

/** @param {number} seconds */
const dated = (seconds) => new Date(1000 * seconds);
/** @param {number} seconds */
export const clock = (seconds) => hour.format(dated(seconds));
/** @param {number} seconds */
export const date = (seconds) => dayOfYear.format(dated(seconds));
/** @param {number} seconds */
export const dayOf = (seconds) => day.format(dated(seconds));
/** @param {number} seconds */
export const month = (seconds) => monthOfYear.format(dated(seconds));
/** @param {number} seconds */
export const time = (seconds) => moment.format(dated(seconds));
/** @param {number} seconds */
export const iso = (seconds) => dated(seconds).toISOString().replace(".000Z", "Z");

/** Format a period by its length: hour with time, day, or month. @param {number} seconds @param {number} length */
export const period = (seconds, length) =>
  length < 86_400 ? time(seconds) : length < 20 * 86_400 ? date(seconds) : month(seconds);

/** @param {number} seconds */
export function duration(seconds) {
  const size = Math.abs(seconds);
  if (size < 1) return `${Math.round(1000 * seconds)}${JOINED}ms`;
  const units = /** @type {[number, string][]} */ ([
    [86_400 * 365, "year"],
    [86_400 * 30, "month"],
    [86_400, "day"],
    [3600, "hour"],
    [60, "minute"],
    [1, "second"],
  ]);
  const [length, name] = units.find(([unit]) => size >= unit) ?? [1, "second"];
  const n = Math.round(seconds / length);
  return `${n} ${name}${n === 1 ? "" : "s"}`;
}

/** @param {number} bytes */
export function size(bytes) {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let i = 0;
  for (; bytes >= 1000 && i < units.length - 1; i += 1) bytes /= 1000;
  return `${amount(bytes)}${JOINED}${units[i]}`;
}

const languageNames = new Intl.DisplayNames(["en"], { type: "language" });
/** @param {string} code */
export const language = (code) => languageNames.of(code) ?? code;

/** @param {number} n @param {string} one @param {string} [many] */
export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

/** @param {string[]} words */
export const listed = (words) =>
  words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}`;
