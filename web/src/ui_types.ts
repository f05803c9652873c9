// What the server of parcast ui sends (docs/formats/ui.md).

export type Kind = "model" | "machine" | "recording" | "study" | "description";

export interface Entry {
  kind: Kind;
  path: string;
  /** Seconds since 1970. */
  changed: number;
  model?: string;
  machine?: string;
}

export interface Axis {
  name: string;
  values: string;
  of_machine: boolean;
}

export interface Change {
  name: string;
  value: string;
}

export interface Experiment {
  model: string;
  machine: string;
  engine: Engine;
  processes: number;
  threads: number;
  ranks_per_node: number;
  level: number;
  recorded_on: string;
  parameters: Record<string, number>;
  changes: Change[];
  axes: Axis[];
}

export const kEngines = ["auto", "equation", "interpret", "simulate"] as const;
export type Engine = (typeof kEngines)[number];

export interface Estimate {
  value: number;
  low: number;
  high: number;
  level: number;
}

export interface Prediction {
  engine: string;
  program: string;
  machine: string;
  nodes: number;
  seconds: Estimate;
  parts: Record<"compute" | "memory" | "message_startup" | "transfer" | "wait", Estimate>;
  regions?: { path: string; where: string; seconds: Estimate }[];
  warnings?: { text: string; hint?: string }[];
}

export interface PointData {
  at: { text: string; number?: number }[];
  status: "waiting" | "running" | "done" | "failed" | "cancelled";
  progress?: number;
  answer?: Prediction;
  fault?: string;
}

export interface RunData {
  id: number;
  begun: string;
  status: PointData["status"];
  experiment: Experiment;
  points: PointData[];
}

export interface ModelInfo {
  program: string;
  parameters: { name: string; values: number[] }[];
  processes: number[];
  /** Made of recordings; else written by hand. */
  is_recorded: boolean;
}

export interface MachineInfo {
  name: string;
  parameters: { name: string; value: number }[];
}

export interface Description {
  launch: string;
  machine: string;
  recorded_on: string;
  engine: string;
  level: number;
  vary: { name: string; values: string }[];
  ask: Record<string, number>;
  set: { name: string; values: string }[];
  graph: { name: string; values: string }[];
}
