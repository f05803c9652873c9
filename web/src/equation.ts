// Evaluates the closed form and its interval as the equation engine does (docs/models/exported_equation.md).
import { Correction, doublingsBeyond, isKnown, sampledRanks } from "./forecasts";
import {
  costDeviation,
  predicted,
  rivalDeviation,
  type Deviation,
  type Quantiles,
  type Unvaried,
} from "./growth";
import type {
  CaseData,
  CheckedRange,
  ChecksData,
  Compiled,
  Explanation,
  LatticeData,
  LayerData,
  PartName,
  Setting,
  TermData,
} from "./types";

export interface Answer {
  p: number;
  nodes: number;
  seconds: number;
  low: number;
  high: number;
  parts: Record<PartName, number>;
  /** Seconds by number of the leaf. */
  leaves: number[];
  /** Largest value, where different ranks are slowest in turn and the sum in `seconds` is not exact; else 0.
   */
  atMost: number;
}

/** Share of the difference between both bounds below which they are equal. */
const kClosedWithin = 1e-9;
/** Lower end, as a fraction of the value, that replaces an end at 0 before a logarithm is taken. */
const kLeastEnd = 1e-6;
/** Points whose corrections by forecasts are kept. */
const kMostCorrections = 256;
/** Process counts up to which every rank is a candidate for the slowest. */
const kAllRanksUpTo = 64;

type Values = Record<string, number>;

export class Equation {
  private readonly quantiles: Quantiles;
  private readonly covariance = new Map<string, number>();
  private readonly corrections = new Map<string, Values>();

  constructor(
    readonly data: Explanation,
    private readonly functions: [Compiled, Compiled][],
    private readonly ofForecasts?: Compiled,
  ) {
    this.quantiles = new Map(data.quantiles.map(([degrees, low, high]) => [degrees, [low, high]]));
    for (const [a, b, value] of data.covariance) this.covariance.set(a + "\n" + b, value);
  }

  layer(p: number): LayerData | undefined {
    return this.data.layers.find((each) => each.p === p);
  }

  /** The setting of the question. */
  asked(): Setting {
    return {
      parameters: Object.fromEntries(this.data.parameters.map((each) => [each.name, each.value])),
      machine: {},
    };
  }

  /** Returns nothing for a process count without a layer, and where the values give no grid or no number. */
  answer(p: number, setting: Setting): Answer | undefined {
    const layer = this.layer(p);
    const extents = layer && this.extents(layer, setting);
    if (!layer || !extents) return undefined;
    const values = { p: layer.p, ...setting.parameters, ...this.factors(layer, extents, setting.parameters) };
    return new Point(
      this.data,
      this.functions[layer.case],
      layer,
      extents,
      values,
      setting,
      this.quantiles,
      this.covariance,
    ).answer();
  }

  /** The factors by which forecasts correct segments here, by symbol. They do not depend on the machine. */
  private factors(layer: LayerData, extents: number[][], parameters: Values): Values {
    const { forecasts, growth } = this.data;
    if (!forecasts || !this.ofForecasts) return {};
    const key = [layer.p, ...Object.values(parameters)].join(" ");
    const known = this.corrections.get(key);
    if (known) return known;
    const values = { p: layer.p, ...parameters };
    const out: Values = Object.fromEntries(forecasts.segments.map(({ segment }) => ["factor " + segment, 1]));
    if (isKnown(this.data, values)) {
      const details = sampledRanks(layer.p).map((rank) =>
        evaluated(this.ofForecasts!, forecasts.symbols, ofRank(values, extents, rank), forecasts.details),
      );
      for (const [segment, factor] of new Correction(forecasts, growth, details).factors(
        doublingsBeyond(this.data, values),
      ))
        out["factor " + segment] = factor;
    }
    if (this.corrections.size >= kMostCorrections)
      this.corrections.delete(this.corrections.keys().next().value!);
    this.corrections.set(key, out);
    return out;
  }

  private extents(layer: LayerData, setting: Setting): number[][] | undefined {
    const out = layer.extents.map((each) => [...each]);
    for (const [dimensions, parameters] of this.data.grids) {
      const given = parameters.map((index) => setting.parameters[this.data.parameters[index].name]);
      if (given.reduce((product, each) => product * each, 1) !== layer.p) return undefined;
      out[dimensions] = given;
    }
    return out;
  }
}

/** Adds the symbols of a rank. */
function ofRank(values: Values, extents: number[][], rank: number): Values {
  const out: Values = { ...values, r: rank };
  for (let d = 1; d <= 3; ++d) {
    let rest = rank;
    for (let k = d; k-- > 0;) {
      out[`g${d}_${k}`] = extents[d][k];
      out[`c${d}_${k}`] = rest % extents[d][k];
      rest = Math.floor(rest / extents[d][k]);
    }
  }
  return out;
}

