"use strict";
// The words and documents of the page: unpacked once, when they are first needed.
(() => {
  const { byId } = driftline;

  async function inflated(id) {
    const packed = atob(byId(id).textContent.trim());
    const bytes = new Uint8Array(packed.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = packed.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  // A length, a header in JSON, then the parts that the header names.
  function parted(bytes) {
    const length = new DataView(bytes.buffer).getUint32(0, true);
    const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
    const parts = {};
    let start = 4 + length;
    for (const [name, size] of header.parts) {
      parts[name] = bytes.slice(start, start + size);
      start += size;
    }
    return { header, parts };
  }

  const floats = (bytes) => new Float64Array(bytes.buffer);

  // Seven bits per byte, the lowest first; the highest bit says that more follow.
  function numbers(bytes, n) {
    const found = new Float64Array(n);
    let place = 0;
    for (let i = 0; i < n; i++) {
      let value = 0;
      let scale = 1;
      let byte;
      do {
        byte = bytes[place++];
        value += (byte & 127) * scale;
        scale *= 128;
      } while (byte & 128);
      found[i] = value;
    }
    return found;
  }

  // Differences from the previous value: even codes are non-negative differences, odd codes negative ones.
  function cumulated(bytes, n) {
    const found = numbers(bytes, n);
    let value = 0;
    for (let i = 0; i < n; i++) {
      value += found[i] % 2 ? -(found[i] + 1) / 2 : found[i] / 2;
      found[i] = value;
    }
    return found;
  }

  function postingsOf(sizes, bytes) {
    const offsets = new Uint32Array(sizes.length + 1);
    sizes.forEach((size, i) => (offsets[i + 1] = offsets[i] + size));
    const steps = numbers(bytes, offsets[sizes.length]);
    const postings = new Uint32Array(steps.length);
    for (let word = 0; word < sizes.length; word++) {
      let item = -1;
      for (let k = offsets[word]; k < offsets[word + 1]; k++) {
        item += steps[k] + 1;
        postings[k] = item;
      }
    }
    return { offsets, postings };
  }

  const maximum = (values) => values.reduce((most, value) => Math.max(most, value), -1);

  async function unpackedWords() {
    const { header, parts } = parted(await inflated("index-words"));
    const { n_items: nItems, n_documents: nDocuments } = header;
    const sizes = numbers(parts.sizes, header.words.length);
    const group = (names, part) => (names ? { names, codes: numbers(part, nDocuments).map((code) => code - 1) } : null);
    const exchanged = Uint32Array.from(cumulated(parts.exchanged, nItems));
    return {
      ...header,
      ...postingsOf(sizes, parts.postings),
      numberOf: new Map(header.words.map((word, number) => [word, number])),
      when: floats(parts.when),
      unitTimes: floats(parts.unit_times),
      document: Uint32Array.from(cumulated(parts.document, nItems)),
      unit: Uint32Array.from(cumulated(parts.unit, nItems)),
      exchanged,
      nExchanged: maximum(exchanged) + 1,
      times: cumulated(parts.times, nDocuments),
      ...Object.fromEntries(driftline.kinds.map((kind) => [`${kind}s`, group(header[`${kind}s`], parts[`${kind}s`])])),
    };
  }

  async function unpackedTexts() {
    const { header, parts } = parted(await inflated("index-texts"));
    const lines = (part) => new TextDecoder().decode(part).split("\n");
    const [ids, texts] = [new Map(), new Map()];
    const [named, written] = [lines(parts.ids), lines(parts.texts)];
    (header.with_text || Array.from({ length: header.n }, (unused, i) => i)).forEach((document, i) => {
      ids.set(document, named[i]);
      texts.set(document, written[i]);
    });
    return { ids, texts };
  }

  function once(work) {
    let promise = null;
    return () => (promise = promise || work());
  }

  // The items of a selection, or null for all of them: a range of days, and the code of a label, an author, a source.
  function maskOf(index, { from = -Infinity, to = Infinity, ...codes } = {}) {
    const chosen = driftline.kinds.filter((kind) => codes[kind] !== undefined && codes[kind] !== -1);
    if (from === -Infinity && to === Infinity && chosen.length === 0) return null;
    const has = (row, kind) => index[`${kind}s`] !== null && index[`${kind}s`].codes[row] === codes[kind];
    const takes = Uint8Array.from(index.times, (seconds, row) => (seconds >= from && seconds < to && chosen.every((kind) => has(row, kind)) ? 1 : 0));
    return Uint8Array.from(index.document, (row) => takes[row]);
  }

  function totalsOf(index, mask) {
    const totals = new Float64Array(index.unitTimes.length);
    index.unit.forEach((u, item) => (totals[u] += mask === null || mask[item] ? 1 : 0));
    return totals;
  }

  function itemsWith(index, number, mask) {
    const items = index.postings.subarray(index.offsets[number], index.offsets[number + 1]);
    return mask === null ? items : items.filter((item) => mask[item]);
  }

  // The level of a cyclic word at every unit, relative to its mean; null for a word without a cycle.
  function cycleOf(index, number, times) {
    const found = index.cycles.filter((cycle) => cycle.word === number);
    if (!found.length) return null;
    const phase = (time, period) => (period === "week" ? (((Math.floor(time) + 3) % 7) + 7) % 7 : new Date(Math.floor(time) * 86400000).getUTCMonth());
    return {
      factors: times.map((time) => found.reduce((product, { period, profile }) => product * profile[phase(time, period)], 1)),
      atLeast: found.some(({ period }) => period === "week") ? 7 : 0,
    };
  }

  // The curve of a word among the items of a selection, as shares; `windows` are kept for words without a cycle.
  function wordCurve(index, number, mask, windows) {
    const counts = new Float64Array(index.unitTimes.length);
    for (const item of itemsWith(index, number, mask)) counts[index.unit[item]] += 1;
    const kept = [...windows.all.keys()].filter((u) => windows.all[u] > 0);
    const times = Float64Array.from(kept, (u) => index.unitTimes[u]);
    let totals = Float64Array.from(kept, (u) => windows.all[u]);
    const options = { bandwidth: index.bandwidth, windows: windows.known };
    const cycle = cycleOf(index, number, times);
    if (cycle) {
      totals = totals.map((n, u) => n * cycle.factors[u]);
      Object.assign(options, { atLeast: cycle.atLeast, windows: null });
    } else {
      options.narrow = index.events.includes(number);
    }
    return driftline.readingCurve({ times, counts: Float64Array.from(kept, (u) => counts[u]), totals }, index.when, options);
  }

  function windowsOf(index, mask) {
    const all = totalsOf(index, mask);
    const kept = [...all.keys()].filter((u) => all[u] > 0);
    const known = new driftline.Windows(Float64Array.from(kept, (u) => index.unitTimes[u]), Float64Array.from(kept, (u) => all[u]));
    return { all, known };
  }

  const words = once(unpackedWords);
  const texts = once(unpackedTexts);
  Object.assign(driftline, { words, texts, maskOf, itemsWith, windowsOf, wordCurve });
})();
