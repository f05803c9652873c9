// Sentences about experiments.
import { machineValue, significant, trimmed } from "./words";
import { shortName } from "./ui_state";
import type { Axis, Experiment, RunData } from "./ui_types";

export const number = (value: number): string =>
  Number.isInteger(value) && Math.abs(value) < 1e15 ? String(value) : trimmed(significant(value, 6));

/** "p = 16, N = 400", without what varies. */
export function fixedValues(experiment: Experiment): string {
  const varied = new Set(experiment.axes.map((axis) => axis.name));
  const values: [string, string][] = [
    ["p", number(experiment.processes)],
    ...Object.entries(experiment.parameters).map(([name, value]): [string, string] => [name, number(value)]),
  ];
  const changed = experiment.changes
    .filter((each) => !varied.has(each.name))
    .map(({ name, value }) => (value.startsWith("*") ? `${name} × ${value.slice(1)}` : `${name} = ${value}`));
  return [
    ...values.filter(([name]) => !varied.has(name)).map(([name, value]) => `${name} = ${value}`),
    ...changed,
  ].join(", ");
}

export const variedValues = (experiment: Experiment): string =>
  experiment.axes.map((axis) => `${axis.name} = ${axis.values}`).join(", ");

export const title = (experiment: Experiment): string =>
  `${shortName(experiment.model)} on ${shortName(experiment.machine)}`;

export function fullTitle(experiment: Experiment): string {
  return [
    title(experiment),
    experiment.engine === "auto" ? "" : experiment.engine,
    variedValues(experiment),
    fixedValues(experiment),
  ]
    .filter(Boolean)
    .join(", ");
}

/** What distinguishes an experiment from others in one graph. */
export function differences(run: RunData, all: RunData[]): string {
  if (all.length < 2) return "";
  const parts = (each: RunData): string[] => [
    shortName(each.experiment.model),
    shortName(each.experiment.machine),
    "engine " + each.experiment.engine,
    ...fixedValues(each.experiment).split(", "),
  ];
  const own = parts(run).filter((part) => !all.every((each) => parts(each).includes(part)));
  return own.length ? own.join(", ") : "no. " + run.id;
}

/** A value of a machine's parameter: "1 us" for 1e-06s. */
export const shortMachineValue = (name: string, value: number): string =>
  machineValue(name, value).replace(/\.0+(?= |$)|(\.\d*[1-9])0+(?= |$)/, "$1");

/** A value on an axis; ranges of measures come in base units. */
export function tickText(axis: Axis | undefined, tick: { text: string; number?: number }): string {
  return axis?.of_machine && tick.number !== undefined && /\de-/.test(tick.text)
    ? shortMachineValue(axis.name, tick.number)
    : tick.text;
}

export { machineValue };

export const date = (text: string): string =>
  text ? new Date(text).toLocaleString([], { dateStyle: "short", timeStyle: "short" }) : "";
