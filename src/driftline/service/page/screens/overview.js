// Overview, now or at an earlier time: headline, river of topics, bursts, drifting words, newest documents.
import { change, here } from "../parts/address.js";
import { announce } from "../parts/announce.js";
import { get } from "../parts/api.js";
import { button, element, fill } from "../parts/dom.js";
import { Figure } from "../parts/figure.js";
import { count, listed, percent, period, time } from "../parts/format.js";
import { lengthOf, Periods } from "../parts/periods.js";
import { RiverPicture } from "../parts/river.js";
import { alarmCard, documentRow, driftingRow, knowTopics, remember } from "../parts/rows.js";
import { nothing, table } from "../parts/table.js";

/** @typedef {import("../answers").Overview} Overview */
/** @typedef {import("../answers").Delta} Delta */
/** @typedef {import("../answers").Alarm} Alarm */

const mostDocuments = 8;
const mostCards = 6;
// A list that changes faster than it can be read is updated only every two seconds.
const few = 3;
const listEvery = 2000;
const loadAgainAfter = 3000;

/** @param {Periods} periods */
function riverSentence(periods) {
  const { river, length, newest: last } = periods;
  if (!river.n_documents.some((n) => n)) return "No document has arrived yet.";
  if (!river.topics.length) return "No topics yet: they are learned from the first 500 documents.";
  const drawn = river.topics.map((topic) => periods.drawn(topic)); // the same shares as beside the river
  const largest = drawn.sort((a, b) => Number(b.values[last] ?? 0) - Number(a.values[last] ?? 0)).slice(0, 3);
  const parts = largest.map(
    ({ name, values, low, high }) =>
      `${name} ${percent(Number(values[last] ?? 0))} (${percent(Number(low[last] ?? 0))} to ${percent(Number(high[last] ?? 0))})`,
  );
  const [first, until] = [period(river.times[0], length), period(river.times[last], length)];
  return `Shares of the topics per ${river.level}, ${first === until ? until : `${first} to ${until}`}. Largest now: ${listed(parts)}.`;
}

/** @param {Periods} periods */
const riverRows = ({ river, length }) =>
  river.times.map((at, i) => [
    period(at, length),
    count(river.n_documents[i]),
    ...river.topics.slice(0, 12).map(({ values }) => (values[i] === null ? "–" : percent(Number(values[i])))),
  ]);

