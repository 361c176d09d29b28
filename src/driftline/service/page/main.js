// The page: selects the screen, binds keys and distributes updates.
import { announce } from "./parts/announce.js";
import { get, Refused, whenRefused } from "./parts/api.js";
import { go, here, viewOf } from "./parts/address.js";
import { element, fill } from "./parts/dom.js";
import { openHelp } from "./parts/help.js";
import { bind } from "./parts/keys.js";
import { painted } from "./parts/latency.js";
import { remember } from "./parts/rows.js";
import { settings, choose } from "./parts/settings.js";
import { showSignIn, takeToken } from "./parts/sign_in.js";
import { Stream } from "./parts/stream.js";
import { showConnection, showPaused, showNotice } from "./parts/status.js";
import { alarms } from "./screens/alarms.js";
import { desk } from "./screens/desk.js";
import { documents } from "./screens/documents.js";
import { health } from "./screens/health.js";
import { overview } from "./screens/overview.js";
import { topic } from "./screens/topic.js";
import { word } from "./screens/word.js";

/** @typedef {import("./parts/stream.js").Update} Update */
/** @typedef {{ show: (given: URLSearchParams, signal: AbortSignal) => Promise<void>, update?: (update: Update) => void, close?: () => void, focus?: () => void, keys?: import("./parts/keys.js").Binding[] }} Shown */
/** @typedef {{ session: import("./answers").Session }} Context */
/** @typedef {{ name: string, title: string, key: string, open: (place: HTMLElement, context: Context) => Shown }} Screen */

/** @type {Screen[]} */
const screens = [overview, topic, word, documents, desk, alarms, health];
const main = /** @type {HTMLElement} */ (document.getElementById("main"));
const tryAgainAfter = 3000;
const events = ["hello", "delta", "alarm", "label", "learned", "swapped", "renamed", "deleted", "gap", "bye"];

/** @type {Screen | null} */
let present = null;
/** @type {Shown | null} */
let shown = null;
/** @type {Context | null} */
let context = null;
let loading = new AbortController();
let again = 0;
let paused = false;
let missed = 0;
/** Updates that arrived during a load, drawn after its answer, which may be older. @type {Update[]} */
const held = [];
const stream = new Stream("/api/events", events);

/** @param {{ focus?: boolean }} [how] */
async function follow({ focus = true } = {}) {
  const view = here();
  if (!context) return;
  const screen = screens.find(({ name }) => name === view.screen) ?? overview;
  if (screen !== present) {
    shown?.close?.();
    present = screen;
    main.replaceChildren();
    main.className = `wrap screen-${screen.name}`;
    shown = screen.open(main, context);
    bind("screen", shown.keys ?? []);
    document.title = `${screen.title} · driftline`;
    for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("#screens a"))) {
      if (viewOf(link.hash).screen !== screen.name) link.removeAttribute("aria-current");
      else {
        link.setAttribute("aria-current", "page");
        link.scrollIntoView({ inline: "center", block: "nearest" });
      }
    }
    window.scrollTo(0, 0);
    if (focus && shown.focus) shown.focus();
    else if (focus) main.focus({ preventScroll: true });
  }
  await load(view.given);
}

/** Load the screen; an earlier load is cancelled, so that the newest one is drawn last. @param {URLSearchParams} given */
async function load(given) {
  const asked = shown;
  const address = location.hash || "#overview"; // the address may change again before this one is drawn
  loading.abort();
  clearTimeout(again);
  const own = new AbortController();
  loading = own;
  main.setAttribute("aria-busy", "true");
  try {
    await asked?.show(given, own.signal);
    if (stream.state === "live" && !paused) showNotice("");
  } catch (problem) {
    if (problem instanceof DOMException && problem.name === "AbortError") return;
    showNotice(problem instanceof Error ? problem.message : String(problem));
    if (problem instanceof Refused && problem.status === 0 && own === loading)
      again = window.setTimeout(() => load(here().given), tryAgainAfter);
  } finally {
    if (own === loading) {
      main.removeAttribute("aria-busy");
      held.splice(0).forEach(draw);
      document.documentElement.dataset.shown = address;
    }
  }
}

/** @param {Update} update */
function onUpdate(update) {
  if (update.type === "alarm" && update.data?.alarm.state === "on") announce(update.data.alarm.headline);
  if (update.type === "renamed") remember([update.data.topic]);
  if (update.type === "hello") return;
  if (paused) {
    missed += 1;
    return showPaused(true, missed);
  }
  if (update.type === "gap") {
    document.documentElement.dataset.gaps = String(Number(document.documentElement.dataset.gaps ?? 0) + 1);
    return void load(here().given);
  }
  if (update.type === "bye") return showNotice("The service is stopping. The page will reconnect automatically.");
  if (main.hasAttribute("aria-busy")) held.push(update);
  else draw(update);
}

/** @param {Update} update */
function draw(update) {
  shown?.update?.(update);
  if (update.type === "delta") painted(update.data);
}

/** @param {boolean} [next] */
function pause(next = !paused) {
  paused = next;
  const behind = missed > 0;
  missed = 0;
  showPaused(paused, 0);
  if (!paused && behind) load(here().given);
}

function bindKeys() {
  bind("everywhere", [
    ...screens.map(({ name, title, key }) => ({ keys: key, does: title, run: () => go(name) })),
    { keys: "t", does: "Switch between figures and tables", run: () => choose({ tables: !settings.tables }) },
    { keys: "p", does: "Pause or resume updates", run: () => pause() },
    { keys: "?", does: "List these keys", run: openHelp },
  ]);
}

function prepare() {
  fill(
    /** @type {HTMLElement} */ (document.getElementById("screens")),
    screens.map(({ name, title }) => element("a", { href: `#${name}` }, title)),
  );
  document.getElementById("pause")?.addEventListener("click", () => pause());
  document.getElementById("help")?.addEventListener("click", openHelp);
  document.getElementById("skip")?.addEventListener("click", (event) => {
    event.preventDefault();
    main.focus();
  });
  bindKeys();
  stream.listeners.add(onUpdate);
  stream.watchers.add(showConnection);
  window.addEventListener("hashchange", () => follow());
  whenRefused(({ status }) => {
    if (status === 401 && context) signOut();
  });
}

function signOut() {
  shown?.close?.();
  clearTimeout(again);
  [present, context, shown] = [null, null, null];
  stream.stop();
  showSignIn(main, start);
}

async function start() {
  await takeToken();
  try {
    context = { session: await get("/api/session") };
  } catch (problem) {
    document.documentElement.dataset.ready = "true";
    if (/** @type {any} */ (problem).status === 401) return showSignIn(main, start);
    showNotice(/** @type {Error} */ (problem).message);
    window.setTimeout(start, 3000);
    return;
  }
  const { version, demo, name } = context.session;
  fill(
    /** @type {HTMLElement} */ (document.getElementById("foot")),
    `driftline ${version}`,
    demo && " · demonstration: a simulated newswire, a day per second",
    ` · signed in as ${name}`,
  );
  stream.start();
  await follow({ focus: false });
  document.documentElement.dataset.ready = "true";
}

prepare();
start();
