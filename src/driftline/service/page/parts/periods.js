// The shares of topics over time: the answer of the service, updated by later periods.

/** @typedef {import("../answers").River} River */
/** @typedef {import("../answers").TopicCurve} TopicCurve */
/** @typedef {import("../answers").PeriodDelta} PeriodDelta */
/** @typedef {{ value: number | null, low: number | null, high: number | null }} Share */

export const lengthOf = { hour: 3600, day: 86_400, month: 30 * 86_400 };
const mostPeriods = 600;
const z = 1.6448536;

/** Compute a share of n documents with Wilson's interval of 90 %, as the service does. @param {number} sum @param {number} n @returns {Share} */
export function wilson(sum, n) {
  if (!(n > 0)) return { value: null, low: null, high: null };
  const value = Math.min(1, Math.max(0, sum / n));
  const middle = (value + z ** 2 / (2 * n)) / (1 + z ** 2 / n);
  const half = (z / (1 + z ** 2 / n)) * Math.sqrt((value * (1 - value)) / n + z ** 2 / (4 * n ** 2));
  return { value, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

/** Leave out the periods before the first document. @param {River} river @returns {River} */
function withoutStart(river) {
  const first = Math.max(
    0,
    river.n_documents.findIndex((n) => n > 0),
  );
  /** @template T @param {T[]} list */
  const rest = (list) => list.slice(first);
  const topics = river.topics.map((topic) => ({
    ...topic,
    values: rest(topic.values),
    low: rest(topic.low),
    high: rest(topic.high),
  }));
  return { ...river, times: rest(river.times), n_documents: rest(river.n_documents), topics };
}

/**
 * Return a curve for drawing: documents of the previous period are added to the last, incomplete one until both have the
 * same number. Otherwise the first documents of a period would be drawn as a share of 0 or 1.
 * @template {import("../answers").Band} Curve
 * @param {Curve} curve
 * @param {number[]} n documents per period
 * @returns {Curve}
 */
export function completed(curve, n) {
  const last = n.length - 1;
  const added = last > 0 ? Math.max(0, n[last - 1] - n[last]) : 0;
  if (!added || curve.values[last - 1] === null) return curve;
  const { value, low, high } = wilson(
    Number(curve.values[last] ?? 0) * n[last] + Number(curve.values[last - 1]) * added,
    n[last] + added,
  );
  return {
    ...curve,
    values: [...curve.values.slice(0, -1), value],
    low: [...curve.low.slice(0, -1), low],
    high: [...curve.high.slice(0, -1), high],
  };
}

export class Periods {
  /** @param {River} river */
  constructor(river) {
    this.river = withoutStart(river);
    this.length = lengthOf[river.level];
    this.span = Math.max(1, this.river.times.length);
    this.most = Math.min(mostPeriods, Math.max(60, river.times.length));
  }

  /** The index of the newest period with enough documents, −1 if there is none. */
  get newest() {
    const { n_documents: n } = this.river;
    const last = n.length - 1;
    return last > 0 && n[last] < 0.5 * n[last - 1] ? last - 1 : last;
  }

  /** The end of the newest period. */
  get end() {
    const { times } = this.river;
    return times.length ? times[times.length - 1] + this.length : 0;
  }

  /** Return a topic for drawing. @param {TopicCurve} topic */
  drawn(topic) {
    return completed(topic, this.river.n_documents);
  }

  /** Return whether periods cannot be applied: they have another length, or unknown topics. @param {PeriodDelta[]} periods */
  isBehind(periods) {
    const known = new Set(this.river.topics.map(({ id }) => String(id)));
    return (
      periods.length > 0 &&
      !periods.some(({ level, sums }) => level === this.river.level && Object.keys(sums).every((id) => known.has(id)))
    );
  }

  /** Apply changed periods, which replace those with the same start. @param {PeriodDelta[]} periods */
  take(periods) {
    for (const period of periods) if (period.level === this.river.level) this.#put(period);
  }

  /** @param {PeriodDelta} period */
  #put({ start, n, sums }) {
    const { times, n_documents: counts, topics } = this.river;
    let place = times.length;
    while (place > 0 && times[place - 1] > start) place -= 1;
    const isNew = place === 0 || times[place - 1] !== start;
    if (isNew && place === 0 && times.length) return;
    if (isNew) times.splice(place, 0, start);
    else place -= 1;
    counts.splice(place, isNew ? 0 : 1, n);
    for (const topic of topics) {
      const { value, low, high } = wilson(sums[topic.id] ?? 0, n);
      topic.values.splice(place, isNew ? 0 : 1, value);
      topic.low.splice(place, isNew ? 0 : 1, low);
      topic.high.splice(place, isNew ? 0 : 1, high);
    }
    this.span = Math.min(this.most, times.length);
    const surplus = times.length - this.most;
    if (surplus > 0)
      for (const list of [times, counts, ...topics.flatMap(({ values, low, high }) => [values, low, high])])
        list.splice(0, surplus);
  }
}