function evaluated(compiled: Compiled, symbols: string[], values: Values, outputs: number): Float64Array {
  const out = new Float64Array(outputs);
  compiled(
    Float64Array.from(symbols, (name) => values[name]),
    out,
  );
  return out;
}

/** The closed form at one setting and process count. */
class Point {
  private readonly parts: CaseData;
  private readonly details = new Map<number, Float64Array>();

  constructor(
    private readonly data: Explanation,
    private readonly compiled: [Compiled, Compiled],
    private readonly layer: LayerData,
    private readonly extents: number[][],
    private readonly values: Values,
    private readonly setting: Setting,
    private readonly quantiles: Quantiles,
    private readonly covariance: Map<string, number>,
  ) {
    this.parts = data.cases[layer.case];
    for (const [name, [value]] of Object.entries(data.machine))
      this.values[name] = setting.machine[name] ?? value;
  }

  answer(): Answer | undefined {
    const ranks = this.candidates();
    const seconds = ranks.map((rank) => this.run(this.compiled[0], rank, this.parts.terms.length));
    const { chosen, chain, phases } = this.slowest(seconds);
    const terms = this.parts.terms.map((_, t) => seconds[chosen[t]][t]);
    if (!terms.every(Number.isFinite)) return undefined;
    const out: Answer = {
      p: this.layer.p,
      nodes: this.layer.nodes,
      seconds: 0,
      low: 0,
      high: 0,
      parts: { compute: 0, memory: 0, startup: 0, transfer: 0, wait: 0 },
      leaves: this.data.leaves.map(() => 0),
      atMost: 0,
    };
    this.parts.terms.forEach((term, t) => {
      out.parts[term.part] += terms[t];
      out.leaves[term.leaf] += terms[t];
    });
    const rest = this.remainder(chain, phases);
    out.parts.wait += rest;
    out.seconds =
      out.parts.compute + out.parts.memory + out.parts.startup + out.parts.transfer + out.parts.wait;
    const isAsked =
      this.data.parameters.every((each) => each.value === this.setting.parameters[each.name]) &&
      Object.keys(this.setting.machine).length === 0;
    if (this.layer.p > 1 && !isAsked && (rest !== 0 || phases - chain > kClosedWithin * chain))
      out.atMost = Math.max(out.seconds, phases + (this.layer.of_chain ?? 0) * chain);
    const width = this.width(
      terms,
      chosen.map((k) => ranks[k]),
      terms.reduce((sum, each) => sum + each, 0) + rest,
    );
    out.low = Math.max(0, out.seconds - width.ambiguity.low) * width.factorBelow;
    out.high = out.seconds + width.ambiguity.high + width.above;
    holdChecks(this.data, this.values, out);
    holdStandIn(this.layer, out);
    return out;
  }

  /** What the recursion adds to the chains of the slowest ranks. */
  private remainder(chain: number, phases: number): number {
    if (this.layer.p === 1) return 0;
    if (this.layer.of_chain) return this.layer.of_chain * chain;
    return phases - chain > kClosedWithin * chain ? (this.layer.of_difference ?? 0) * (phases - chain) : 0;
  }

  private run(compiled: Compiled, rank: number, outputs: number): Float64Array {
    return evaluated(compiled, this.parts.symbols, ofRank(this.values, this.extents, rank), outputs);
  }

  private detailsOf(rank: number): Float64Array {
    let found = this.details.get(rank);
    if (!found) this.details.set(rank, (found = this.run(this.compiled[1], rank, this.parts.details)));
    return found;
  }

  /** Ranks that represent all: above a bound the corners, edges and middle of grids, and both ends. */
  private candidates(): number[] {
    const p = this.layer.p;
    if (!this.parts.ranks) return [0];
    if (p <= kAllRanksUpTo) return Array.from({ length: p }, (_, rank) => rank);
    const out = new Set(marked(p));
    for (const d of this.parts.grids) {
      let ranks = new Set([0]);
      for (const extent of this.extents[d]) {
        const next = new Set<number>();
        for (const rank of ranks) for (const c of marked(extent)) next.add(rank * extent + c);
        ranks = next;
      }
      for (const rank of ranks) if (rank < p) out.add(rank);
    }
    return [...out].sort((a, b) => a - b);
  }

