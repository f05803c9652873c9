// The interval of a fitted growth model: a mixture of Student t distributions of the logarithm of the value
// (docs/models/growth.md). The steps and their order are those of the C++ source, so the results agree.
import type { GrowthData, HypothesisData } from "./types";

interface Component {
  weight: number;
  location: number;
  scale: number;
  degrees: number;
}

/** Replaces infinite ends. */
const kLargest = 1e30;

export interface Deviation {
  low: number;
  high: number;
}

/** Ratios of asked to recorded values of parameters that never varied. */
export interface Unvaried {
  low: number;
  high: number;
}

function shape(exponents: number[], logs: number[], point: number[]): number {
  let value = 1;
  for (let j = 0; j < exponents.length; ++j) {
    if (exponents[j] !== 0) value *= Math.pow(point[j], exponents[j]);
    if (logs[j] !== 0) value *= Math.pow(Math.log2(Math.max(point[j], 1)), logs[j]);
  }
  return value;
}

function evaluate(h: HypothesisData, point: number[]): number {
  let sum = 0;
  for (const [coefficient, exponents, logs] of h[6]) sum += coefficient * shape(exponents, logs, point);
  return sum;
}

/** The value of the first hypothesis. */
export function predicted(growth: GrowthData, point: number[]): number {
  return growth.hypotheses.length ? evaluate(growth.hypotheses[0], point) : 0;
}

function relativeGradient(h: HypothesisData, point: number[], value: number): number[] {
  if (h[3]) return [1, ...point.map((x) => (x > 0 ? Math.log(x) : 0))];
  return h[6].map(([, exponents, logs]) => shape(exponents, logs, point) / value);
}

function component(h: HypothesisData, point: number[], value: number, beyond: number): Component {
  const [weight, noise, degrees, , columns, factor] = h;
  const gradient = relativeGradient(h, point, value);
  let squares = 0;
  for (let k = 0; k < columns; ++k) {
    let sum = 0;
    for (let i = 0; i < gradient.length; ++i) sum += gradient[i] * factor[i * columns + k];
    squares += sum * sum;
  }
  const scale = Math.sqrt(squares * noise * noise + beyond * beyond);
  return { weight, location: Math.log(value), scale: Math.max(scale, 1e-15), degrees };
}

function doublingsBeyond(low: number, high: number, x: number): number {
  if (x > high) return high > 0 ? Math.log2(x / high) : 1;
  if (x < low) return x > 0 ? Math.log2(low / x) : 1;
  return 0;
}

/** Student's distribution for a whole number of degrees (Abramowitz and Stegun 26.7.3 and 26.7.4). */
function wholeStudent(x: number, degrees: number): number {
  const tangent = x / Math.sqrt(degrees);
  const cosine = 1 / Math.sqrt(1 + tangent * tangent);
  const odd = degrees % 2 === 1;
  let term = odd ? cosine : 1;
  let sum = degrees > 1 ? term : 0;
  for (let k = odd ? 3 : 2; k < degrees; k += 2) {
    term *= (cosine * cosine * (k - 1)) / k;
    sum += term;
  }
  const inside = tangent * cosine * sum;
  return 0.5 + 0.5 * (odd ? (Math.atan(tangent) + inside) * 2 / Math.PI : inside);
}

const kLanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  let sum = kLanczos[0];
  for (let i = 1; i < 9; ++i) sum += kLanczos[i] / (x - 1 + i);
  const t = x + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** The regularised incomplete beta function, by its continued fraction (Lentz). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front =
    Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x)) / a;
  let c = 1, d = 1 / (1 - ((a + b) * x) / (a + 1)), f = d;
  for (let m = 1; m < 300; ++m) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d), c = 1 + even / c, f *= c * d;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d), c = 1 + odd / c;
    const step = c * d;
    f *= step;
    if (Math.abs(step - 1) < 1e-15) break;
  }
  return front * f;
}

export function studentProbability(x: number, degrees: number): number {
  if (degrees < 2 || degrees > 60) {
    const tail = 0.5 * incompleteBeta(degrees / (degrees + x * x), degrees / 2, 0.5);
    return x > 0 ? 1 - tail : tail;
  }
  const below = Math.trunc(degrees);
  const exact = wholeStudent(x, below);
  if (degrees === below) return exact;
  const share = (1 / below - 1 / degrees) / (1 / below - 1 / (below + 1));
  return exact + share * (wholeStudent(x, below + 1) - exact);
}

