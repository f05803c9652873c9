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

/** The standard deviation of the logarithm of a positive value with that relative error. */
function errorOfLogarithm(relative: number): number {
  const linear = 0.5;
  return relative <= linear ? relative : linear + Math.log1p(relative - linear);
}

function component(h: HypothesisData, point: number[], value: number, beyond: number): Component {
  const [weight, noise, degrees, fittedExponents, columns, factor] = h;
  const gradient = relativeGradient(h, point, value);
  let squares = 0;
  for (let k = 0; k < columns; ++k) {
    let sum = 0;
    for (let i = 0; i < gradient.length; ++i) sum += gradient[i] * factor[i * columns + k];
    squares += sum * sum;
  }
  const error = Math.sqrt(squares) * noise;
  const scale = Math.hypot(fittedExponents ? error : errorOfLogarithm(error), beyond);
  return { weight, location: Math.log(value), scale: Math.max(scale, 1e-15), degrees };
}

function doublingsBeyond(low: number, high: number, x: number): number {
  if (x > high) return high > 0 ? Math.log2(x / high) : 1;
  if (x < low) return x > 0 ? Math.log2(low / x) : 1;
  return 0;
}

/** Probability below a value, the density there, and the density's derivative; NaN: not known. */
interface Below {
  probability: number;
  density: number;
  slope: number;
}

/** Of the finite sums. */
const kMostDegrees = 60;

/** Density at 0 for some degrees / product of the sum's ratios. */
const densities: number[] = [];
function densityOf(degrees: number): number {
  if (densities[degrees] === undefined) {
    let out = Math.exp(logGamma((degrees + 1) / 2) - logGamma(degrees / 2)) / Math.sqrt(degrees * Math.PI);
    for (let j = degrees % 2 ? 3 : 2; j < degrees; j += 2) out /= (j - 1) / j;
    densities[degrees] = out;
  }
  return densities[degrees];
}

/** Student's distribution for a whole number of degrees (Abramowitz and Stegun 26.7.3 and 26.7.4). */
function wholeStudent(x: number, degrees: number): Below {
  const tangent = x / Math.sqrt(degrees);
  const square = 1 / (1 + tangent * tangent),
    cosine = Math.sqrt(square);
  const odd = degrees % 2 === 1;
  let term = odd ? cosine : 1;
  let sum = degrees > 1 ? term : 0;
  for (let k = odd ? 3 : 2; k < degrees; k += 2) {
    term *= (square * (k - 1)) / k;
    sum += term;
  }
  const inside = tangent * cosine * sum;
  const density = densityOf(degrees) * term * cosine * square;
  return {
    probability: 0.5 + 0.5 * (odd ? ((Math.atan(tangent) + inside) * 2) / Math.PI : inside),
    density,
    slope: (-density * (degrees + 1) * x * square) / degrees,
  };
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
  let c = 1,
    d = 1 / (1 - ((a + b) * x) / (a + 1)),
    f = d;
  for (let m = 1; m < 300; ++m) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    ((d = 1 / (1 + even * d)), (c = 1 + even / c), (f *= c * d));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    ((d = 1 / (1 + odd * d)), (c = 1 + odd / c));
    const step = c * d;
    f *= step;
    if (Math.abs(step - 1) < 1e-15) break;
  }
  return front * f;
}

/** For degrees that are not whole: interpolated in their inverse. */
function student(x: number, degrees: number): Below {
  if (degrees < 2 || degrees > kMostDegrees) {
    const tail = 0.5 * incompleteBeta(degrees / (degrees + x * x), degrees / 2, 0.5);
    return { probability: x > 0 ? 1 - tail : tail, density: NaN, slope: NaN };
  }
  const whole = Math.trunc(degrees);
  const exact = wholeStudent(x, whole);
  if (degrees === whole) return exact;
  const share = (1 / whole - 1 / degrees) / (1 / whole - 1 / (whole + 1));
  const above = wholeStudent(x, whole + 1);
  const between = (of: keyof Below) => exact[of] + share * (above[of] - exact[of]);
  return { probability: between("probability"), density: between("density"), slope: between("slope") };
}

function below(mixture: Component[], x: number): Below {
  const out = { probability: 0, density: 0, slope: 0 };
  for (const c of mixture) {
    const of = student((x - c.location) / c.scale, c.degrees);
    const weight = c.weight / c.scale;
    out.probability += c.weight * of.probability;
    out.density += weight * of.density;
    out.slope += (weight / c.scale) * of.slope;
  }
  return out;
}

const kExact = 1e-10,
  kSmall = 1e-4;

/** Takes Halley's steps, and bisects where these lead nowhere. */
function mixtureQuantile(mixture: Component[], p: number, quantile: (degrees: number) => number): number {
  let low = Infinity,
    high = -Infinity,
    x = 0,
    finest = Infinity;
  for (const c of mixture) {
    const at = quantile(c.degrees);
    low = Math.min(low, c.location + c.scale * (at - 0.01));
    high = Math.max(high, c.location + c.scale * (at + 0.01));
    x += c.weight * (c.location + c.scale * at);
    finest = Math.min(finest, c.scale);
  }
  for (let step = 1; step < 200 && high - low > kExact; ++step) {
    const at = below(mixture, x);
    if (at.probability < p) low = x;
    else high = x;
    const off = at.probability - p;
    const change = (-2 * off * at.density) / (2 * at.density * at.density - off * at.slope);
    if (Math.abs(change) <= Math.max(kExact, kSmall * finest)) return x + change;
    // Flat stretches between distant hypotheses lead nowhere. Without a density, this is false.
    const isInside = x + change > low && x + change < high;
    x = isInside && step % 4 !== 0 ? x + change : 0.5 * (low + high);
  }
  return 0.5 * (low + high);
}

export type Quantiles = Map<number, [number, number]>;

/** The ends of a growth model's interval; nothing where no hypothesis is positive. */
export function interval(
  growth: GrowthData,
  point: number[],
  level: number,
  quantiles: Quantiles,
): Deviation | undefined {
  let distance = 0;
  growth.ranges.forEach(
    ([lowest, highest], j) => (distance = Math.hypot(distance, doublingsBeyond(lowest, highest, point[j]))),
  );
  const mixture: Component[] = [];
  for (const h of growth.hypotheses) {
    const of = evaluate(h, point);
    if (of > 0) mixture.push(component(h, point, of, growth.per_doubling * distance));
  }
  if (!mixture.length) return undefined;
  let total = 0;
  for (const c of mixture) total += c.weight;
  for (const c of mixture) c.weight /= total;
  const end = (which: 0 | 1) => {
    const p = which === 0 ? 0.5 - level / 2 : 0.5 + level / 2;
    return Math.min(
      Math.exp(mixtureQuantile(mixture, p, (degrees) => quantiles.get(degrees)![which])),
      kLargest,
    );
  };
  return { low: end(0), high: end(1) };
}

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
  const ends = interval(growth, point, level, quantiles);
  let low = ends ? Math.min(ends.low, value) : value;
  let high = ends ? Math.max(ends.high, value) : value;
  const unidentified = growth.ranges.some(
    ([lowest, , distinct, given], j) => distinct < 2 && !given && point[j] !== lowest,
  );
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
    const ratio =
      Math.max(
        0,
        predicted(
          growth,
          point.map((each) => each * times),
        ),
      ) / value;
    out.low = Math.max(out.low, 1 - ratio);
    out.high = Math.max(out.high, ratio - 1);
  }
  return out;
}