  /** The slowest candidate of each term's interval, and the sums of both bounds. */
  private slowest(seconds: Float64Array[]): { chosen: number[]; chain: number; phases: number } {
    const intervals = new Map<number, Map<number, number[]>>();
    this.parts.terms.forEach((term, t) => {
      const phases = intervals.get(term.interval) ?? new Map<number, number[]>();
      intervals.set(term.interval, phases);
      const sums = phases.get(term.phase) ?? seconds.map(() => 0);
      phases.set(term.phase, sums);
      seconds.forEach((of, k) => (sums[k] += of[t]));
    });
    const slowest = new Map<number, number>();
    let chain = 0,
      most = 0;
    for (const closing of [...intervals.keys()].sort((a, b) => a - b)) {
      const phases = intervals.get(closing)!;
      const sums = seconds.map(() => 0);
      let of_phases = 0;
      for (const phase of [...phases.keys()].sort((a, b) => a - b)) {
        const each = phases.get(phase)!;
        of_phases += each.reduce((a, b) => Math.max(a, b));
        each.forEach((value, k) => (sums[k] += value));
      }
      let best = 0;
      sums.forEach((value, k) => (best = value > sums[best] ? k : best));
      slowest.set(closing, best);
      chain += sums[best];
      most += of_phases;
    }
    return { chosen: this.parts.terms.map((term) => slowest.get(term.interval)!), chain, phases: most };
  }

  // The interval, by source (docs/models/intervals.md).

  private width(
    terms: number[],
    ranks: number[],
    value: number,
  ): { above: number; factorBelow: number; ambiguity: Deviation } {
    const together = new Map<string, Deviation & { segment: boolean; bounded: boolean }>();
    const gradient = new Map<string, number>();
    const ambiguity: Deviation = { low: 0, high: 0 };
    let computing = 0;
    const add = (source: string, low: number, high: number, segment = false, bounded = segment) => {
      const sum = together.get(source) ?? { low: 0, high: 0, segment, bounded };
      ((sum.low += low), (sum.high += high));
      together.set(source, sum);
    };
    const widen = (by: Deviation) => ((ambiguity.low += by.low), (ambiguity.high += by.high));
    const unvaried = this.unvaried();
    this.parts.terms.forEach((term, t) => {
      const details = this.detailsOf(ranks[t]);
      this.addCount(term, terms[t], details, add, widen);
      if (term.most !== undefined) {
        const most = Number.isFinite(details[term.most]) ? details[term.most] : terms[t];
        if (most > 0) add("streaming", terms[t], Math.max(0, most - terms[t]), false, true);
      }
      if (!(terms[t] > 0)) return;
      const addOfCost = (source: string, low: number, high: number, segment = false) => {
        if (segment) computing += terms[t];
        add(source, low, high, segment);
      };
      this.addCost(term, terms[t], details, unvaried, addOfCost, widen);
      if (term.table)
        add(
          "table " + term.table[0],
          this.data.quantile * term.table[1] * terms[t],
          this.data.quantile * term.table[1] * terms[t],
        );
      for (const [name, index] of Object.entries(term.slopes ?? {}))
        if (Number.isFinite(details[index]) && details[index] !== 0)
          gradient.set(name, (gradient.get(name) ?? 0) + details[index]);
    });
    const machine = this.data.quantile * Math.sqrt(Math.max(0, this.variance(gradient)));
    if (machine > 0) add("machine", machine, machine);
    const most = mostTogether(this.data.checks, this.values);
    return { ...combined([...together.values()], value, this.data.related, computing, most), ambiguity };
  }

  private variance(gradient: Map<string, number>): number {
    let out = 0;
    for (const [a, slopeA] of gradient)
      for (const [b, slopeB] of gradient) out += slopeA * slopeB * (this.covariance.get(a + "\n" + b) ?? 0);
    return out;
  }

  private addCost(
    term: TermData,
    value: number,
    details: Float64Array,
    unvaried: Unvaried,
    add: (source: string, low: number, high: number, segment?: boolean) => void,
    widen: (by: Deviation) => void,
  ): void {
    if (term.segment === undefined || term.part === "memory") return;
    const growth = this.data.growth[term.segment];
    const indices = this.parts.segments![term.segment];
    if (!growth || !growth.hypotheses.length) return;
    const point = indices.arguments.map((index) =>
      Math.max(0, Number.isFinite(details[index]) ? details[index] : 0),
    );
    if (!(predicted(growth, point) > 0)) return;
    const own = costDeviation(growth, point, this.data.level, this.quantiles, unvaried);
    add("segment " + term.segment, value * own.low, value * own.high, true);
    const rivals = rivalDeviation(
      growth,
      point,
      (indices.rivals ?? []).map((index) => details[index]),
    );
    widen({ low: value * rivals.low, high: value * rivals.high });
    const noise = this.data.quantile * this.data.noise * value,
      spread = this.data.quantile * this.data.spread * value;
    if (noise > 0) add("noise", noise, noise);
    if (spread > 0) add("processor", spread, spread);
  }

