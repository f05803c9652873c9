// Makes the segments and forecasts of larger parts agree at a point (docs/models/reconciliation.md). The
// steps and their order are those of the C++ source, so the results agree.
import { interval, predicted, type Quantiles } from "./growth";
import type { CorrectedData, Explanation, ForecastsData, GroupData, GrowthData } from "./types";

interface Weighed {
  value: number;
  /** Standard deviation, relative to the value. */
  deviation: number;
}

interface Estimate {
  value: number;
  variance: number;
}

/** Of a normal distribution, for an interval of 90 %. */
const kQuantile = 1.6449;
const kLeastDeviation = 0.02,
  kMostDeviation = 10;
/** Correlation between the errors of segments. */
const kRelated = 0.3;
/** Of a part, however far the total is below the sum. */
const kLeastLeft = 0.1;

/** Whether all that never varied has its recorded value. */
export function isKnown(data: Explanation, values: Record<string, number>): boolean {
  if (data.recorded_p.length === 1 && values.p !== data.recorded_p[0]) return false;
  return data.parameters.every(({ name, recorded }) => recorded.length !== 1 || values[name] === recorded[0]);
}

/** Doublings of p and of the parameters beyond the recorded values: the root of the sum of their squares. */
export function doublingsBeyond(data: Explanation, values: Record<string, number>): number {
  let squares = 0;
  const add = (recorded: number[], value: number) => {
    const least = recorded[0],
      most = recorded[recorded.length - 1];
    const beyond =
      value > most && most > 0
        ? Math.log2(value / most)
        : value < least && value > 0
          ? Math.log2(least / value)
          : 0;
    squares += beyond * beyond;
  };
  add(data.recorded_p, values.p);
  for (const { name, recorded } of data.parameters) add(recorded, values[name]);
  return Math.sqrt(squares);
}

/** The ranks at which a point is sampled. */
export function sampledRanks(p: number): number[] {
  const all = [0, 1, Math.floor(p / 3), Math.floor(p / 2), p - 2, p - 1].filter(
    (rank) => rank >= 0 && rank < p,
  );
  return [...new Set(all)].sort((a, b) => a - b);
}

/** Corrects segments at one point. `details`: the values of the function in the page, by sampled rank. */
export class Correction {
  private readonly quantiles: Quantiles;
  private readonly deviations = new Map<GrowthData, { point: number[]; deviation: number }>();

  constructor(
    private readonly data: ForecastsData,
    private readonly growth: Record<string, GrowthData>,
    private readonly details: Float64Array[],
  ) {
    this.quantiles = new Map(data.quantiles.map(([degrees, low, high]) => [degrees, [low, high]]));
  }

  /** The factor of each corrected segment's seconds. `beyond`: doublings beyond the recordings. */
  factors(beyond: number): Map<number, number> {
    const values = new Map(this.data.segments.map((each) => [each.segment, this.segment(each)]));
    const wholes = this.data.groups.map((group) => this.whole(group, beyond));
    const wanted = new Tree(values, this.data.groups, wholes, beyond).solve();
    return new Map(
      [...values].map(([segment, { value }]) => [
        segment,
        value > 0 && wanted.get(segment)! > 0 ? wanted.get(segment)! / value : 1,
      ]),
    );
  }

  private whole({ whole }: GroupData, beyond: number): Weighed | undefined {
    if (!whole) return undefined;
    const out = this.meanOf(whole.growth, whole.arguments, this.details);
    if (out) out.deviation = Math.max(out.deviation, whole.error * beyond);
    return out;
  }

  /** Computing of a process in a segment, mean over ranks. */
  private segment({ segment, executions, first, arguments: of, error }: CorrectedData): Weighed {
    const out = { value: 0, deviation: 0 };
    if (!this.growth[segment].hypotheses.length) return out;
    for (const details of this.details) {
      const times = details[executions];
      if (!Number.isFinite(times) || times <= 0) continue;
      const once = this.meanOf(this.growth[segment], of, [details]);
      if (!once) continue;
      out.value += ((times + (times > 1 ? first : 0)) * once.value) / this.details.length;
      out.deviation = Math.max(out.deviation, once.deviation);
    }
    if (error !== undefined) out.deviation = Math.hypot(out.deviation, error);
    return out;
  }

