// Topics: a list, and one topic with its words now and earlier, its curve with band, documents, lineage, and name.
import { change, hashOf, here, wholeNumber } from "../parts/address.js";
import { confirm } from "../parts/announce.js";
import { get, send } from "../parts/api.js";
import { button, element, fill, isolated } from "../parts/dom.js";
import { Figure } from "../parts/figure.js";
import { count, date, percent, period } from "../parts/format.js";
import { Lines } from "../parts/lines.js";
import { lengthOf, Periods } from "../parts/periods.js";
import { documentRow, remember, topicLink, topicsKnown } from "../parts/rows.js";
import { slopes, slopeRows, slopeSentence } from "../parts/slopes.js";
import { spark } from "../parts/spark.js";
import { nothing, table } from "../parts/table.js";
import { topicClass, topicColour } from "../parts/theme.js";

/** @typedef {import("../answers").TopicList} TopicList */
/** @typedef {import("../answers").TopicPage} TopicPage */
/** @typedef {import("../answers").TopicRef} TopicRef */

/** @param {HTMLElement} place @param {import("../main.js").Context} context */
function open(place, { session }) {
  const list = element("ul", { class: "topic-list" });
  const listTitle = element("p", { class: "quiet" });
  const title = element("h1", {}, "Topics");
  const words = element("p", { class: "kicker" });
  const ended = element(
    "p",
    { class: "quiet", hidden: true },
    "A refit ended this topic: earlier documents keep it, later ones have other topics.",
  );
  const renaming = element("div", { class: "actions" });
  const course = new Figure({ title: "Share of the documents", headings: ["Period", "#Documents", "#Share", "#Low", "#High"] });
  const wordsFigure = new Figure({ title: "Words now and earlier", headings: ["Word", "#Earlier", "#Now"], role: "group" });
  const documents = element("ul", { class: "documents" });
  const lineage = element("div", {});
  const lines = new Lines(course.plot, { height: 240, unit: percent });
  place.append(
    element(
      "div",
      { class: "with-list" },
      element("nav", { class: "list-side", "aria-label": "Topics" }, listTitle, list),
      element(
        "div",
        { class: "list-main" },
        element("div", { class: "head" }, title, words, ended, renaming),
        course.element,
        element(
          "div",
          { class: "columns" },
          wordsFigure.element,
          element("section", { "aria-labelledby": "lineage-title" }, element("h2", { id: "lineage-title" }, "Lineage"), lineage),
        ),
        element(
          "section",
          { "aria-labelledby": "topic-documents" },
          element("h2", { id: "topic-documents" }, "Documents"),
          documents,
        ),
      ),
    ),
  );

  /** @type {TopicList | null} */
  let all = null;
  /** @type {TopicPage | null} */
  let page = null;
  /** @type {Periods | null} */
  let periods = null;

  function showList() {
    if (!all) return;
    listTitle.textContent = `Shares in the last full ${all.level}`;
    fill(
      list,
      all.topics.map((topic) =>
        element(
          "li",
          { class: topicClass(topic.colour) },
          element(
            "a",
            { href: hashOf("topic", { id: topic.id }), "aria-current": topic.id === page?.topic.id ? "true" : undefined },
            element("span", { class: "topic-name" }, element("span", { class: "swatch" }), isolated(topic.name)),
            element(
              "span",
              { class: "topic-share" },
              percent(Number(topic.values[topic.values.length - 2] ?? topic.values[topic.values.length - 1] ?? 0)),
            ),
            spark(topic.values.slice(Math.max(-60, topic.values.findIndex((value) => value !== null) - topic.values.length)), {
              width: 120,
              height: 22,
            }),
          ),
        ),
      ),
    );
  }

  function showRenaming() {
    if (!page || !session.rights.includes("admin")) return fill(renaming);
    const { id, name } = page.topic;
    fill(
      renaming,
      button(
        "Rename",
        () => {
          const box = element("input", { id: "new-name", value: name, maxlength: 80, required: true });
          const form = element(
            "form",
            { class: "controls" },
            element("label", { for: "new-name" }, "New name"),
            box,
            element("button", { class: "small" }, "Save"),
            button("Cancel", showRenaming, { class: "small" }),
          );
          form.addEventListener("submit", async (/** @type {SubmitEvent} */ event) => {
            event.preventDefault();
            try {
              takeName(/** @type {TopicRef} */ (await send("POST", `/api/topics/${id}`, { name: box.value.trim() })));
              confirm("The topic was renamed; it keeps the name after refits.");
            } catch (problem) {
              confirm(/** @type {Error} */ (problem).message);
            }
          });
          fill(renaming, form);
          box.select();
        },
        { class: "small", "aria-keyshortcuts": "r" },
      ),
    );
  }

  /** @param {TopicRef} topic */
  function takeName(topic) {
    remember([topic]);
    const listed = all?.topics.find(({ id }) => id === topic.id);
    if (listed) listed.name = topic.name;
    if (page?.topic.id === topic.id) {
      page.topic = topic;
      fill(title, isolated(topic.name));
      showRenaming();
    }
    showList();
  }

  function showCourse() {
    if (!page || !periods) return;
    const { river } = periods;
    const [curve] = river.topics;
    const length = lengthOf[river.level];
    const last = periods.newest;
    const sentence =
      last < 0
        ? "No document has arrived yet."
        : `${percent(Number(curve.values[last] ?? 0))} of the documents (${percent(Number(curve.low[last] ?? 0))} to ${percent(Number(curve.high[last] ?? 0))}) in the ${river.level} of ${period(river.times[last], length)}; the band is an interval of 90 %.`;
    course.update(sentence, () =>
      river.times.map((at, i) => [
        period(at, length),
        count(river.n_documents[i]),
        ...[curve.values, curve.low, curve.high].map((list) => (list[i] === null ? "–" : percent(Number(list[i])))),
      ]),
    );
    const drawn = periods.drawn(curve);
    const marks = /** @type {[number, number][]} */ (
      page.alarms.map(({ start, ended }) => [start, ended ?? river.times[river.times.length - 1] + length])
    );
    lines.draw({
      times: [...river.times],
      length,
      curves: [
        {
          name: page.topic.name,
          colour: topicColour(page.topic.colour),
          values: [...drawn.values],
          low: [...drawn.low],
          high: [...drawn.high],
          marks,
        },
      ],
    });
  }

  function showLineage() {
    if (!page) return;
    if (!page.lineage.length) return nothing(lineage, "No refit yet: the topic is the one that was first learned.");
    /** @param {number[]} ids */
    const links = (ids) => element("span", {}, ids.map((id) => [topicLink(topicsKnown.get(id), id), " "]).flat());
    fill(
      lineage,
      table(
        "Effect of each refit on the topic",
        ["Refit", "Effect", "Before", "After", "#Overlap"],
        page.lineage.map((step) => [date(step.time), step.kind, links(step.old), links(step.new), percent(step.overlap)]),
        { hidden: true, class: "cards" },
      ),
    );
  }

  /** @param {URLSearchParams} given @param {AbortSignal} [signal] */
  async function show(given, signal) {
    const at = given.get("at");
    all = /** @type {TopicList} */ (await get("/api/topics", { at }, signal));
    remember(all.topics);
    const id = wholeNumber(given, "id", all.topics[0]?.id ?? null);
    if (id === null)
      return fill(
        place,
        element("div", { class: "head" }, title, element("p", { class: "kicker" }, "No topics yet: they are learned from the first 500 documents.")),
      );
    page = /** @type {TopicPage} */ (await get(`/api/topics/${id}`, { at, span: given.get("span") }, signal));
    periods = new Periods({
      level: page.level,
      times: page.times,
      n_documents: page.n_documents,
      topics: [{ ...page.topic, ...page.curve }],
    });
    document.title = `${page.topic.name} · driftline`;
    fill(title, element("span", { class: `swatch ${topicClass(page.topic.colour)}` }), isolated(page.topic.name));
    fill(
      words,
      page.topic.words
        .slice(0, 10)
        .map((word) => [element("a", { href: hashOf("word", { w: word }) }, isolated(word)), " "])
        .flat(),
    );
    ended.hidden = page.present;
    showList();
    showRenaming();
    showCourse();
    wordsFigure.update(slopeSentence(page), () => slopeRows(/** @type {TopicPage} */ (page)));
    fill(wordsFigure.plot, slopes(page));
    showLineage();
    if (page.documents.length)
      fill(
        documents,
        page.documents.map((row) => documentRow(row)),
      );
    else nothing(documents, "No stored document has this topic.");
  }

  /** @param {1 | -1} step */
  function next(step) {
    if (!all || !page) return;
    const { topics } = all;
    const wanted = wholeNumber(here().given, "id", page.topic.id);
    const i = topics.findIndex(({ id }) => id === wanted);
    change({ id: topics[(i + step + topics.length) % topics.length].id });
  }

  return {
    show,
    /** @param {import("../parts/stream.js").Update} update */
    update({ type, data }) {
      if (type === "delta" && page && periods && !here().given.has("at")) {
        periods.take(data.periods);
        showCourse();
      } else if (type === "renamed") takeName(data.topic);
      else if (type === "swapped") show(here().given).catch(() => {}); // the notice says what is wrong
    },
    close() {
      lines.close();
      course.close();
      wordsFigure.close();
    },
    keys: [
      { keys: "j", does: "Next topic", run: () => next(1) },
      { keys: "k", does: "Previous topic", run: () => next(-1) },
      { keys: "r", does: "Rename the topic", run: () => renaming.querySelector("button")?.click() },
    ],
  };
}

export const topic = { name: "topic", title: "Topics", key: "g t", open };
