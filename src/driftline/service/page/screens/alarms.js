// Alarms: present and earlier ones, a calendar, and one alarm with its evidence and replay.
import { change, here, wholeNumber } from "../parts/address.js";
import { alarmPanel } from "../parts/alarm_panel.js";
import { confirm } from "../parts/announce.js";
import { get, send } from "../parts/api.js";
import { calendar } from "../parts/calendar.js";
import { button, element, fill, isolated } from "../parts/dom.js";
import { date, plural, time } from "../parts/format.js";
import { howCertain, knowTopics, times } from "../parts/rows.js";
import { nothing } from "../parts/table.js";

/** @typedef {import("../answers").AlarmList} AlarmList */
/** @typedef {import("../answers").Alarm} Alarm */

const day = 86_400;

/** @param {HTMLElement} place @param {import("../main.js").Context} context */
function open(place, { session }) {
  const kicker = element("p", { class: "kicker" });
  const list = element("ul", { class: "alarm-list" });
  const more = button("Earlier", () => next(), { hidden: true });
  const days = element("div", {});
  const filter = element("p", { class: "actions", hidden: true });
  const panel = alarmPanel({ mayAct: session.rights.includes("label") || session.rights.includes("admin"), act });
  place.append(
    element("div", { class: "head" }, element("h1", {}, "Alarms"), kicker),
    element(
      "div",
      { class: "split alarms" },
      element(
        "div",
        {},
        panel.element,
        element("section", { "aria-labelledby": "calendar-title" }, element("h2", { id: "calendar-title" }, "Calendar"), days),
      ),
      element(
        "section",
        { class: "alarm-side", "aria-labelledby": "alarm-list-title" },
        element("h2", { id: "alarm-list-title" }, "Present and earlier"),
        filter,
        list,
        more,
      ),
    ),
  );

  /** @type {AlarmList | null} */
  let answer = null;
  /** @type {number | null} */
  let chosenDay = null;

  /** @param {number} id @param {object} body */
  async function act(id, body) {
    try {
      take(/** @type {Alarm} */ (await send("POST", `/api/alarms/${id}`, body)));
    } catch (problem) {
      confirm(/** @type {Error} */ (problem).message);
    }
  }

  /** @param {Alarm} alarm */
  function row(alarm) {
    const on = alarm.state === "on";
    return element(
      "li",
      { class: on ? "alarm-row alarm-on" : "alarm-row" },
      element(
        "a",
        {
          href: "#",
          "data-id": alarm.id,
          "aria-current": alarm.id === panel.id() ? "true" : undefined,
          on: {
            click: (/** @type {Event} */ event) => {
              event.preventDefault();
              change({ id: alarm.id });
            },
          },
        },
        element(
          "span",
          { class: "alarm-state" },
          on ? "▲ Now" : "▽ Ended",
          alarm.acknowledged !== null && " · acknowledged",
          alarm.muted_until !== null && " · muted",
        ),
        element("b", {}, isolated(alarm.name)),
        element("span", { class: "alarm-facts" }, `${times(alarm)}, ${howCertain(alarm)}`),
        element("span", { class: "alarm-facts" }, time(alarm.raised)),
      ),
    );
  }

  function showList() {
    if (!answer) return;
    const on = answer.n_on;
    // The alarms of one day do not show how many are on now.
    const now = chosenDay !== null ? "" : on ? `${plural(on, "burst")} now. ` : "No burst now. ";
    kicker.textContent = `${now}An alarm is raised at a probability of at least 90 % and ends when it falls below 50 %.`;
    const sorted = [...answer.alarms].sort((a, b) => Number(b.state === "on") - Number(a.state === "on") || b.raised - a.raised);
    if (sorted.length) fill(list, sorted.map(row));
    else nothing(list, chosenDay === null ? "No alarm so far." : "No alarm on this day.");
    more.hidden = answer.next === null;
  }

  function showCalendar() {
    if (!answer) return;
    if (answer.calendar.length)
      fill(
        days,
        calendar(answer.calendar, chosenDay, (at) => change({ day: at === chosenDay ? null : at, id: null })),
      );
    else nothing(days, "Days with alarms appear here.");
    filter.hidden = chosenDay === null;
    if (chosenDay !== null)
      fill(
        filter,
        element("span", { class: "label" }, date(chosenDay)),
        button("All days", () => change({ day: null }), { class: "small" }),
      );
  }

  const interval = () => (chosenDay === null ? {} : { from: chosenDay, to: chosenDay + day });

  async function next() {
    if (!answer || answer.next === null) return;
    const older = /** @type {AlarmList} */ (await get("/api/alarms", { ...interval(), after: answer.next }));
    const known = new Set(answer.alarms.map(({ id }) => id));
    answer.alarms.push(...older.alarms.filter(({ id }) => !known.has(id)));
    answer.next = older.next;
    showList();
  }

  /** @param {Alarm} alarm */
  function take(alarm) {
    if (!answer) return;
    const known = answer.alarms.findIndex(({ id }) => id === alarm.id);
    const wasOn = known >= 0 ? answer.alarms[known].state === "on" : alarm.state === "off";
    answer.n_on = Math.max(0, answer.n_on + Number(alarm.state === "on") - Number(wasOn));
    if (known >= 0) answer.alarms[known] = alarm;
    else {
      if (chosenDay === null) answer.alarms.unshift(alarm);
      countDay(alarm);
    }
    if (answer.alarms.length > 500) answer.alarms.pop();
    if (alarm.id === panel.id() || panel.id() === null) panel.show(alarm);
    showList();
  }

  /** Add a new alarm to the calendar. @param {Alarm} alarm */
  function countDay({ raised, highest }) {
    if (!answer) return;
    const at = Math.floor(raised / day) * day;
    const known = answer.calendar.find((each) => each.day === at);
    if (known) Object.assign(known, { n: known.n + 1, highest: Math.max(known.highest, highest) });
    else answer.calendar.push({ day: at, n: 1, highest });
    if (!days.contains(document.activeElement)) showCalendar();
  }

  /** Update the number, the probabilities and the rates of the alarms that are on. @param {Alarm[]} present @param {number} n */
  function takePresent(present, n) {
    if (!answer) return;
    answer.n_on = n;
    for (const { id, probability, highest, ratio, headline } of present) {
      const known = answer.alarms.find((alarm) => alarm.id === id);
      if (known) Object.assign(known, { probability, highest, ratio, headline });
      if (known && id === panel.id()) panel.showFacts(known);
    }
    if (!list.contains(document.activeElement)) showList();
  }

  /** @param {URLSearchParams} given @param {AbortSignal} [signal] */
  async function show(given, signal) {
    await knowTopics();
    chosenDay = wholeNumber(given, "day");
    answer = /** @type {AlarmList} */ (await get("/api/alarms", interval(), signal));
    // Some that are on may be older than the newest ones.
    if (chosenDay === null && answer.alarms.filter(({ state }) => state === "on").length < answer.n_on) {
      const present = /** @type {AlarmList} */ (await get("/api/alarms", { state: "on" }, signal));
      const known = new Set(answer.alarms.map(({ id }) => id));
      answer.alarms.push(...present.alarms.filter(({ id }) => !known.has(id)));
    }
    const id = wholeNumber(given, "id");
    const chosen =
      answer.alarms.find((alarm) => alarm.id === id) ??
      answer.alarms.find(({ state }) => state === "on") ??
      answer.alarms[0] ??
      null;
    panel.show(chosen);
    showList();
    showCalendar();
    if (id !== null && chosen?.id === id) panel.focus();
  }

  /** @param {1 | -1} step */
  function move(step) {
    const links = /** @type {HTMLElement[]} */ ([...list.querySelectorAll("a[data-id]")]);
    const wanted = here().given.get("id");
    const at = links.find(({ dataset }) => dataset.id === wanted) ?? links.find((link) => link.hasAttribute("aria-current"));
    const i = at ? links.indexOf(at) : -1;
    const target = links[Math.min(links.length - 1, Math.max(0, i + step))];
    if (target) change({ id: Number(target.dataset.id) }, { quietly: true });
  }

  return {
    show,
    /** @param {import("../parts/stream.js").Update} update */
    update({ type, data }) {
      if (type === "alarm") take(data.alarm);
      else if (type === "delta" && data.alarms) takePresent(data.alarms, data.n_on);
    },
    close: () => panel.close(),
    keys: [
      { keys: "j", does: "Next alarm", run: () => move(1) },
      { keys: "k", does: "Previous alarm", run: () => move(-1) },
      {
        keys: "a",
        does: "Acknowledge the alarm",
        run: () => panel.id() !== null && void act(Number(panel.id()), { acknowledge: true }),
      },
      {
        keys: "m",
        does: "Mute the alarm for a day",
        run: () => panel.id() !== null && void act(Number(panel.id()), { mute_for: day }),
      },
      { keys: "r", does: "Start or stop the replay", run: () => panel.replay() },
      { keys: "Escape", does: "Show all days", run: () => here().given.has("day") && change({ day: null }) },
    ],
  };
}

export const alarms = { name: "alarms", title: "Alarms", key: "g a", open };
