// Curves with bands over time, by uPlot, in the colours of the theme.
import { element, fill } from "./dom.js";
import { amount, clock, date, dayOf, month, period } from "./format.js";
import { colours, faint, whenRecoloured } from "./theme.js";

/** @typedef {(number | null)[]} Values */
/** @typedef {{ name: string, colour: string, values: Values, low?: Values, high?: Values, dash?: number[], marks?: [number, number][] }} Curve */
/** @typedef {{ times: number[], curves: Curve[], length: number }} Content */

const uPlot = /** @type {any} */ (window).uPlot;
const day = 86_400;
// Without steps of 2.5 units, whose labels would be rounded.
const steps = Array.from({ length: 16 }, (_, k) => [1, 2, 5].map((n) => Number(`${n}e${k - 6}`))).flat();
const font = '12px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

/** @param {any} _plot @param {number[]} splits @param {number} _axis @param {number} _space @param {number} step */
const timeLabels = (_plot, splits, _axis, _space, step) =>
  splits.map((at, i) => {
    if (step >= 300 * day) return String(new Date(1000 * at).getUTCFullYear());
    if (step >= 27 * day)
      return i
        ? month(at).slice(0, 3) + (new Date(1000 * at).getUTCMonth() ? "" : ` ${new Date(1000 * at).getUTCFullYear()}`)
        : month(at);
    if (step >= day) return i ? dayOf(at) : date(at);
    return at % day === 0 || !i ? `${dayOf(at)} ${at % day ? clock(at) : ""}`.trim() : clock(at);
  });

export class Lines {
  /**
   * @param {HTMLElement} place
   * @param {{ height?: number, unit?: (value: number) => string, fromZero?: boolean, readout?: HTMLElement }} [how]
   */
  constructor(place, { height = 260, unit = amount, fromZero = true, readout } = {}) {
    this.place = place;
    this.height = height;
    this.unit = unit;
    this.fromZero = fromZero;
    this.readout = readout ?? element("p", { class: "readout", "aria-hidden": "true" });
    if (!readout) place.after(this.readout);
    /** @type {Content | null} */
    this.content = null;
    this.shape = "";
    /** @type {any} */
    this.plot = null;
    this.observer = new ResizeObserver(() => this.#fit());
    this.observer.observe(place);
    this.forget = whenRecoloured(() => this.#rebuild());
  }

  /** @param {Content} content */
  draw(content) {
    this.content = content;
    const shape = content.curves.map(({ name, colour, dash, low }) => `${name}|${colour}|${dash}|${Boolean(low)}`).join("\n");
    if (!this.plot || shape !== this.shape) return this.#rebuild(shape);
    this.plot.setData(dataOf(content));
  }

  #fit() {
    const width = this.place.clientWidth;
    if (!width) return;
    if (!this.plot && this.content) this.#rebuild();
    else if (this.plot && this.plot.width !== width) this.plot.setSize({ width, height: this.height });
  }

  #rebuild(shape = this.shape) {
    this.plot?.destroy();
    this.plot = null;
    this.shape = shape;
    if (!this.content || !this.place.clientWidth) return;
    this.plot = new uPlot(this.#options(this.content), dataOf(this.content), this.place);
  }

  /** @param {Content} content */
  #options({ curves }) {
    const { muted, line, rule } = colours();
    const axis = { stroke: muted, font, grid: { stroke: line, width: 1 }, ticks: { show: false } };
    return {
      width: this.place.clientWidth,
      height: this.height,
      legend: { show: false },
      padding: [12, 44, 0, 0],
      tzDate: (/** @type {number} */ at) => uPlot.tzDate(new Date(1000 * at), "Etc/UTC"),
      cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
      scales: {
        y: { range: (/** @type {any} */ _u, /** @type {number} */ low, /** @type {number} */ high) => this.#range(low, high) },
      },
      axes: [
        { ...axis, grid: { show: false }, border: { show: true, stroke: rule }, values: timeLabels, space: 90, size: 34 },
        {
          ...axis,
          incrs: steps,
          values: (/** @type {any} */ _u, /** @type {number[]} */ splits) => splits.map(this.unit),
          size: 58,
        },
      ],
      series: [
        {},
        ...curves.flatMap((curve) => [
          { stroke: curve.colour, width: 2, dash: curve.dash, points: { show: false }, spanGaps: false },
          ...(curve.low ? [hidden, hidden] : []),
        ]),
      ],
      bands: bandsOf(curves),
      hooks: {
        draw: [(/** @type {any} */ plot) => this.#drawMarks(plot)],
        setCursor: [(/** @type {any} */ plot) => this.#read(plot.cursor.idx)],
      },
    };
  }

  /** @param {number | null} low @param {number | null} high */
  #range(low, high) {
    if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
    const bottom = this.fromZero ? Math.min(0, low) : low - 0.06 * (high - low || 1);
    return [bottom, high + 0.06 * (high - bottom || 1)];
  }

  /** Draw bursts as bars at the bottom, as in the report. @param {any} plot */
  #drawMarks(plot) {
    const { ctx, bbox } = plot;
    const ratio = devicePixelRatio;
    this.content?.curves.forEach(({ marks = [], colour }, i) => {
      const y = bbox.top + bbox.height - (4 + 6 * i) * ratio;
      ctx.save();
      ctx.fillStyle = this.content?.curves.length === 1 ? colours().orange : colour;
      for (const [start, end] of marks) {
        const from = Math.max(bbox.left, plot.valToPos(start, "x", true));
        const to = Math.min(bbox.left + bbox.width, plot.valToPos(end, "x", true));
        if (to >= from) ctx.fillRect(from, y, Math.max(3 * ratio, to - from), 4 * ratio);
      }
      ctx.restore();
    });
  }

  /** @param {number | null | undefined} i */
  #read(i) {
    if (!this.content || i === null || i === undefined) return fill(this.readout, "\u00a0");
    const { times, curves, length } = this.content;
    const parts = curves
      .filter(({ values }) => values[i] !== null && values[i] !== undefined)
      .map(({ name, values, low, high }) => {
        const band = low && high ? ` (${this.unit(Number(low[i]))}–${this.unit(Number(high[i]))})` : "";
        return `${name}: ${this.unit(Number(values[i]))}${band}`;
      });
    fill(this.readout, `${period(times[i], length)} · ${parts.join(" · ")}`);
  }

  close() {
    this.observer.disconnect();
    this.forget();
    this.plot?.destroy();
    this.plot = null;
  }
}

const hidden = { stroke: "transparent", width: 0, points: { show: false } };

/** @param {Content} content */
const dataOf = ({ times, curves }) => [
  times,
  ...curves.flatMap(({ values, low, high }) => (low ? [values, low, high] : [values])),
];

/** @param {Curve[]} curves */
function bandsOf(curves) {
  const bands = [];
  let place = 1;
  for (const { colour, low } of curves) {
    if (low) bands.push({ series: [place + 2, place + 1], fill: faint(colour, 0.18) });
    place += low ? 3 : 1;
  }
  return bands;
}
