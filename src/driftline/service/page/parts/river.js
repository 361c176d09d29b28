// The river of topics: each topic is a ribbon whose nested widths are the upper limit, the value and the lower limit of
// its share. Time runs to the right; "now" is at the right edge, and the ribbons move to the left as documents arrive.
import { element, fill, isolated } from "./dom.js";
import { hashOf } from "./address.js";
import { percent } from "./format.js";
import { mayMove } from "./settings.js";
import { colours, faint, topicClass, topicColour, whenRecoloured } from "./theme.js";
import { axisTicks } from "./ticks.js";

/** @typedef {import("../answers").TopicCurve} TopicCurve */
/** @typedef {import("./periods.js").Periods} Periods */

const mostRibbons = 9;
const axisHeight = 22;
const settle = 350;
const frame = 1000 / 30;

export class RiverPicture {
  /** @param {HTMLElement} place @param {{ height?: number, onDrag?: (periods: number) => void, onDrop?: () => void }} [how] */
  constructor(place, { height = 340, onDrag, onDrop } = {}) {
    this.place = place;
    this.height = height;
    this.canvas = element("canvas", { class: "river-canvas" });
    this.names = element("ul", { class: "river-names" });
    this.frame = element("div", { class: "river-frame" });
    place.replaceWith(this.frame);
    place.append(this.canvas);
    this.frame.append(place, this.names);
    this.head = NaN;
    this.drawnAt = 0;
    this.asked = 0;
    /** @type {Periods | null} */
    this.periods = null;
    /** @type {number[]} */
    this.shown = [];
    this.observer = new ResizeObserver(() => this.ask());
    this.observer.observe(place);
    this.forget = whenRecoloured(() => this.ask());
    if (onDrag) this.#dragging(onDrag, onDrop ?? (() => {}));
  }

  /** @param {Periods} periods @param {{ jump?: boolean }} [how] */
  draw(periods, { jump = false } = {}) {
    this.periods = periods;
    if (jump || !mayMove() || Number.isNaN(this.head)) this.head = periods.end;
    this.shown = chosen(periods.river.topics);
    this.ask();
  }

  ask() {
    if (!this.asked) this.asked = requestAnimationFrame((now) => this.#paint(now));
  }

  /** @param {number} now */
  #paint(now) {
    this.asked = 0;
    const periods = this.periods;
    if (!periods || !this.place.clientWidth) return;
    if (now - this.drawnAt < frame && this.head !== periods.end) return this.ask();
    const passed = Math.min(200, now - this.drawnAt);
    this.drawnAt = now;
    const left = periods.end - this.head;
    this.head =
      Math.abs(left) < 0.01 * periods.length || Math.abs(left) > 40 * periods.length
        ? periods.end
        : this.head + left * (1 - Math.exp(-passed / settle));
    this.#ribbons(periods);
    if (this.head !== periods.end) this.ask();
  }

