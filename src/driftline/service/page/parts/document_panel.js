// One document: its text with the words that support its topic, its topics and labels, and a button to delete it.
import { hashOf } from "./address.js";
import { confirm } from "./announce.js";
import { get, send } from "./api.js";
import { button, drawn, element, fill, isolated, marked } from "./dom.js";
import { amount, listed, percent, sure } from "./format.js";
import { askFirst } from "./help.js";
import { remember, topicLink, when } from "./rows.js";
import { topicClass } from "./theme.js";

/** @typedef {import("../answers").DocumentPage} DocumentPage */

/** @param {DocumentPage} page */
function strengths({ spoke }) {
  const speaking = spoke.filter(({ weight }) => weight > 0);
  const highest = Math.max(1e-9, ...speaking.map(({ weight }) => weight));
  return new Map(speaking.map(({ word, weight }) => [word, Math.max(1, Math.ceil((3 * weight) / highest))]));
}

/** @param {number} share */
export const shareBar = (share) =>
  drawn(
    "svg",
    { class: "share-bar", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawn("rect", { class: "share-ground", width: 100, height: 8, rx: 2 }),
    drawn("rect", { class: "share-value", width: 100 * Math.min(1, share), height: 8, rx: 2 }),
  );

/** @param {DocumentPage} page */
function topicBars({ topics }) {
  return element(
    "ul",
    { class: "bars" },
    topics
      .slice(0, 5)
      .map(({ topic, share }) =>
        element(
          "li",
          { class: topicClass(topic.colour) },
          topicLink(topic),
          shareBar(share),
          element("span", { class: "number" }, percent(share)),
        ),
      ),
  );
}

/** @param {DocumentPage} page */
function speakers({ spoke, topics }) {
  const words = spoke.filter(({ weight }) => weight > 0).slice(0, 6);
  if (!words.length || !topics.length) return null;
  return element(
    "p",
    { class: "sentence" },
    "Words that support ",
    topicLink(topics[0].topic),
    " (log ratio): ",
    words.flatMap(({ word, weight }, i) => [
      i ? ", " : "",
      element("a", { href: hashOf("word", { w: word }) }, isolated(word)),
      ` (${amount(weight)})`,
    ]),
    ".",
  );
}

/**
 * @param {HTMLElement} place
 * @param {string} key
 * @param {{ mayDelete: boolean, onClose: () => void, onDeleted: (key: string) => void }} how
 */
export async function showDocument(place, key, { mayDelete, onClose, onDeleted }) {
  const page = /** @type {DocumentPage} */ (await get(`/api/documents/${encodeURIComponent(key)}`));
  remember(page.topics.map(({ topic }) => topic));
  const strength = strengths(page);
  const remove = async () => {
    if (
      !(await askFirst(
        "Delete this document?",
        "Its text, search index entries and id are removed at once and cannot be restored. Its effect on the models remains until the next refit.",
        "Delete",
      ))
    )
      return;
    try {
      const { note } = await send("DELETE", `/api/documents/${encodeURIComponent(key)}`);
      confirm(note || "The document was deleted.");
      onDeleted(key);
    } catch (problem) {
      confirm(/** @type {Error} */ (problem).message);
    }
  };
  const labels = page.labels.filter(({ label }) => label !== null);
  fill(
    place,
    element(
      "div",
      { class: "figure-head" },
      element("h2", { tabindex: "-1", id: "document-title" }, "Document"),
      button("Close", onClose, { class: "small" }),
    ),
    element(
      "p",
      { class: "document-head" },
      when(page.time),
      " ",
      element("span", {}, "from ", isolated(page.source)),
      page.id !== null && element("span", {}, "id ", isolated(page.id)),
    ),
    element(
      "p",
      { class: "document-whole", dir: "auto" },
      marked(page.text, (word) => strength.get(word)),
    ),
    speakers(page),
    topicBars(page),
    page.label !== null &&
      element(
        "p",
        { class: "sentence" },
        "Label: ",
        element("span", { class: "label" }, isolated(page.label)),
        labels.length ? ` by ${listed([...new Set(labels.map(({ by }) => by))])}` : "",
      ),
    page.guess !== null &&
      element(
        "p",
        { class: "sentence" },
        "The classifier guesses ",
        element("span", { class: "label" }, isolated(page.guess)),
        page.guess_probability === null ? "" : `, ${sure(page.guess_probability)} certain`,
      ),
    mayDelete && element("p", { class: "actions" }, button("Delete", remove, { class: "danger small" })),
  );
  place.hidden = false;
}
