// Updates of the service: one connection per browser for all tabs; hidden tabs disconnect.
//
// A browser opens at most six connections to a server under HTTP/1.1. Visible tabs compete for a lock; the tab with the
// lock has the connection and broadcasts each event to the others. When it is hidden or closed, another visible tab gets
// the lock. Where locks are not available (a page that is neither local nor encrypted), each tab connects.

const channelName = "driftline-events";
const lockName = "driftline-stream";
const longestWait = 15_000;

/** @typedef {{ type: string, data: any, id: string }} Update */
/** @typedef {"connecting" | "live" | "offline"} State */

export class Stream {
  /** @param {string} path @param {string[]} types the names of the events to pass on */
  constructor(path, types) {
    this.path = path;
    this.types = types;
    /** @type {Set<(update: Update) => void>} */
    this.listeners = new Set();
    /** @type {Set<(state: State) => void>} */
    this.watchers = new Set();
    /** @type {State} */
    this.state = "connecting";
    this.lastId = "";
    this.interrupted = false;
    this.wait = 500;
    /** @type {EventSource | null} */
    this.source = null;
    /** @type {(() => void) | null} */
    this.release = null;
    /** @type {AbortController | null} */
    this.queued = null;
    this.channel = "BroadcastChannel" in window ? new BroadcastChannel(channelName) : null;
    this.channel?.addEventListener("message", ({ data }) => this.#fromOtherTab(data));
    document.addEventListener("visibilitychange", () => (document.hidden ? this.stop() : this.start()));
    window.addEventListener("offline", () => this.#lost());
    window.addEventListener("online", () => this.leads && this.#connect());
    window.addEventListener("pagehide", () => this.stop());
  }

  get leads() {
    return this.release !== null;
  }

  start() {
    if (document.hidden || this.queued || this.leads) return;
    if (!("locks" in navigator) || !this.channel) {
      this.release = () => {};
      this.#connect();
      return;
    }
    const queued = new AbortController();
    this.queued = queued;
    navigator.locks
      .request(
        lockName,
        { signal: queued.signal },
        () =>
          new Promise((release) => {
            this.queued = null;
            this.release = () => release(undefined);
            this.#connect();
          }),
      )
      .catch(() => {});
    this.channel.postMessage({ kind: "state?" });
  }

  stop() {
    this.queued?.abort();
    this.queued = null;
    this.#disconnect();
    this.release?.();
    this.release = null;
    this.interrupted = true;
  }

  #disconnect() {
    this.source?.close();
    this.source = null;
    clearTimeout(this.timer);
  }

  #connect() {
    this.#disconnect();
    const after = this.lastId ? `?after=${encodeURIComponent(this.lastId)}` : "";
    const source = new EventSource(this.path + after);
    this.source = source;
    source.addEventListener("open", () => {
      this.wait = 500;
      this.#setState("live");
    });
    source.addEventListener("error", () => this.#retry());
    for (const type of this.types) {
      source.addEventListener(type, (event) => {
        const { data, lastEventId } = /** @type {MessageEvent} */ (event);
        this.#deliver({ type, data: parsed(data), id: lastEventId });
      });
    }
  }

  #retry() {
    this.#lost();
    this.timer = window.setTimeout(() => this.leads && this.#connect(), this.wait);
    this.wait = Math.min(longestWait, 2 * this.wait);
  }

  #lost() {
    this.#disconnect();
    this.interrupted = true;
    this.#setState("offline");
  }

  /** @param {State} state */
  #setState(state, shared = true) {
    if (shared && this.leads) this.channel?.postMessage({ kind: "state", state });
    const missed = state === "live" && this.interrupted;
    this.state = state;
    if (state === "live") this.interrupted = false;
    for (const watcher of [...this.watchers]) watcher(state);
    if (missed) this.#pass({ type: "gap", data: { reason: "the connection was interrupted" }, id: "" });
  }

  /** @param {Update} update */
  #deliver(update) {
    this.channel?.postMessage({ kind: "update", update });
    this.#pass(update);
    if (update.type === "bye") this.#retry();
  }

  /** @param {Update} update */
  #pass(update) {
    if (update.id) this.lastId = update.id;
    for (const listener of [...this.listeners]) listener(update);
  }

  /** @param {any} message */
  #fromOtherTab(message) {
    if (message.kind === "state?" && this.leads) this.channel?.postMessage({ kind: "state", state: this.state });
    if (this.leads || document.hidden) return;
    if (message.kind === "update") this.#pass(message.update);
    if (message.kind === "state") this.#setState(message.state, false);
  }
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