  /** @param {Periods} periods */
  #ribbons(periods) {
    const width = this.place.clientWidth;
    const ratio = devicePixelRatio || 1;
    const pixels = [Math.round(width * ratio), Math.round(this.height * ratio)];
    if (this.canvas.width !== pixels[0] || this.canvas.height !== pixels[1]) {
      [this.canvas.width, this.canvas.height] = pixels;
      this.canvas.style.height = `${this.height}px`;
    }
    const pen = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, this.height);
    const { times } = periods.river;
    const n = times.length;
    if (!n) return;
    const seen = Math.max(2, Math.min(n, periods.span)) * periods.length;
    /** @param {number} time */
    const x = (time) => width - ((this.head - time) / seen) * width;
    this.#axis(pen, width, seen, x, periods.length);
    const topics = this.shown.map((place) => periods.drawn(periods.river.topics[place]));
    const whole = this.height - axisHeight - 8;
    const gap = 3;
    const totals = times.map((_, i) => topics.reduce((sum, topic) => sum + Number(topic.high[i] ?? 0), 0));
    const scale = (whole - gap * topics.length) / Math.max(...totals, 1e-9);
    const tops = times.map((_, i) => (whole - gap * topics.length - scale * totals[i]) / 2 + 4);
    const xs = [x(times[0]), ...times.map((time) => x(time + periods.length / 2)), x(periods.end)];
    const labels = topics.map((topic) => {
      /** @type {number[]} */
      const middles = [];
      times.forEach((_, i) => {
        const breadth = scale * Number(topic.high[i] ?? 0);
        middles.push(tops[i] + breadth / 2);
        tops[i] += breadth + gap;
      });
      const colour = topicColour(topic.colour);
      for (const [values, opacity] of /** @type {[(number | null)[], number][]} */ ([
        [topic.high, 0.3],
        [topic.values, 0.45],
        [topic.low, 0.85],
      ])) {
        ribbon(
          pen,
          xs,
          middles,
          values.map((value) => (scale * Number(value ?? 0)) / 2),
        );
        pen.fillStyle = faint(colour, opacity);
        pen.fill();
      }
      return { topic, y: middles[middles.length - 1] };
    });
    this.#label(labels, periods.newest);
  }

  /** @param {CanvasRenderingContext2D} pen @param {number} width @param {number} seen @param {(time: number) => number} x @param {number} length */
  #axis(pen, width, seen, x, length) {
    const { muted, line } = colours();
    pen.font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
    pen.textAlign = "center";
    for (const { time, text } of axisTicks(this.head - seen, this.head, Math.max(2, Math.floor(width / 110)), length)) {
      const at = Math.round(x(time)) + 0.5;
      pen.fillStyle = line;
      pen.fillRect(at, 0, 1, this.height - axisHeight + 2);
      pen.fillStyle = muted;
      const half = pen.measureText(text).width / 2;
      pen.fillText(text, Math.min(width - half, Math.max(half, at)), this.height - 6);
    }
  }

  /** Place the names, which are links, at the right edge of their ribbons. @param {{ topic: TopicCurve, y: number }[]} labels @param {number} newest */
  #label(labels, newest) {
    const known = labels.map(({ topic }) => `${topic.id} ${topic.name}`).join("|");
    if (this.names.dataset.known !== known) {
      this.names.dataset.known = known;
      fill(
        this.names,
        labels.map(({ topic }) =>
          element(
            "li",
            {},
            element(
              "a",
              { href: hashOf("topic", { id: topic.id }), class: topicClass(topic.colour) },
              isolated(topic.name),
              " ",
              element("small", {}),
            ),
          ),
        ),
      );
    }
    const placed = spread(
      labels.map(({ y }) => y),
      26,
      this.height - axisHeight,
    );
    [...this.names.children].forEach((item, i) => {
      item.style.setProperty("top", `${placed[i]}px`);
      const share = labels[i].topic.values[newest] ?? 0;
      const text = percent(share);
      const small = item.querySelector("small");
      if (small && small.textContent !== text) small.textContent = text;
    });
  }

  /** @param {(periods: number) => void} onDrag @param {() => void} onDrop */
  #dragging(onDrag, onDrop) {
    let from = NaN;
    this.canvas.addEventListener("pointerdown", (/** @type {PointerEvent} */ event) => {
      from = event.clientX;
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (/** @type {PointerEvent} */ event) => {
      const periods = this.periods;
      if (Number.isNaN(from) || !periods) return;
      const step = this.place.clientWidth / Math.max(2, Math.min(periods.river.times.length, periods.span));
      const whole = Math.trunc((event.clientX - from) / step);
      if (!whole) return;
      from += whole * step;
      onDrag(-whole);
    });
    for (const type of ["pointerup", "pointercancel"]) {
      this.canvas.addEventListener(type, () => {
        if (!Number.isNaN(from)) onDrop();
        from = NaN;
      });
    }
  }

  close() {
    cancelAnimationFrame(this.asked);
    this.observer.disconnect();
    this.forget();
  }
}

/** Return the indices of the topics with the largest shares, in order of ids, so that ribbons keep their order. @param {TopicCurve[]} topics */
function chosen(topics) {
  const size = topics.map(({ values }) =>
    values.reduce((/** @type {number} */ sum, value, i) => sum + Number(value ?? 0) * (i + values.length), 0),
  );
  const largest = topics
    .map((_, i) => i)
    .sort((a, b) => size[b] - size[a])
    .slice(0, mostRibbons);
  return largest.sort((a, b) => topics[a].id - topics[b].id);
}

/** Trace a closed outline around the middles, with the given half widths. @param {CanvasRenderingContext2D} pen @param {number[]} xs @param {number[]} middles @param {number[]} halves */
function ribbon(pen, xs, middles, halves) {
  const ends = (/** @type {number[]} */ values) => [values[0], ...values, values[values.length - 1]];
  pen.beginPath();
  pen.moveTo(xs[0], middles[0] - halves[0]);
  curve(pen, xs, ends(middles.map((middle, i) => middle - halves[i])), 1);
  curve(pen, xs, ends(middles.map((middle, i) => middle + halves[i])), -1);
  pen.closePath();
}

/** @param {CanvasRenderingContext2D} pen @param {number[]} xs @param {number[]} ys @param {1 | -1} direction */
function curve(pen, xs, ys, direction) {
  const n = ys.length;
  const start = direction > 0 ? 0 : n - 1;
  pen.lineTo(xs[start], ys[start]);
  for (let k = 1; k < n; k += 1) {
    const [a, b] = direction > 0 ? [k - 1, k] : [n - k, n - k - 1];
    const middle = (xs[a] + xs[b]) / 2;
    pen.bezierCurveTo(middle, ys[a], middle, ys[b], xs[b], ys[b]);
  }
}

/** Move positions apart so that lines of text do not overlap. @param {number[]} places in ascending order @param {number} distance @param {number} bottom */
export function spread(places, distance, bottom) {
  const found = [...places];
  for (let i = 1; i < found.length; i += 1) found[i] = Math.max(found[i], found[i - 1] + distance);
  let limit = bottom - distance / 2;
  for (let i = found.length - 1; i >= 0; i -= 1) {
    found[i] = Math.min(found[i], limit);
    limit = found[i] - distance;
  }
  return found;
}
