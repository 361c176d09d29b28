"use strict";
// The gamma and Student distributions, as far as bands and comparisons need them.
(() => {
  const lanczos = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
    12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ];

  function logGamma(x) {
    if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
    const y = x - 1;
    const t = y + 7.5;
    let sum = lanczos[0];
    for (let i = 1; i < 9; i++) sum += lanczos[i] / (y + i);
    return 0.5 * Math.log(2 * Math.PI) + (y + 0.5) * Math.log(t) - t + Math.log(sum);
  }

  // Regularised lower incomplete gamma function: a series below a + 1, a continued fraction above.
  function gammaShare(a, x) {
    if (x <= 0) return 0;
    const scale = Math.exp(a * Math.log(x) - x - logGamma(a));
    if (x < a + 1) {
      let term = 1 / a;
      let sum = term;
      for (let n = 1; n < 100000 && term > sum * 1e-17; n++) {
        term *= x / (a + n);
        sum += term;
      }
      return sum * scale;
    }
    let b = x + 1 - a;
    let c = 1e300;
    let d = 1 / b;
    let fraction = d;
    for (let n = 1; n < 100000; n++) {
      const step = -n * (n - a);
      b += 2;
      d = 1 / (step * d + b || 1e-300);
      c = b + step / c || 1e-300;
      fraction *= c * d;
      if (Math.abs(c * d - 1) < 1e-16) break;
    }
    return 1 - scale * fraction;
  }

  // A root of a rising function by Newton's steps, kept within the bracket by bisection.
  function rootOf(value, slope, start, low, high) {
    let x = start;
    for (let n = 0; n < 200; n++) {
      const error = value(x);
      if (error > 0) high = x;
      else low = x;
      let next = x - error / slope(x);
      if (!(next > low && next < high)) next = high === Infinity ? 2 * x + 1 : (low + high) / 2;
      if (Math.abs(next - x) <= 1e-14 * Math.abs(next)) return next;
      x = next;
    }
    return x;
  }

  function gammaQuantile(a, p) {
    const z = normalQuantile(p);
    const start = a * Math.max((1 - 1 / (9 * a) + z / (3 * Math.sqrt(a))) ** 3, 1e-3);
    const density = (x) => Math.exp((a - 1) * Math.log(x) - x - logGamma(a));
    return rootOf((x) => gammaShare(a, x) - p, density, start, 0, Infinity);
  }

  // Only a starting point: a rational approximation of the normal quantile with an error below 0.0005.
  function normalQuantile(p) {
    const tail = Math.min(p, 1 - p);
    const t = Math.sqrt(-2 * Math.log(tail));
    const z = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    return p < 0.5 ? -z : z;
  }

  // Regularised incomplete beta function by its continued fraction.
  function betaShare(x, a, b) {
    if (x <= 0) return 0;
    if (x >= 1) return 1;
    if (x > (a + 1) / (a + b + 2)) return 1 - betaShare(1 - x, b, a);
    const scale = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
    let c = 1;
    let d = 1 / (1 - ((a + b) * x) / (a + 1) || 1e-300);
    let fraction = d;
    for (let m = 1; m < 10000; m++) {
      const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
      d = 1 / (1 + even * d || 1e-300);
      c = 1 + even / c || 1e-300;
      fraction *= c * d;
      const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
      d = 1 / (1 + odd * d || 1e-300);
      c = 1 + odd / c || 1e-300;
      fraction *= c * d;
      if (Math.abs(c * d - 1) < 1e-15) break;
    }
    return scale * fraction;
  }

  // Probability that Student's variable is further from zero than t.
  function studentTails(t, freedom) {
    return betaShare(freedom / (freedom + t * t), freedom / 2, 0.5);
  }

  function studentQuantile(level, freedom) {
    const tails = 1 - level;
    const constant = logGamma((freedom + 1) / 2) - logGamma(freedom / 2) - 0.5 * Math.log(freedom * Math.PI);
    const density = (t) => 2 * Math.exp(constant - ((freedom + 1) / 2) * Math.log1p((t * t) / freedom));
    return rootOf((t) => tails - studentTails(t, freedom), density, -normalQuantile(tails / 2), 0, Infinity);
  }

  Object.assign(driftline, { logGamma, gammaShare, gammaQuantile, studentTails, studentQuantile });
})();