/** @param {HTMLElement} place */
function open(place) {
  const headline = element("h1", {}, "…");
  const kicker = element("p", { class: "kicker" });
  const tiles = element("dl", { class: "tiles" });
  const figure = new Figure({ title: "Topics", headings: ["Period", "#Documents"], class: "river" });
  const travel = element("input", { type: "range", id: "travel", min: 0, max: 1, step: 1, value: 1 });
  const travelText = element("output", { for: "travel", class: "travel-text" });
  const toNow = button("Back to now", () => goNow(), { class: "small", hidden: true, "aria-keyshortcuts": "n" });
  const travelRow = element(
    "div",
    { class: "travel" },
    element("label", { for: "travel" }, "Time travel"),
    travel,
    travelText,
    toNow,
  );
  const cards = element("ul", { class: "alarm-cards" });
  const drifting = element("div", {});
  const newest = element("ul", { class: "documents" });
  figure.element.append(travelRow);
  place.append(
    element("div", { class: "head" }, headline, kicker, tiles),
    figure.element,
    element("section", { "aria-labelledby": "bursts-title" }, element("h2", { id: "bursts-title" }, "Bursts"), cards),
    element(
      "div",
      { class: "columns" },
      element(
        "section",
        { "aria-labelledby": "drifting-title" },
        element("h2", { id: "drifting-title" }, "Drifting words"),
        drifting,
      ),
      element(
        "section",
        { "aria-labelledby": "newest-title" },
        element("h2", { id: "newest-title" }, "Newest documents"),
        newest,
      ),
    ),
  );

  /** @type {Overview | null} */
  let answer = null;
  /** @type {Periods | null} */
  let periods = null;
  let wait = 0;
  let again = 0;
  let listing = 0;
  let lastListed = 0;
  /** @type {AbortController | null} */
  let asking = null;
  const river = new RiverPicture(figure.plot, { onDrag: (n) => step(n) });

  /** Travel by a number of periods; negative numbers go back. @param {number} n */
  function step(n) {
    if (!answer || !periods) return;
    travelTo((answer.at ?? answer.now) + n * lengthOf[periods.river.level]);
  }

  /** @param {number} at */
  function travelTo(at) {
    if (!answer || answer.first === null) return;
    const bounded = Math.max(answer.first, at);
    const isNow = bounded >= Number(travel.max) - 1;
    answer.at = isNow ? null : bounded;
    travel.value = String(isNow ? travel.max : bounded);
    showTravel();
    clearTimeout(wait);
    wait = window.setTimeout(() => change({ at: isNow ? null : Math.round(bounded) }, { quietly: true }), 120);
  }
  /** Set the slider to whole periods, from now back to the first document. @param {number} now */
  function bound(now) {
    if (!answer) return;
    const length = lengthOf[answer.river.level];
    const last = Math.ceil(now);
    travel.step = String(length);
    travel.max = String(last);
    travel.min = String(last - Math.ceil((last - (answer.first ?? last)) / length) * length);
  }

  function goNow() {
    clearTimeout(wait);
    change({ at: null }, { quietly: true });
  }
  travel.addEventListener("input", () => travelTo(Number(travel.value)));

  function showTravel() {
    const at = answer?.at ?? null;
    travelText.textContent = at === null ? "now" : time(at);
    travel.setAttribute("aria-valuetext", at === null ? "now" : time(at));
    toNow.hidden = at === null;
    place.toggleAttribute("data-past", at !== null);
  }

  function showHead() {
    if (!answer) return;
    if (headline.textContent !== answer.headline) headline.textContent = answer.headline;
    const newestAt = answer.first === null ? "" : `Newest document: ${time(answer.now)}`;
    kicker.textContent = answer.at === null ? newestAt : `As it was on ${time(answer.at)}`;
    const on = answer.n_on;
    fill(
      tiles,
      [
        [count(answer.n_documents), answer.n_documents === 1 ? "document" : "documents"],
        [count(answer.n_topics), answer.n_topics === 1 ? "topic" : "topics"],
        [count(on), on === 1 ? "burst now" : "bursts now", on && "tile-main"],
        [String(answer.drifting.length), answer.drifting.length === 1 ? "drifting word" : "drifting words"],
      ].map(([value, name, kind]) =>
        element("div", { class: kind || undefined }, element("dt", {}, name), element("dd", {}, value)),
      ),
    );
  }

  /** @param {{ jump?: boolean }} [how] */
  function showRiver(how) {
    if (!periods) return;
    figure.headings = ["Period", "#Documents", ...periods.river.topics.slice(0, 12).map(({ name }) => `#${name}`)];
    figure.update(riverSentence(periods), () => riverRows(/** @type {Periods} */ (periods)));
    river.draw(periods, how);
  }

  /** @param {number} [fresh] the id of a new alarm */
  function showAlarms(fresh) {
    if (!answer) return;
    const shown = [...answer.alarms]
      .sort((a, b) => Number(b.state === "on") - Number(a.state === "on") || b.raised - a.raised)
      .slice(0, mostCards);
    if (!shown.length) return nothing(cards, "No burst at present. Bursts are reported when they are at least 90 % certain; Alarms lists earlier ones.");
    fill(
      cards,
      shown.map((alarm) => alarmCard(alarm, { fresh: alarm.id === fresh })),
    );
  }

  function showDrifting() {
    if (!answer) return;
    if (!answer.drifting.length) return nothing(drifting, "No word has changed its frequency significantly.");
    fill(
      drifting,
      table(
        "Words whose frequency changed, most certain first",
        ["Word", "Change", "Curve", "#Share", "#Certainty"],
        answer.drifting.slice(0, 10).map(driftingRow),
        { hidden: true, class: "drifting" },
      ),
    );
  }

  /** @param {boolean} [isUpdate] */
  function showNewest(isUpdate = false) {
    if (!answer) return;
    clearTimeout(listing);
    [listing, lastListed] = [0, performance.now()];
    if (!answer.newest.length) return nothing(newest, "No document has arrived yet.");
    const known = new Set([...newest.children].map((item) => item.dataset.key));
    const rows = answer.newest.slice(0, mostDocuments);
    if (isUpdate && known.size) {
      const fresh = rows.filter(({ key }) => !known.has(key)).reverse();
      for (const row of fresh) newest.prepend(documentRow(row, { fresh: fresh.length <= few }));
      while (newest.children.length > mostDocuments) newest.lastElementChild?.remove();
    } else
      fill(
        newest,
        rows.map((row) => documentRow(row)),
      );
  }

  /** @param {URLSearchParams} given */
  async function show(given) {
    asking?.abort();
    asking = new AbortController();
    answer = /** @type {Overview} */ (
      await get("/api/overview", { at: given.get("at"), span: given.get("span") }, asking.signal)
    );
    remember(answer.river.topics);
    await knowTopics(answer.newest);
    periods = new Periods(answer.river);
    bound(Math.max(Number(travel.max), answer.now));
    travel.value = String(answer.at ?? travel.max);
    showTravel();
    showHead();
    showRiver({ jump: true });
    showAlarms();
    showDrifting();
    showNewest();
  }

  function reload() {
    again = 0;
    if (answer?.at === null) show(here().given).catch(() => {});
  }

  /** @param {Delta} delta */
  function takeDelta(delta) {
    if (!answer || !periods || answer.at !== null) {
      bound(delta.now);
      return;
    }
    if (delta.batch <= answer.batch) return;
    const isNews = delta.headline !== undefined && delta.headline !== answer.headline;
    Object.assign(answer, {
      batch: delta.batch,
      now: delta.now,
      n_documents: delta.n_documents,
      first: answer.first ?? delta.now,
      n_on: delta.n_on ?? answer.n_on,
      headline: delta.headline ?? answer.headline,
    });
    bound(delta.now);
    travel.value = travel.max;
    periods.take(delta.periods);
    if (periods.isBehind(delta.periods) && !again) again = window.setTimeout(reload, loadAgainAfter);
    if (delta.alarms) {
      const on = new Set(delta.alarms.map(({ id }) => id));
      answer.alarms = [...delta.alarms, ...answer.alarms.filter(({ id, state }) => !on.has(id) && state !== "on")];
      if (!cards.contains(document.activeElement)) showAlarms();
    }
    if (delta.drifting) {
      answer.drifting = delta.drifting;
      showDrifting();
    }
    answer.newest = [...delta.newest, ...answer.newest].slice(0, mostDocuments);
    showHead();
    showRiver();
    if (delta.newest.length <= few || performance.now() - lastListed > listEvery) showNewest(true);
    else listing ||= window.setTimeout(() => showNewest(true), listEvery);
    if (isNews) announce(answer.headline);
  }

  /** @param {Alarm} alarm */
  function takeAlarm(alarm) {
    if (!answer || answer.at !== null) return;
    const before = answer.alarms.find(({ id }) => id === alarm.id);
    const known = before !== undefined;
    const wasOn = known ? before.state === "on" : alarm.state === "off";
    answer.n_on = Math.max(0, answer.n_on + Number(alarm.state === "on") - Number(wasOn));
    answer.alarms = [alarm, ...answer.alarms.filter(({ id }) => id !== alarm.id)].slice(0, 50);
    showAlarms(known ? undefined : alarm.id);
    if (alarm.state === "on" && !known) answer.headline = alarm.headline;
    showHead();
  }

  return {
    show,
    /** @param {import("../parts/stream.js").Update} update */
    update({ type, data }) {
      if (type === "delta") takeDelta(data);
      else if (type === "alarm") takeAlarm(data.alarm);
      else if ((type === "swapped" || type === "renamed") && answer?.at === null) return reload();
      else if (type === "deleted") newest.querySelector(`[data-key="${CSS.escape(data.key)}"]`)?.remove();
    },
    close() {
      clearTimeout(wait);
      clearTimeout(again);
      clearTimeout(listing);
      asking?.abort();
      river.close();
      figure.close();
    },
    keys: [
      { keys: "ArrowLeft", does: "Go back one period", run: () => step(-1) },
      { keys: "ArrowRight", does: "Go forward one period", run: () => step(1) },
      { keys: "[", does: "Go back ten periods", run: () => step(-10) },
      { keys: "]", does: "Go forward ten periods", run: () => step(10) },
      { keys: "n", does: "Back to now", run: goNow },
    ],
  };
}

export const overview = { name: "overview", title: "Overview", key: "g o", open };
