// Parts that several screens share: documents in a list, topics, alarms.
import { hashOf } from "./address.js";
import { get } from "./api.js";
import { button, element, isolated } from "./dom.js";
import { amount, iso, percent, sure, time } from "./format.js";
import { spark } from "./spark.js";
import { topicClass } from "./theme.js";

/** @typedef {import("../answers").DocumentRow} DocumentRow */
/** @typedef {import("../answers").TopicRef} TopicRef */
/** @typedef {import("../answers").Alarm} Alarm */

/** Topics by id, from the newest answer. @type {Map<number, TopicRef>} */
export const topicsKnown = new Map();

/** @param {TopicRef[]} topics */
export function remember(topics) {
  for (const { id, name, colour, words } of topics) topicsKnown.set(id, { id, name, colour, words });
}

/** Ids of topics that were requested and do not exist. @type {Set<number>} */
const nameless = new Set();

/** Load the topics, unless those of some documents are known. @param {DocumentRow[]} [rows] */
export async function knowTopics(rows = []) {
  const unknown = rows.flatMap(({ topic }) => (topic === null || topicsKnown.has(topic) || nameless.has(topic) ? [] : [topic]));
  if (topicsKnown.size && !unknown.length) return;
  remember((await get("/api/topics")).topics);
  for (const topic of unknown) if (!topicsKnown.has(topic)) nameless.add(topic);
}

/** @param {number} seconds */
export const when = (seconds) => element("time", { datetime: iso(seconds) }, time(seconds));

/** @param {TopicRef | undefined} topic @param {number | null} id */
export function topicLink(topic, id = null) {
  const shown = topic ?? (id === null ? undefined : topicsKnown.get(id));
  if (!shown) return element("span", { class: "label" }, id === null ? "no topic" : `topic ${id}`);
  return element(
    "a",
    { class: `topic-link ${topicClass(shown.colour)}`, href: hashOf("topic", { id: shown.id }) },
    isolated(shown.name),
  );
}

/** Show a snippet, of which every second part is a word that matches. @param {string[]} parts */
export function snippet(parts) {
  const shown = element("p", { class: "document-text", dir: "auto" });
  shown.append(...parts.map((part, i) => (i % 2 ? element("mark", {}, part) : part)));
  return shown;
}

/** @param {DocumentRow} row @param {{ open?: (key: string) => void, fresh?: boolean }} [how] */
export function documentRow(row, { open, fresh = false } = {}) {
  const head = element(
    "p",
    { class: "document-head" },
    when(row.time),
    " ",
    row.topic !== null && topicLink(undefined, row.topic),
    " ",
    row.label !== null && element("span", { class: "label" }, isolated(row.label)),
    " ",
    element("span", { class: "document-source" }, isolated(row.source)),
  );
  const shown = element("li", { class: fresh ? "document fresh" : "document", "data-key": row.key }, head, snippet(row.snippet));
  const name = `Open the document of ${time(row.time)}`;
  shown.append(
    open
      ? button("Open", () => open(row.key), { class: "small document-open", "aria-label": name })
      : element("a", { class: "document-open small", href: hashOf("documents", { key: row.key }), "aria-label": name }, "Open"),
  );
  return shown;
}

/** Return the ratio to the expected rate, now or when the alarm was raised. @param {Alarm} alarm */
export const times = ({ state, ratio, evidence }) =>
  state === "on"
    ? `${amount(ratio)} times the expected rate`
    : `${amount(evidence.seen / Math.max(evidence.expected, 1e-9))} times the expected rate when it was raised`;

/** Return the present probability of an alarm, or the highest one if it has ended. @param {Alarm} alarm */
export const howCertain = ({ state, probability, highest }) =>
  state === "on" ? `${sure(probability)} certain` : `was ${sure(highest)} certain`;

/** @param {Alarm} alarm @param {{ fresh?: boolean }} [how] */
export function alarmCard(alarm, { fresh = false } = {}) {
  const { evidence } = alarm;
  const open = alarm.state === "on";
  return element(
    "li",
    { class: `alarm-card ${open ? "alarm-on" : "alarm-off"}${fresh ? " fresh" : ""}`, "data-alarm": alarm.id },
    element(
      "p",
      { class: "alarm-state" },
      open ? "▲ Now" : "▽ Ended",
      " · ",
      element("span", { class: "alarm-sure" }, howCertain(alarm)),
    ),
    element("h3", {}, element("a", { href: hashOf("alarms", { id: alarm.id }) }, isolated(alarm.name))),
    evidence.values.length > 1 && spark(evidence.values, { width: 220, height: 44, class: "spark spark-wide" }),
    element(
      "p",
      { class: "alarm-facts" },
      times(alarm),
      alarm.ended === null ? `, since ${time(alarm.start)}` : `, ${time(alarm.start)} to ${time(alarm.ended)}`,
    ),
    element(
      "p",
      { class: "alarm-words" },
      evidence.words
        .slice(0, 5)
        .map((word) => [element("a", { href: hashOf("word", { w: word }) }, isolated(word)), " "])
        .flat(),
    ),
  );
}

/** @param {{ word: string, before: number, now: number, ratio: number, probability: number, values: (number | null)[] }} drift */
export function driftingRow(drift) {
  const rises = drift.ratio >= 1;
  return [
    element("a", { href: hashOf("word", { w: drift.word }), class: "word long" }, isolated(drift.word)),
    element(
      "span",
      { class: `pattern ${rises ? "pattern-rose" : "pattern-fell"}` },
      rises ? `× ${amount(drift.ratio)}` : `÷ ${amount(1 / Math.max(drift.ratio, 1e-9))}`,
    ),
    spark(drift.values),
    `${percent(drift.before)} → ${percent(drift.now)}`,
    sure(drift.probability),
  ];
}
