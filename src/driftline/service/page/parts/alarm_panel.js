// One alarm: its evidence, actions, and a replay of its curve.
import { hashOf } from "./address.js";
import { courseOf, loadCourse } from "./alarm_course.js";
import { button, element, fill, isolated } from "./dom.js";
import { Figure } from "./figure.js";
import { amount, period, sure, time } from "./format.js";
import { Lines } from "./lines.js";
import { documentRow, topicLink, topicsKnown } from "./rows.js";
import { mayMove } from "./settings.js";
import { colours } from "./theme.js";

/** @typedef {import("../answers").Alarm} Alarm */

const frame = 120;
const day = 86_400;
const mutes = /** @type {[string, number][]} */ ([
  ["an hour", 3600],
  ["a day", day],
  ["a week", 7 * day],
]);

/** Return the part of a day in which the documents came that raised the alarm of a word, at least an hour; 1 for a topic, which has rates. @param {Alarm} alarm */
const daysOf = ({ topic, raised, start }) => (topic === null ? Math.max((raised - start) / day, 1 / 24) : 1);

/** Describe how the alarm was raised: an extrapolation of one hour to a day would not be true. @param {Alarm} alarm */
function raisedWhy(alarm) {
  const days = daysOf(alarm);
  const [seen, expected] = [alarm.evidence.seen * days, alarm.evidence.expected * days].map(amount);
  const came =
    alarm.topic === null
      ? `${seen} ${seen === "1" ? "document" : "documents"} had arrived since ${time(alarm.start)}, and ${expected} were expected`
      : `documents of the topic arrived at a rate of ${seen} per day, and ${expected} were expected`;
  return `The alarm was raised on ${time(alarm.raised)}: ${came}.${alarm.ended === null ? "" : ` It ended on ${time(alarm.ended)}.`}`;
}

