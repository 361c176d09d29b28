// Health: latency, lag of sources, rejections, age of the model, disk, refit.
import { confirm } from "../parts/announce.js";
import { get, send } from "../parts/api.js";
import { button, element, fill, isolated } from "../parts/dom.js";
import { Figure } from "../parts/figure.js";
import { amount, count, duration, language, listed, percent, plural, size, time } from "../parts/format.js";
import { askFirst } from "../parts/help.js";
import { latency } from "../parts/latency.js";
import { spark } from "../parts/spark.js";
import { nothing, scrolling, table } from "../parts/table.js";

/** @typedef {import("../answers").Health} Health */

const every = 2000;

/** @param {Health["refit"]} refit */
function refitSentence({ state, reason, started, finished }) {
  if (started === null) return "No refit since the service started.";
  const why = reason ? ` Reason: ${reason}.` : "";
  if (finished === null) return `A refit is running since ${time(started)}: ${state}.${why}`;
  return `The last refit ${state === "failed" ? "failed" : "finished"} on ${time(finished)}, after ${duration(finished - started)}.${why}`;
}

const clock = () => Date.now() / 1000;

/** @param {HTMLElement} place @param {import("../main.js").Context} context */
function open(place, { session }) {
  const isAdmin = session.rights.includes("admin");
  const kicker = element("p", { class: "kicker" });
  const tiles = element("dl", { class: "tiles" });
  const sources = element("div", {});
  const rejections = element("div", {});
  const model = element("div", {});
  const score = new Figure({ title: "Likelihood of new documents", headings: ["Batch", "#Mean log-likelihood"], heading: "h3" });
  const refit = element("div", {});
  const storage = element("div", {});
  /** @param {string} id @param {string} title @param {...Node} children */
  const part = (id, title, ...children) =>
    element("section", { class: "panel", "aria-labelledby": id }, element("h2", { id }, title), ...children);
  place.append(
    element("div", { class: "head" }, element("h1", {}, "Health"), kicker, tiles),
    element(
      "div",
      { class: "columns" },
      part("sources-title", "Sources", sources),
      element("div", { class: "stack" }, part("rejections-title", "Rejections", rejections), part("storage-title", "Storage", storage)),
      part("model-title", "Model", model, score.element, refit),
    ),
  );
  let timer = 0;

  /** @param {[string, import("../parts/dom.js").Child][]} rows */
  const facts = (rows) =>
    element(
      "dl",
      { class: "facts" },
      rows.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
    );

  /** @param {Health} health */
  function showHead(health) {
    const page = latency();
    kicker.textContent = `Running for ${duration(clock() - health.started)}; ${amount(health.per_second)} documents per second.`;
    /** @param {number | null} seconds */
    const shown = (seconds) => (seconds === null ? "–" : duration(seconds));
    fill(
      tiles,
      [
        [shown(health.latency.p50), "arrival → sent, median"],
        [shown(health.latency.p95), "arrival → sent, 95 %"],
        [shown(page.p50), "arrival → painted here, median"],
        [shown(page.p95), "arrival → painted here, 95 %"],
        [count(health.readers), health.readers === 1 ? "page open" : "pages open"],
        [count(health.n_rejected), "records rejected"],
      ].map(([value, name]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))),
    );
  }

  /** @param {Health} health */
  function showSources(health) {
    if (!health.sources.length)
      return nothing(sources, "No source yet. POST documents to /api/documents, or start the service with --follow.");
    fill(
      sources,
      scrolling(
        "Table of sources",
        table(
          "Sources of documents",
          ["Source", "State", "#Lag", "#Last document", "#Taken", "#Repeated", "#Rejected"],
          health.sources.map((source) => [
            element(
              "span",
              {},
              isolated(source.name),
              !source.name.startsWith(source.kind) && element("small", { class: "quiet" }, ` ${source.kind}`),
            ),
            source.state,
            source.lag === null ? "–" : `${amount(source.lag)} ${source.unit}`,
            source.last === null ? "–" : time(source.last),
            count(source.taken),
            count(source.repeated),
            count(source.rejected),
          ]),
          { hidden: true, class: "cards" },
        ),
      ),
    );
  }

  /** @param {Health} health */
  function showRejections(health) {
    if (!health.rejections.length) return nothing(rejections, "No record has been rejected.");
    fill(
      rejections,
      element("p", { class: "sentence" }, `${plural(health.n_rejected, "record")} rejected; their text is not kept.`),
      scrolling(
        "Table of rejections",
        table(
          "Newest rejections",
          ["When", "Source", "Place", "Reason"],
          health.rejections
            .slice(0, 30)
            .map((each) => [time(each.time), isolated(each.source), isolated(each.place), isolated(each.reason)]),
          { hidden: true, class: "cards" },
        ),
      ),
    );
  }

  /** @param {Health} health */
  function showModel({ model: now }) {
    const inBand = now.score === null || now.band === null || (now.score >= now.band[0] && now.score <= now.band[1]);
    fill(
      model,
      facts([
        ["Model", now.fitted ? `${now.name}, version ${now.version}` : "not fitted yet: it needs 500 documents"],
        ["Fitted", now.fitted ? `${time(now.fitted)} (${duration(clock() - now.fitted)} ago)` : "–"],
        ["Documents learned", count(now.n_documents)],
        ["Words", count(now.n_words)],
        ["Languages", now.languages.length ? `${listed(now.languages.map(language))}; ${now.languages.length === 1 ? "its" : "their"} function words are not counted` : "–"],
        ["Unknown words", now.unknown === null ? "–" : percent(now.unknown)],
        ["Score", now.score === null ? "–" : `${amount(now.score)} per word${inBand ? "" : ", outside its band"}`],
      ]),
    );
    const known = now.scores.filter((value) => value !== null);
    score.element.hidden = known.length < 2;
    const low = Math.min(...known.map(Number));
    score.update(
      `Mean log-likelihood of a word before it is learned, last ${plural(now.scores.length, "batch", "batches")}${now.band ? `; expected between ${amount(now.band[0])} and ${amount(now.band[1])}` : ""}.`,
      () => now.scores.map((value, i) => [String(i + 1), value === null ? "–" : amount(value)]),
    );
    fill(
      score.plot,
      spark(
        now.scores.map((value) => (value === null ? null : value - low)),
        { width: 400, height: 60, class: "spark spark-wide" },
      ),
    );
  }

  /** @param {string} path @param {string} done */
  async function start(path, done) {
    try {
      await send("POST", path);
      confirm(done);
      await show();
    } catch (problem) {
      confirm(/** @type {Error} */ (problem).message);
    }
  }

  const startRefit = () => start("/api/refit", "The refit has started; the stream continues, and topics keep their names.");

  async function goBack() {
    if (
      await askFirst(
        "Return to the previous model?",
        "Topics return to their state before the last refit. The current model is kept as the previous one.",
        "Return",
      )
    )
      await start("/api/refit/back", "The previous model will be in use again as soon as it is up to date.");
  }

  /** @param {Health} health */
  function showRefit({ refit: now }) {
    const busy = now.state === "fitting" || now.state === "catching up";
    const state = `${now.state}${now.reason ? `: ${now.reason}` : ""}|${now.started}|${now.finished}|${now.can_go_back}`;
    if (refit.dataset.state === state) return;
    refit.dataset.state = state;
    fill(
      refit,
      element("h3", {}, "Refit"),
      element(
        "p",
        { class: "sentence" },
        refitSentence(now),
      ),
      isAdmin &&
        element(
          "p",
          { class: "actions" },
          button("Refit now", startRefit, { class: "small", disabled: busy }),
          button("Return to the previous model", goBack, { class: "small", disabled: busy || !now.can_go_back }),
        ),
    );
  }

  /** @param {Health} health */
  function showStorage(health) {
    // The disk of a database server is unknown here.
    const used = health.disk_total ? 1 - health.disk_free / health.disk_total : 0;
    fill(
      storage,
      facts([
        ["Store", isolated(health.store)],
        ["Size", `${size(health.store_bytes)}, log ${size(health.wal_bytes)}`],
        ["Disk", health.disk_total ? `${percent(used)} used, ${size(health.disk_free)} free` : "unknown"],
        ["Memory", size(health.memory)],
        ["Queue", `${size(health.queue_bytes)} of ${size(health.queue_limit)}`],
        ["Retention of texts", health.keep ?? "unlimited"],
        ["Waiting webhook messages", count(health.outbox)],
      ]),
      used > 0.9 &&
        element(
          "p",
          { class: "problem" },
          "▲ The disk is nearly full. Below 5 % free, documents are refused until there is space.",
        ),
    );
  }

  async function show() {
    clearTimeout(timer);
    try {
      const health = /** @type {Health} */ (await get("/api/health"));
      for (const each of [showHead, showSources, showRejections, showModel, showRefit, showStorage]) each(health);
    } finally {
      timer = window.setTimeout(again, every);
    }
  }

  function again() {
    const isPaused = document.getElementById("pause")?.getAttribute("aria-pressed") === "true";
    if (document.hidden || isPaused || place.contains(document.activeElement?.closest(".scroll") ?? null))
      timer = window.setTimeout(again, every);
    else show().catch(() => {});
  }

  return {
    show,
    close() {
      clearTimeout(timer);
      score.close();
    },
    keys: isAdmin ? [{ keys: "f", does: "Refit now", run: () => void startRefit() }] : [],
  };
}

export const health = { name: "health", title: "Health", key: "g h", open };
