"use strict";
// Words that differ between two sets of documents: the estimator of driftline.local.compare_sets.
(() => {
  const { studentTails, studentQuantile } = driftline;

  // How many items of each side every unit has, and the factor that enlarges them as if the unit had been left out.
  function sidesOf(side, unitOf, nUnits) {
    const totals = [new Float64Array(nUnits), new Float64Array(nUnits)];
    side.forEach((which, item) => {
      if (which) totals[which - 1][unitOf[item]] += 1;
    });
    return totals.map((n) => {
      const all = n.reduce((sum, value) => sum + value, 0);
      const grow = n.map((value) => 1 / Math.max(1 - value / all, 1e-9) / all);
      return { n, all, grow, expected: n.map((value, u) => value * grow[u]), units: n.reduce((k, value) => k + (value > 0), 0) };
    });
  }

  function momentsOf(a, b, nUnits) {
    const powers = [[2, 0], [1, 1], [0, 2], [4, 0], [3, 1], [2, 2], [1, 3], [0, 4]];
    return powers.map(([i, j]) => {
      let sum = 0;
      for (let u = 0; u < nUnits; u++) sum += a.expected[u] ** i * b.expected[u] ** j;
      return sum;
    });
  }

  // The deviation of the documents with a word from the share π that is expected in A.
  function signedRoot(withA, withB, share) {
    const expected = (withA + withB) * share;
    const part = (seen, wanted) => (seen ? seen * Math.log(seen / wanted) : 0);
    const deviance = 2 * (part(withA, expected) + part(withB, withA + withB - expected));
    return Math.sign(withA - expected) * Math.sqrt(Math.max(deviance, 0));
  }

  // The smallest p-value of an exact permutation test: units of one set are reassigned, the parts of shared ones swapped.
  function smallestP(a, b, nUnits) {
    if (Math.min(a.units, b.units) < 2) return 1;
    let [onlyA, onlyB, both] = [0, 0, 0];
    for (let u = 0; u < nUnits; u++) {
      if (a.n[u] && b.n[u]) both += 1;
      else if (a.n[u]) onlyA += 1;
      else if (b.n[u]) onlyB += 1;
    }
    let logDeals = both * Math.log(2);
    for (let k = 1; k <= Math.min(onlyA, onlyB); k++) logDeals += Math.log((onlyA + onlyB - k + 1) / k);
    return Math.exp(Math.min((onlyA === onlyB ? Math.log(2) : 0) - logDeals, 0));
  }

  // Degrees of freedom that the set with the larger variance allows (Welch, Satterthwaite).
  function welchFreedom(varianceA, nA, varianceB, nB) {
    const free = (varianceA + varianceB) ** 2 / (varianceA ** 2 / Math.max(nA - 1, 1) + varianceB ** 2 / Math.max(nB - 1, 1));
    return Number.isNaN(free) ? Infinity : Math.max(free, 1);
  }

  // Dispersion and degrees of freedom of one word, from the units that have it.
  function spreadOf(countsA, countsB, touched, a, b, moments, taking) {
    let [withA, withB] = [0, 0];
    for (const u of touched) {
      withA += countsA[u];
      withB += countsB[u];
    }
    const [x, y] = [withA / a.all, withB / b.all];
    const [m20, m11, m02, m40, m31, m22, m13, m04] = moments;
    let squares = m20 * x ** 2 - 2 * m11 * x * y + m02 * y ** 2;
    let fourths = m40 * x ** 4 - 4 * m31 * x ** 3 * y + 6 * m22 * x ** 2 * y ** 2 - 4 * m13 * x * y ** 3 + m04 * y ** 4;
    let [ownA, ownB] = [m20 * x ** 2, m02 * y ** 2];
    for (const u of touched) {
      const [expectedA, expectedB] = [a.expected[u] * x, b.expected[u] * y];
      const expected = expectedA - expectedB;
      if (countsA[u]) ownA += (a.grow[u] * countsA[u] - expectedA) ** 2 - expectedA ** 2;
      if (countsB[u]) ownB += (b.grow[u] * countsB[u] - expectedB) ** 2 - expectedB ** 2;
      const part = a.grow[u] * countsA[u] - b.grow[u] * countsB[u] - expected;
      squares += part ** 2 - expected ** 2;
      fourths += part ** 4 - expected ** 4;
    }
    squares = Math.max(squares, 0);
    fourths = Math.max(fourths, 0);
    const free = 2 / Math.max(fourths / squares ** 2 - 1 / taking, 0);
    const welch = welchFreedom(Math.max(ownA, 0), a.units, Math.max(ownB, 0), b.units);
    const freedom = Math.min(Math.max(Number.isNaN(free) ? Infinity : free, 1), Math.max(taking - 1, 1), welch);
    return { withA, withB, dispersion: Math.max(squares / (x / a.all + y / b.all), 1), freedom };
  }

  function discoveryRates(words) {
    const order = [...words].sort((a, b) => b.p - a.p);
    let least = 1;
    order.forEach((word, i) => {
      least = Math.min(least, (word.p * words.length) / (words.length - i));
      word.q = least;
    });
  }

  // `side` is 1 for items of A, 2 for items of B and 0 for others.
  function compareSets(index, side, { fewest = 10, rate = 0.05 } = {}) {
    const unitOf = index.exchanged;
    const nUnits = index.nExchanged;
    const [a, b] = sidesOf(side, unitOf, nUnits);
    const smallest = smallestP(a, b, nUnits);
    const moments = momentsOf(a, b, nUnits);
    let taking = 0;
    for (let u = 0; u < nUnits; u++) taking += a.n[u] > 0 || b.n[u] > 0;
    const countsA = new Float64Array(nUnits);
    const countsB = new Float64Array(nUnits);
    const words = [];
    for (let number = 0; number < index.words.length; number++) {
      const touched = new Set();
      let found = 0;
      for (let k = index.offsets[number]; k < index.offsets[number + 1]; k++) {
        const item = index.postings[k];
        if (!side[item]) continue;
        const u = unitOf[item];
        (side[item] === 1 ? countsA : countsB)[u] += 1;
        touched.add(u);
        found += 1;
      }
      if (found >= fewest) {
        const word = spreadOf(countsA, countsB, touched, a, b, moments, taking);
        const root = signedRoot(word.withA, word.withB, a.all / (a.all + b.all));
        word.number = number;
        word.ratio = ((word.withA / a.all) * b.all) / word.withB;
        word.p = Math.max(studentTails(Math.abs(root) / Math.sqrt(word.dispersion), word.freedom), smallest);
        words.push(word);
      }
      for (const u of touched) countsA[u] = countsB[u] = 0;
    }
    discoveryRates(words);
    const nDiffering = words.reduce((n, word) => n + (word.q <= rate), 0);
    return { words, rate, nDiffering, nA: a.all, nB: b.all, smallest, units: [a.units, b.units] };
  }

  // The share π at which the deviation is as large as `reach`, on one side of the estimate, by bisection.
  function endOf(word, reach, side) {
    let near = word.withA / (word.withA + word.withB);
    let far = side;
    if ((side ? word.withB : word.withA) === 0) return far;
    for (let step = 0; step < 60; step++) {
      const middle = (near + far) / 2;
      if (Math.abs(signedRoot(word.withA, word.withB, middle)) > reach) far = middle;
      else near = middle;
    }
    return (near + far) / 2;
  }

  function intervalOf(word, found, level = 0.95) {
    if (found.smallest > 1 - level) return [0, Infinity];
    const reach = studentQuantile(level, word.freedom) * Math.sqrt(word.dispersion);
    const ratio = (share) => ((share / (1 - share)) * found.nB) / found.nA;
    return [ratio(endOf(word, reach, 0)), ratio(endOf(word, reach, 1))];
  }

  Object.assign(driftline, { compareSets, intervalOf });
})();
