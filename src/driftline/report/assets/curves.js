"use strict";
// The curve of any word: the estimator of driftline.local.reading, with the same bandwidths and the same band.
(() => {
  const { gammaQuantile } = driftline;
  const nBandwidths = 12;
  const leastUnits = 3;
  const holeShare = 1 / 20;
  const tiny = 2.2250738585072014e-308;

  function nextAbove(x) {
    const value = new Float64Array([x]);
    const bits = new BigInt64Array(value.buffer);
    bits[0] += 1n;
    return value[0];
  }

  function median(values) {
    const sorted = Float64Array.from(values).sort();
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  const gapsOf = (distinct) => distinct.slice(1).map((time, i) => time - distinct[i]);
  const distinctOf = (times) => Float64Array.from(new Set(times)).sort();

  // The first place at which a sorted array is at least (or, strictly, above) a value.
  function firstPlace(sorted, value, above = false) {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < value || (above && sorted[middle] === value)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // The smallest window with three units at both ends and nearly everywhere, except in gaps.
  function drawable(distinct) {
    const n = distinct.length;
    if (n <= leastUnits) return nextAbove(distinct[n - 1] - distinct[0]);
    const gaps = gapsOf(distinct);
    const longest = Math.max((distinct[n - 1] - distinct[0]) * holeShare, median(gaps));
    const reaches = [];
    gaps.forEach((gap, i) => {
      if (gap > longest) return;
      const middle = distinct[i] + gap / 2;
      const after = firstPlace(distinct, middle);
      const near = new Set();
      for (let k = after - leastUnits; k < after + leastUnits; k++) near.add(Math.min(Math.max(k, 0), n - 1));
      const distances = [...near].map((k) => Math.abs(distinct[k] - middle)).sort((a, b) => a - b);
      reaches.push([distances.length < leastUnits ? Infinity : distances[leastUnits - 1], gap]);
    });
    reaches.sort((a, b) => a[0] - b[0]);
    const total = reaches.reduce((sum, [, gap]) => sum + gap, 0);
    let covered = 0;
    const [inside] = reaches.find(([, gap]) => (covered += gap) >= 0.95 * total);
    const atEnds = Math.max(distinct[leastUnits - 1] - distinct[0], distinct[n - 1] - distinct[n - leastUnits]);
    return nextAbove(Math.max(inside, Math.min(atEnds, 2 * inside)));
  }

  function bandwidths(times, atLeast = 0) {
    const distinct = distinctOf(times);
    const n = distinct.length;
    if (n < 2) return [Infinity];
    const span = distinct[n - 1] - distinct[0];
    const narrowest = Math.max(2 * median(gapsOf(distinct)), span / 60, drawable(distinct), atLeast);
    const widest = span / 5;
    if (narrowest >= widest) return [narrowest];
    const step = Math.log(widest / narrowest) / (nBandwidths - 1);
    const inner = Array.from({ length: nBandwidths - 2 }, (unused, i) => narrowest * Math.exp(step * (i + 1)));
    return [narrowest, ...inner, widest];
  }

  // The bandwidth for events of a few units; the curve is interrupted where there are few.
  function eventBandwidth(times, atLeast = 0) {
    const distinct = distinctOf(times);
    const n = distinct.length;
    if (n < 2) return Infinity;
    return Math.max(3 * median(gapsOf(distinct)), (distinct[n - 1] - distinct[0]) / 60, atLeast);
  }

  // The number of documents in a window below which no share is drawn: few, and few for this stream.
  function thinBelow(atUnits, totals) {
    const order = Array.from(atUnits.keys()).sort((a, b) => atUnits[a] - atUnits[b]);
    const half = totals.reduce((sum, n) => sum + n, 0) / 2;
    let passed = 0;
    for (const u of order) {
      passed += totals[u];
      if (passed >= half) return half > 0 ? Math.min(20, atUnits[u] / 20) : 0;
    }
    return 0;
  }

  function holesOf(distinct) {
    if (distinct.length < 3) return [];
    const gaps = gapsOf(distinct);
    const longest = Math.max(holeShare * (distinct[distinct.length - 1] - distinct[0]), 20 * median(gaps));
    return [...gaps].flatMap((gap, i) => (gap > longest ? [[distinct[i], distinct[i + 1]]] : []));
  }

  function drawn(times, at, bandwidth) {
    const distinct = distinctOf(times);
    const holes = holesOf(distinct);
    return Array.from(at, (time) => {
      const inside = firstPlace(distinct, time + bandwidth) - firstPlace(distinct, time - bandwidth, true);
      return inside >= Math.min(leastUnits, distinct.length) && !holes.some(([start, end]) => time > start && time < end);
    });
  }

  // Σ K((t − τ) / h) c(τ) at every requested time, with the triangular kernel relative to its peak.
  function kernelSums(times, values, at, bandwidth) {
    const sums = new Float64Array(at.length);
    if (bandwidth === Infinity) return sums.fill(values.reduce((sum, value) => sum + value, 0));
    for (let i = 0; i < at.length; i++) {
      let sum = 0;
      for (let j = firstPlace(times, at[i] - bandwidth); j < times.length && times[j] < at[i] + bandwidth; j++) {
        if (values[j] !== 0) sum += (1 - Math.abs(at[i] - times[j]) / bandwidth) * values[j];
      }
      sums[i] = sum;
    }
    return sums;
  }

  // What is predicted for every unit without it: half a use at the overall share is the prior.
  function leftOutMeans(units, around, bandwidth) {
    const { times, counts, totals } = units;
    const all = totals.reduce((sum, n) => sum + n, 0);
    const share = Math.max(counts.reduce((sum, n) => sum + n, 0) / Math.max(all, 1), tiny);
    const near = kernelSums(times, counts, times, bandwidth);
    return near.map((sum, u) => ((Math.max(sum - counts[u], 0) + 0.5) / (Math.max(around[u] - totals[u], 0) + 0.5 / share)) * totals[u]);
  }

  function scoreOf(units, around, bandwidth) {
    const means = leftOutMeans(units, around, bandwidth);
    return means.reduce((sum, mean, u) => sum + (units.counts[u] ? units.counts[u] * Math.log(mean) : 0) - mean, 0);
  }

  // Units without documents of the selection contribute nothing; what depends on the totals alone is reused for every word.
  class Windows {
    constructor(times, totals) {
      this.times = times;
      this.totals = totals;
      this.known = new Map();
    }

    around(bandwidth) {
      if (!this.known.has(bandwidth)) this.known.set(bandwidth, kernelSums(this.times, this.totals, this.times, bandwidth));
      return this.known.get(bandwidth);
    }
  }

  function chosenBandwidth(units, windows, candidates) {
    let best = candidates[0];
    let highest = -Infinity;
    for (const bandwidth of candidates) {
      const score = candidates.length > 1 ? scoreOf(units, windows.around(bandwidth), bandwidth) : 0;
      if (score >= highest) [best, highest] = [bandwidth, score]; // of equal ones the widest
    }
    return best;
  }

  function dispersion(units, means, at, bandwidth) {
    const squares = means.map((mean, u) => (units.counts[u] - mean) ** 2);
    const order = Array.from(squares.keys()).sort((a, b) => squares[b] - squares[a]);
    const usual = squares.length <= 6 ? order : order.slice(3);
    let above = 0;
    let below = 0;
    for (const u of usual) {
      above += squares[u];
      below += means[u];
    }
    const overall = above / Math.max(below, tiny);
    const nearSquares = kernelSums(units.times, squares, at, 3 * bandwidth);
    const nearMeans = kernelSums(units.times, means, at, 3 * bandwidth);
    return nearSquares.map((sum, i) => Math.max((sum + 2 * overall) / (nearMeans[i] + 2), 1));
  }

  function weightsAt(times, time, bandwidth) {
    if (bandwidth === Infinity) return new Float64Array(times.length).fill(1);
    return Float64Array.from(times, (t) => Math.max(1 - Math.abs(time - t) / bandwidth, 0));
  }

  // The share of documents with the word at the times `at`, between the ends of its band; NaN where too little is known.
  function readingCurve(units, at, { level = 0.95, bandwidth = null, atLeast = 0, narrow = false, windows = null } = {}) {
    const { times, counts, totals } = units;
    const known = windows || new Windows(times, totals);
    const candidates = bandwidth === null ? bandwidths(times, atLeast) : [bandwidth];
    const isEvent = narrow && candidates.length > 1;
    const width = isEvent ? Math.min(candidates[0], eventBandwidth(times, atLeast)) : chosenBandwidth(units, known, candidates);
    const local = dispersion(units, leftOutMeans(units, known.around(width), width), at, width);
    const shown = drawn(times, at, width);
    const fewest = thinBelow(known.around(width), totals);
    const tail = (1 - level) / 2;
    const value = [];
    const lower = [];
    const upper = [];
    at.forEach((time, i) => {
      const near = weightsAt(times, time, width);
      const wide = weightsAt(times, time, width * Math.SQRT2);
      let [nearAll, wideAll, nearWith, wideWith] = [0, 0, 0, 0];
      for (let u = 0; u < times.length; u++) {
        nearAll += near[u] * totals[u];
        wideAll += wide[u] * totals[u];
        nearWith += near[u] * counts[u];
        wideWith += wide[u] * counts[u];
      }
      if (!shown[i] || !(nearAll > 0) || nearAll < fewest) {
        for (const part of [value, lower, upper]) part.push(NaN);
        return;
      }
      let single = 0;
      for (let u = 0; u < times.length; u++) single += ((2 * near[u]) / nearAll - wide[u] / wideAll) ** 2 * totals[u];
      const estimate = Math.min(Math.max((2 * nearWith) / nearAll - wideWith / wideAll, 0), 1);
      const kappa = Math.max(local[i] * single, tiny);
      const shape = estimate / kappa + 0.5;
      value.push(estimate);
      lower.push(Math.min(kappa * gammaQuantile(shape, tail), estimate));
      upper.push(Math.min(Math.max(kappa * gammaQuantile(shape, 1 - tail), estimate), 1));
    });
    return { value, lower, upper, bandwidth: width };
  }

  Object.assign(driftline, { bandwidths, readingCurve, Windows });
})();