  private addCount(
    term: TermData,
    seconds: number,
    details: Float64Array,
    add: (source: string, low: number, high: number) => void,
    widen: (by: Deviation) => void,
  ): void {
    const count = term.count;
    if (!count) return;
    if (count.error)
      add(
        "count " + count.number,
        this.data.quantile * count.error * seconds,
        this.data.quantile * count.error * seconds,
      );
    if (!count.alternatives || this.settles(count.settlings ?? [])) return;
    const value = Number.isFinite(details[count.value]) ? details[count.value] : 0;
    const once = value > 0 ? seconds / value : details[count.once!];
    const span: Deviation = { low: 0, high: 0 };
    for (const index of count.alternatives) {
      const other = Number.isFinite(details[index]) ? details[index] : value;
      const change = once * (Math.max(0, other) - value);
      span.low = Math.max(span.low, -change);
      span.high = Math.max(span.high, change);
    }
    widen(span);
  }

  /** Whether recordings decide between the formulas of a count here. */
  private settles(settlings: number[]): boolean {
    if (!isInDomain(this.data.domain, this.values)) return false;
    return settlings.some((index) => {
      const { variables, values, lattice } = this.data.settlings[index];
      return variables.every((name, i) => this.values[name] === values[i]) && isOn(lattice, this.values);
    });
  }

  private unvaried(): Unvaried {
    const out = { low: 1, high: 1 };
    const add = (ratio: number, both: boolean) => {
      if (ratio > 1 || both) out.high *= Math.max(ratio, 1 / ratio);
      if (ratio < 1 || both) out.low *= Math.min(ratio, 1 / ratio);
    };
    const [recorded] = this.data.recorded_p;
    if (this.data.recorded_p.length === 1 && this.layer.p !== recorded) add(this.layer.p / recorded, true);
    for (const { name, recorded: values } of this.data.parameters) {
      const asked = this.setting.parameters[name];
      if (values.length === 1 && asked > 0 && values[0] > 0) add(asked / values[0], false);
    }
    return out;
  }
}

// What the checks of the model against its recordings add to the interval (docs/models/checks.md).

/** Limit on the steps from the largest left-out run to the asked point. */
const kMostSteps = 3;
/** A link that stands in for another may be this many times too fast (docs/models/intervals.md). */
const kStandInFactor = 10;

/** Doublings between two values; 1 between values without a ratio. */
function distance(a: number, b: number): number {
  if (a === b) return 0;
  return a > 0 && b > 0 ? Math.abs(Math.log2(a / b)) : 1;
}

/** Recorded / given, summed over the recordings nearest to the point, and whether these are whole times. */
function ratioOfNearest(checks: ChecksData, values: Values): { ratio: number; totals: boolean } {
  let least = Infinity,
    nearest: ChecksData["runs"] = [];
  for (const run of checks.runs) {
    let here = distance(run.p, values.p);
    for (const [name, value] of Object.entries(run.parameters))
      if (name in values) here += distance(value, values[name]);
    if (here > least) continue;
    if (here < least) nearest = [];
    least = here;
    nearest.push(run);
  }
  const totals = nearest.every((run) => run.total);
  let recorded = 0,
    given = 0;
  for (const run of nearest) {
    const [a, b] = totals ? run.total! : run.computing;
    ((recorded += a), (given += b));
  }
  return { ratio: recorded > 0 && given > 0 ? recorded / given : 1, totals };
}

/** The factor by which models without the largest runs missed these, continued to the point. */
function forwardFactor(checks: ChecksData, values: Values): number {
  let largest = 1;
  for (const range of checks.ranges)
    if (range.missed !== undefined && values[range.name] > range.largest)
      largest = Math.max(largest, Math.pow(range.missed, Math.min(stepsTo(range, values), kMostSteps)));
  return largest;
}

function stepsTo({ name, largest, remaining }: CheckedRange, values: Values): number {
  return Math.max(1, Math.log(values[name] / largest) / Math.log(largest / remaining!));
}

/** The largest half width of all computing together, as a logarithm, that the checks leave. Undefined: they
 *  leave any.
 */