  /** A growth model's prediction, mean over ranks; nothing without a value. */
  private meanOf(growth: GrowthData, of: number[], ranks: Float64Array[]): Weighed | undefined {
    const out = { value: 0, deviation: 0 };
    for (let r = 0; r < ranks.length; ++r) {
      const point = of.map((index) => Math.max(ranks[r][index], 0));
      const value = predicted(growth, point);
      if (!point.every(Number.isFinite) || !Number.isFinite(value) || value < 0) return undefined;
      out.value += value / ranks.length;
      if (r === Math.floor(ranks.length / 2)) out.deviation = this.deviation(growth, point);
    }
    return out;
  }

  private deviation(growth: GrowthData, point: number[]): number {
    // Ranks often have the same arguments.
    const known = this.deviations.get(growth);
    if (known && known.point.every((each, i) => each === point[i])) return known.deviation;
    const ends = interval(growth, point, this.data.level, this.quantiles);
    const ratio = ends && ends.low > 0 ? ends.high / ends.low : Infinity;
    const deviation = Math.min(Math.max(Math.log(ratio) / 2 / kQuantile, kLeastDeviation), kMostDeviation);
    this.deviations.set(growth, { point, deviation });
    return deviation;
  }
}

/**
 * Upwards, each group joins the sum of its parts with its own forecast, by variance. Downwards, each part
 * takes its share of what the group was moved by.
 */
class Tree {
  private readonly sums: Estimate[] = [];
  private readonly joined: Estimate[] = [];
  private readonly out: Map<number, number>;

  constructor(
    private readonly values: Map<number, Weighed>,
    private readonly groups: GroupData[],
    private readonly wholes: (Weighed | undefined)[],
    private readonly beyond: number,
  ) {
    this.out = new Map([...values].map(([segment, { value }]) => [segment, value]));
  }

  solve(): Map<number, number> {
    for (let g = this.groups.length; g-- > 0;) this.join(g);
    const inner = new Set(this.groups.flatMap((group) => group.groups));
    this.groups.forEach((_, g) => inner.has(g) || this.move(g, this.joined[g].value));
    return this.out;
  }

  private part(segment: number): Estimate {
    const { value, deviation } = this.values.get(segment)!;
    return { value, variance: Math.pow(value * deviation, 2) };
  }

  private partsOf(g: number): Estimate[] {
    return [
      ...this.groups[g].parts.map((each) => this.part(each)),
      ...this.groups[g].groups.map((each) => this.joined[each]),
    ];
  }

  private join(g: number): void {
    let sum = 0,
      variance = 0,
      deviations = 0;
    for (const each of this.partsOf(g))
      ((sum += each.value), (variance += each.variance), (deviations += Math.sqrt(each.variance)));
    variance = (1 - kRelated) * variance + kRelated * deviations * deviations;
    variance = Math.max(
      variance,
      Math.pow((this.groups[g].whole?.error_of_parts ?? 0) * this.beyond * sum, 2),
    );
    this.sums[g] = this.joined[g] = { value: sum, variance };
    const whole = this.wholes[g];
    if (!whole || !(sum > 0) || !(variance > 0)) return;
    const own = Math.pow(whole.value * whole.deviation, 2);
    this.joined[g] = {
      value: (sum * own + whole.value * variance) / (own + variance),
      variance: (own * variance) / (own + variance),
    };
  }

  private move(g: number, wanted: number): void {
    const parts = this.partsOf(g);
    const deviations = parts.reduce((sum, each) => sum + Math.sqrt(each.variance), 0);
    /** Of a part with the sum. */
    const covariance = (each: Estimate) =>
      (1 - kRelated) * each.variance + kRelated * Math.sqrt(each.variance) * deviations;
    const all = parts.reduce((sum, each) => sum + covariance(each), 0);
    const change = wanted - this.sums[g].value;
    const moved = (each: Estimate) =>
      Math.max(
        all > 0 ? each.value + (change * covariance(each)) / all : each.value,
        kLeastLeft * each.value,
      );
    // Parts at their lower limit give less than their share, so all are scaled to the total.
    const sum = parts.reduce((total, each) => total + moved(each), 0);
    const scale = sum > 0 ? wanted / sum : 1;
    for (const segment of this.groups[g].parts) this.out.set(segment, moved(this.part(segment)) * scale);
    for (const inner of this.groups[g].groups) this.move(inner, moved(this.joined[inner]) * scale);
  }
}
