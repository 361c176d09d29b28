// The words of a topic at two times: a line from the earlier share to the current one.
import { drawn, element, isolated } from "./dom.js";
import { hashOf } from "./address.js";
import { date, listed, percent } from "./format.js";
import { spread } from "./river.js";

/** @typedef {import("../answers").TopicPage} TopicPage */

const shown = 12;
const height = 330;
const line = 24;

/** The words of both times with their shares, largest now first. @param {TopicPage} page */
function both({ words_now: now, words_then: then }) {
  const before = new Map(then.map(({ word, share }) => [word, share]));
  const after = new Map(now.map(({ word, share }) => [word, share]));
  return [...new Set([...after.keys(), ...before.keys()])].map((word) => ({
    word,
    then: before.get(word) ?? 0,
    now: after.get(word) ?? 0,
  }));
}

/** @param {TopicPage} page */
export const slopeRows = (page) =>
  both(page)
    .map(({ word, then, now }) => [word, percent(then), percent(now)])
    .reverse();

/** @param {TopicPage} page */
export function slopeSentence(page) {
  if (page.words_then.every(({ share }) => !share)) return `Shares of the topic's words now; it had no document by ${date(page.then)}.`;
  const certain = new Set(page.changed);
  const changed = both(page).filter(({ word }) => certain.has(word));
  const risen = changed
    .filter(({ then, now }) => now > then)
    .slice(0, 3)
    .map(({ word }) => `“${word}”`);
  const fallen = changed
    .filter(({ then, now }) => now < then)
    .slice(0, 3)
    .map(({ word }) => `“${word}”`);
  const parts = [risen.length && `more of ${listed(risen)}`, fallen.length && `less of ${listed(fallen)}`].filter(Boolean);
  return `Shares of the topic's words on ${date(page.then)} and now: ${parts.length ? parts.join("; ") : "no significant change"}.`;
}

/** @param {TopicPage} page */
export function slopes(page) {
  const all = both(page);
  const words = [...all.filter(({ word }) => page.changed.includes(word)), ...all]
    .filter((each, i, list) => list.indexOf(each) === i)
    .slice(0, shown);
  const highest = Math.max(1e-9, ...words.flatMap(({ then, now }) => [then, now]));
  /** @param {number} share */
  const y = (share) => 14 + (height - 34) * (1 - Math.sqrt(share / highest));
  const side = (/** @type {"then" | "now"} */ name) => {
    const order = words.map((_, i) => i).sort((a, b) => words[b][name] - words[a][name]);
    const placed = spread(
      order.map((i) => y(words[i][name])),
      line,
      height,
    );
    return { order, placed };
  };
  const sides = { then: side("then"), now: side("now") };
  const picture = drawn("svg", { viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  for (const { then, now, word } of words) {
    const [from, to] = [sides.then, sides.now].map(({ order, placed }) => placed[order.findIndex((i) => words[i].word === word)]);
    const kind = !page.changed.includes(word) ? "slope-same" : now > then ? "slope-rose" : "slope-fell";
    picture.append(drawn("path", { class: `slope ${kind}`, d: `M0 ${from}C40 ${from} 60 ${to} 100 ${to}` }));
  }
  const column = (/** @type {"then" | "now"} */ name) => {
    const made = element("ul", { class: `slope-side slope-${name}` });
    sides[name].order.forEach((i, k) => {
      const item = element(
        "li",
        {},
        element("a", { href: hashOf("word", { w: words[i].word }) }, isolated(words[i].word)),
        " ",
        element("small", {}, percent(words[i][name])),
      );
      item.style.top = `${sides[name].placed[k]}px`;
      made.append(item);
    });
    return made;
  };
  const whole = element("div", { class: "slopes" }, column("then"), picture, column("now"));
  whole.style.height = `${height}px`;
  return whole;
}