function mostTogether(checks: ChecksData | undefined, values: Values): number | undefined {
  if (!checks?.together) return undefined;
  let growth = 0;
  for (const range of checks.ranges) {
    const value = values[range.name];
    if (!range.in_costs || (value >= range.smallest && value <= range.largest)) continue;
    if (!(value > range.largest) || range.growth === undefined) return undefined;
    growth += (range.growth * stepsTo(range, values)) ** 2;
  }
  return checks.together.quantile * Math.sqrt(checks.together.noise ** 2 + growth);
}

function hold(answer: Answer, share: number, factor: number): void {
  const other = answer.seconds * (1 + share * (factor - 1));
  answer.low = Math.min(answer.low, other);
  answer.high = Math.max(answer.high, other);
}

function holdChecks({ checks }: Explanation, values: Values, answer: Answer): void {
  if (!checks) return;
  const messages = answer.parts.startup + answer.parts.transfer;
  const share = answer.seconds > 0 ? Math.min(Math.max(1 - messages / answer.seconds, 0), 1) : 0;
  const { ratio, totals } = ratioOfNearest(checks, values);
  const forward = forwardFactor(checks, values);
  hold(answer, totals ? 1 : share, ratio);
  hold(answer, share, forward);
  hold(answer, share, 1 / forward);
}

function holdStandIn({ stand_in }: LayerData, answer: Answer): void {
  if (!stand_in) return;
  const messages =
    stand_in === "all" ? answer.seconds : answer.parts.startup + answer.parts.transfer + answer.parts.wait;
  answer.high = Math.max(answer.high, answer.seconds + (kStandInFactor - 1) * messages);
}

/** 0, 1, the middle and the last two of an extent. */
function marked(extent: number): number[] {
  const all = [0, 1, Math.floor(extent / 2), extent - 2, extent - 1].filter((c) => c >= 0 && c < extent);
  return [...new Set(all)].sort((a, b) => a - b);
}

/** The root of the sum of squares for related 0, the plain sum for related 1. */
function root(widths: number[], related: number): number {
  let sum = 0,
    squares = 0;
  for (const width of widths) ((sum += width), (squares += width * width));
  return Math.sqrt((related > 0 ? related * sum * sum : 0) + (related < 1 ? (1 - related) * squares : 0));
}

type Source = Deviation & { segment: boolean; bounded: boolean };

/** Logarithms of the lower widths, of a `value`. `least`: the least end, as a fraction. */
function widthsBelow(sources: Source[], value: number, least: number): number[] {
  return sources.map(({ low, bounded }) =>
    bounded ? -Math.log(Math.max(least, 1 - low / value)) : Math.log1p(low / value),
  );
}

/** Combines the sources. `most`: the largest width of `computing` seconds of all segments together. */
function combined(
  sources: Source[],
  value: number,
  related: number,
  computing: number,
  most: number | undefined,
): { above: number; factorBelow: number } {
  const segments = sources.filter((source) => source.segment),
    others = sources.filter((source) => !source.segment);
  const above = root(
    segments.map((source) => source.high),
    related,
  );
  const below = (least: number) => (value > 0 ? root(widthsBelow(segments, value, least), related) : 0);
  let ofSegments = { above, below: below(0) };
  if (most !== undefined && value > 0 && computing > 0) {
    const mostAbove = computing * Math.expm1(most),
      mostBelow = -Math.log1p((computing / value) * Math.expm1(-most));
    ofSegments = {
      above: Math.min(above, mostAbove),
      below: below(kLeastEnd) > mostBelow ? mostBelow : ofSegments.below,
    };
  }
  const ofOthers = {
    above: root(
      others.map((source) => source.high),
      0,
    ),
    below: value > 0 ? root(widthsBelow(others, value, 0), 0) : 0,
  };
  return {
    above: Math.hypot(ofOthers.above, ofSegments.above),
    factorBelow: Math.exp(-Math.hypot(ofOthers.below, ofSegments.below)),
  };
}

const isPowerOfTwo = (value: number) =>
  value > 0 && Number.isInteger(value) && Number.isInteger(Math.log2(value));

function isInDomain(lattice: LatticeData, values: Values): boolean {
  return (
    lattice.whole.every((name) => Number.isInteger(values[name])) &&
    lattice.not_negative.every((name) => !(values[name] < 0))
  );
}

function isOn(lattice: LatticeData, values: Values): boolean {
  return (
    lattice.residues.every(([name, modulus, remainder]) =>
      modulus === 0 ? values[name] === remainder : (values[name] - remainder) % modulus === 0,
    ) &&
    lattice.powers.every((name) => isPowerOfTwo(values[name])) &&
    lattice.divided.every(([name, offset]) => (values[name] + offset) % values.p === 0) &&
    (!lattice.several || values.p > 1) &&
    isInDomain(lattice, values)
  );
}