function probabilityBelow(mixture: Component[], x: number): number {
  let sum = 0;
  for (const c of mixture) sum += c.weight * studentProbability((x - c.location) / c.scale, c.degrees);
  return sum;
}

/** Solves for the mixture's quantile by the Illinois variant of regula falsi. */
function mixtureQuantile(mixture: Component[], p: number, quantile: (degrees: number) => number): number {
  let low = Infinity, high = -Infinity;
  for (const c of mixture) {
    const at = quantile(c.degrees);
    low = Math.min(low, c.location + c.scale * (at - 0.01));
    high = Math.max(high, c.location + c.scale * (at + 0.01));
  }
  let fLow = probabilityBelow(mixture, low) - p, fHigh = probabilityBelow(mixture, high) - p, side = 0;
  for (let step = 0; step < 200 && high - low > 1e-10 && fLow < 0 && fHigh > 0; ++step) {
    const x = step % 4 === 3 ? 0.5 * (low + high) : (low * fHigh - high * fLow) / (fHigh - fLow);
    const f = probabilityBelow(mixture, x) - p;
    if (f < 0) {
      low = x, fLow = f;
      if (side === -1) fHigh /= 2;
      side = -1;
    } else {
      high = x, fHigh = f;
      if (side === 1) fLow /= 2;
      side = 1;
    }
  }
  if (fLow >= 0) return low;
  return fHigh <= 0 ? high : 0.5 * (low + high);
}

export type Quantiles = Map<number, [number, number]>;

/** How far the interval of a segment's seconds reaches below and above the value, as fractions of it. */
export function costDeviation(
  growth: GrowthData,
  point: number[],
  level: number,
  quantiles: Quantiles,
  unvaried: Unvaried,
): Deviation {
  const value = predicted(growth, point);
  if (!(value > 0)) return { low: 0, high: 0 };
  let distance = 0,
    unidentified = false;
  growth.ranges.forEach(([lowest, highest, distinct, given], j) => {
    distance = Math.hypot(distance, doublingsBeyond(lowest, highest, point[j]));
    if (distinct < 2 && !given && point[j] !== lowest) unidentified = true;
  });
  const mixture: Component[] = [];
  for (const h of growth.hypotheses) {
    const of = evaluate(h, point);
    if (of > 0) mixture.push(component(h, point, of, growth.per_doubling * distance));
  }
  let low = value,
    high = value;
  if (mixture.length) {
    let total = 0;
    for (const c of mixture) total += c.weight;
    for (const c of mixture) c.weight /= total;
    const ends = [0, 1].map((end) => {
      const p = end === 0 ? 0.5 - level / 2 : 0.5 + level / 2;
      return Math.min(
        Math.exp(mixtureQuantile(mixture, p, (degrees) => quantiles.get(degrees)![end])),
        kLargest,
      );
    });
    low = Math.min(ends[0], value);
    high = Math.max(ends[1], value);
  }
  if (unidentified)
    growth.ranges.forEach(([lowest, , distinct, , isProcesses], j) => {
      if (j >= point.length || distinct >= 2 || !(lowest > 0) || !(point[j] > 0)) return;
      const ratio = point[j] / lowest;
      if (ratio > 1 || isProcesses) high *= Math.max(ratio, 1 / ratio);
      if (ratio < 1 || isProcesses) low *= Math.min(ratio, 1 / ratio);
    });
  if (growth.unsure !== undefined) {
    high += growth.unsure * (unvaried.high - 1);
    low -= Math.min(growth.unsure, low) * (1 - unvaried.low);
  }
  return { low: 1 - low / value, high: high / value - 1 };
}

/** How far other formulas of the counted work change the seconds. */
export function rivalDeviation(growth: GrowthData, point: number[], rivals: number[]): Deviation {
  const out = { low: 0, high: 0 };
  const value = predicted(growth, point);
  if (!(value > 0)) return out;
  for (const times of rivals) {
    if (!Number.isFinite(times) || times < 0) continue;
    const ratio = Math.max(0, predicted(growth, point.map((each) => each * times))) / value;
    out.low = Math.max(out.low, 1 - ratio);
    out.high = Math.max(out.high, ratio - 1);
  }
  return out;
}