/** @param {{ mayAct: boolean, act: (id: number, body: object) => Promise<void> }} how */
export function alarmPanel({ mayAct, act }) {
  const title = element("h2", { id: "alarm-title", tabindex: "-1" });
  const sentence = element("p", { class: "alarm-headline" });
  const facts = element("dl", { class: "tiles" });
  const actions = element("div", { class: "actions" });
  const words = element("p", { class: "sentence" });
  const figure = new Figure({ title: "Number of documents", headings: ["Time", "#Observed", "#Expected"], heading: "h3" });
  const lines = new Lines(figure.plot, { height: 200 });
  const slider = element("input", { type: "range", id: "replay", min: 1, step: 1 });
  const slid = element("output", { for: "replay", class: "travel-text" });
  const play = button("Replay", () => toggle(), { class: "small", "aria-keyshortcuts": "r" });
  figure.element.append(
    element(
      "div",
      { class: "travel" },
      play,
      element("label", { for: "replay", class: "unseen" }, "Time of the replay"),
      slider,
      slid,
    ),
  );
  const documents = element("ul", { class: "documents" });
  const panel = element(
    "section",
    { class: "panel", "aria-labelledby": "alarm-title", hidden: true },
    title,
    sentence,
    facts,
    actions,
    figure.element,
    words,
    element("h3", {}, "Documents"),
    documents,
  );
  /** @type {Alarm | null} */
  let alarm = null;
  /** @type {import("./alarm_course.js").Course} */
  let course = { times: [], counts: [], length: 3600 };
  let timer = 0;

  function draw() {
    if (!alarm) return;
    const { times, counts, length } = course;
    const until = Number(slider.value);
    const last = times[until - 1];
    slid.textContent = last === undefined ? "" : period(last, length);
    slider.setAttribute("aria-valuetext", slid.textContent ?? "");
    const { orange, muted } = colours();
    const expected = (alarm.evidence.expected * length) / day;
    lines.draw({
      times,
      length,
      curves: [
        {
          name: "observed",
          colour: orange,
          values: counts.map((value, i) => (i < until ? value : null)),
          marks: last >= alarm.start ? [[alarm.start, Math.min(last, alarm.ended ?? last)]] : [],
        },
        { name: "expected", colour: muted, values: times.map(() => expected), dash: [6, 5] },
      ],
    });
  }
  slider.addEventListener("input", () => {
    stop();
    draw();
  });

  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Replay";
  }

  function toggle() {
    if (timer) return stop();
    const n = Number(slider.max);
    if (!mayMove()) {
      slider.value = String(Number(slider.value) >= n ? 1 : Number(slider.value) + 1);
      return draw();
    }
    if (Number(slider.value) >= n) slider.value = "1";
    play.textContent = "Stop";
    timer = window.setInterval(() => {
      slider.value = String(Number(slider.value) + 1);
      draw();
      if (Number(slider.value) >= n) stop();
    }, frame);
  }

  function showActions() {
    if (!alarm) return;
    const { id, acknowledged, muted_until: muted, raised } = alarm;
    fill(
      actions,
      acknowledged === null
        ? mayAct && button("Acknowledge", () => void act(id, { acknowledge: true }), { class: "small", "aria-keyshortcuts": "a" })
        : element("span", { class: "label" }, "acknowledged by ", isolated(acknowledged)),
      muted !== null
        ? [
            element("span", { class: "label" }, `muted until ${time(muted)}`),
            mayAct && button("Unmute", () => void act(id, { mute_for: 0 }), { class: "small" }),
          ]
        : mayAct &&
            mutes.map(([name, seconds]) =>
              button(`Mute for ${name}`, () => void act(id, { mute_for: seconds }), { class: "small" }),
            ),
      element("a", { class: "small", href: hashOf("overview", { at: Math.round(raised) }) }, "Overview at that time"),
    );
  }

  /** @param {Alarm} next */
  function describe(next) {
    const { times, counts, length } = course;
    const unit = length < day ? "hour" : length === day ? "day" : "month";
    figure.update(`${raisedWhy(next)}${times.length > 1 ? ` The curve counts documents per ${unit}.` : ""}`, () =>
      times.map((at, i) => [time(at), amount(counts[i]), amount((next.evidence.expected * length) / day)]),
    );
  }

  /** @param {Alarm} next */
  async function showCourse(next) {
    stop();
    course = courseOf(next);
    describe(next);
    try {
      const found = await loadCourse(next);
      if (alarm?.id !== next.id) return;
      course = found;
      describe(next);
    } catch {
      // The topic of an old alarm may no longer exist; the sentence is then shown without a curve.
    }
    slider.max = String(Math.max(1, course.times.length));
    slider.value = slider.max;
    figure.plot.parentElement?.toggleAttribute("data-empty", course.times.length < 2);
    figure.show(figure.chosen);
    draw();
  }

  /** @param {Alarm} next */
  function showFacts(next) {
    const days = daysOf(next);
    const per = next.topic === null ? "by then" : "per day";
    sentence.textContent = next.headline;
    fill(
      facts,
      [
        [sure(next.highest), next.state === "on" ? `highest certainty; ${sure(next.probability)} now` : "highest certainty"],
        [amount(next.evidence.seen * days), next.topic === null ? "documents when it was raised" : "observed per day"],
        [amount(next.evidence.expected * days), `expected ${per}`],
        [`× ${amount(next.ratio)}`, next.state === "on" ? "the usual rate, now" : "the usual rate, at the end"],
      ].map(([value, name], i) =>
        element("div", { class: i ? undefined : "tile-main" }, element("dt", {}, name), element("dd", {}, value)),
      ),
    );
  }

  /** @param {Alarm | null} next */
  function show(next) {
    const isNew = next?.id !== alarm?.id;
    const grown = next && alarm && next.evidence.times.length !== alarm.evidence.times.length;
    alarm = next;
    panel.hidden = next === null;
    if (!next) return stop();
    const { evidence } = next;
    fill(title, isolated(next.name));
    showFacts(next);
    showActions();
    if (isNew || grown) showCourse(next);
    fill(
      words,
      "Characteristic words: ",
      evidence.words.flatMap((word, i) => [i ? ", " : "", element("a", { href: hashOf("word", { w: word }) }, isolated(word))]),
      next.topic !== null && [". Topic: ", topicLink(topicsKnown.get(next.topic), next.topic)],
      ".",
    );
    fill(
      documents,
      evidence.documents.map((row) => documentRow(row)),
    );
  }

  return {
    element: panel,
    show,
    showFacts,
    replay: toggle,
    focus: () => title.focus(),
    id: () => alarm?.id ?? null,
    close: () => {
      stop();
      lines.close();
      figure.close();
    },
  };
}
