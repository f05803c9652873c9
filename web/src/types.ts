// The explanation that `parcast report` writes into a page (docs/formats/report_page.md).

export type PartName = "compute" | "memory" | "startup" | "transfer" | "wait";

export interface CountData {
  value: number;
  number: number;
  error?: number;
  once?: number;
  alternatives?: number[];
  settlings?: number[];
}

export interface TermData {
  part: PartName;
  leaf: number;
  interval: number;
  phase: number;
  segment?: number;
  most?: number;
  count?: CountData;
  table?: [string, number];
  slopes?: Record<string, number>;
}

export interface CaseData {
  grids: number[];
  ranks: boolean;
  terms: TermData[];
  segments?: Record<string, { arguments: number[]; rivals?: number[] }>;
  symbols: string[];
  details: number;
}

export interface LayerData {
  p: number;
  nodes: number;
  case: number;
  extents: number[][];
  of_difference?: number;
  of_chain?: number;
  stand_in?: "messages" | "all";
}

/** Recorded and given seconds. */
type Compared = [number, number];

/** Recorded values of a variable, and what a model without the runs at its largest value missed there. */
export interface CheckedRange {
  name: string;
  smallest: number;
  largest: number;
  /** The largest value of the other runs. */
  remaining?: number;
  /** A factor. */
  missed?: number;
  /** Of the logarithm of given by the model of all runs / given. */
  growth?: number;
  in_costs?: true;
}

export interface ChecksData {
  runs: { p: number; parameters: Record<string, number>; computing: Compared; total?: Compared }[];
  ranges: CheckedRange[];
  /** The half width of all computing together is this quantile times the root of the squares of errors. */
  together?: { quantile: number; noise: number };
}

/** Weight, noise, degrees of freedom, whether the exponents are fitted, columns and values of the factor,
 *  terms. */
export type HypothesisData = [
  number,
  number,
  number,
  number,
  number,
  number[],
  [number, number[], number[]][],
];

export interface GrowthData {
  per_doubling: number;
  unsure?: number;
  /** Lowest, highest, distinct values, whether the effect is known otherwise, whether it is p. */
  ranges: [number, number, number, boolean, boolean][];
  hypotheses: HypothesisData[];
}

/**
 * A segment that forecasts correct: numbers of the segment, and of its executions and arguments among the
 * details.
 */
export interface CorrectedData {
  segment: number;
  executions: number;
  /** Additional executions that the first one takes. */
  first: number;
  arguments: number[];
  /** Relative, of a fitted count. */
  error?: number;
}

/** A part of the program with its segments and its inner parts, and its own forecast if that is used. */
export interface GroupData {
  parts: number[];
  groups: number[];
  whole?: { error: number; error_of_parts: number; arguments: number[]; growth: GrowthData };
}

export interface ForecastsData {
  level: number;
  quantiles: [number, number, number][];
  segments: CorrectedData[];
  groups: GroupData[];
  symbols: string[];
  details: number;
}

export interface LatticeData {
  powers: string[];
  several: boolean;
  whole: string[];
  not_negative: string[];
  residues: [string, number, number][];
  divided: [string, number][];
}

export interface ParameterData {
  name: string;
  value: number;
  recorded: number[];
  low: number;
  high: number;
  whole: boolean;
}

export interface Explanation {
  schema: string;
  program: string;
  machine_name: string;
  engine: string;
  p: number;
  seconds: number;
  low: number;
  high: number;
  level: number;
  quantile: number;
  noise: number;
  spread: number;
  related: number;
  recorded_p: number[];
  parameters: ParameterData[];
  machine: Record<string, [number, number]>;
  checks?: ChecksData;
  covariance: [string, string, number][];
  grids: [number, number[]][];
  domain: LatticeData;
  settlings: { variables: string[]; values: number[]; lattice: LatticeData }[];
  leaves: [string, string][];
  layers: LayerData[];
  quantiles: [number, number, number][];
  cases: CaseData[];
  forecasts?: ForecastsData;
  growth: Record<string, GrowthData>;
}

/** Writes the outputs for the symbols' values in `x`. */
export type Compiled = (x: Float64Array, out: Float64Array) => void;

/** Values of the problem's parameters and of machine costs that differ from the machine's. */
export interface Setting {
  parameters: Record<string, number>;
  machine: Record<string, number>;
}
