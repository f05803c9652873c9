// The form of an experiment: pull-downs, steppers and sliders. Enter in a field, or Control and Enter
// anywhere, runs it.
import { useId } from "preact/hooks";
import {
  change,
  chooseMachine,
  chooseModel,
  draft,
  largestRecorded,
  machine,
  model,
  named,
  runDraft,
  shipped,
  shortName,
  usualProcesses,
} from "./ui_state";
import { machineValue, number } from "./ui_words";
import { significant } from "./words";
import { kEngines, type Axis, type Engine } from "./ui_types";

const kSteps = 200; // of a slider

function rounded(value: number, whole: boolean): number {
  if (whole) return Math.max(1, Math.round(value));
  return Number(value.toPrecision(3));
}

/** A number with a slider on a logarithmic scale, buttons for half and twice, and a field. */
function NumberField({
  label,
  value,
  low,
  high,
  whole,
  note,
  set,
}: {
  label: string;
  value: number;
  low: number;
  high: number;
  whole: boolean;
  note?: string;
  set: (value: number) => void;
}) {
  const id = useId();
  const isLog = low > 0 && value > 0;
  const share = isLog ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  const at = (step: number): number =>
    isLog ? low * Math.pow(high / low, step / kSteps) : low + ((high - low) * step) / kSteps;
  const take = (next: number): void => void (Number.isFinite(next) && set(next));
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <span class="stepper">
        <button type="button" aria-label={`half of ${label}`} onClick={() => take(rounded(value / 2, whole))}>
          −
        </button>
        <input
          id={id}
          type="number"
          step="any"
          required
          value={value}
          onChange={(event) => take(event.currentTarget.valueAsNumber)}
        />
        <button type="button" aria-label={`twice ${label}`} onClick={() => take(rounded(value * 2, whole))}>
          +
        </button>
      </span>
      <input
        type="range"
        aria-label={`${label}, slider`}
        aria-valuetext={number(value)}
        min="0"
        max={kSteps}
        value={Math.round(kSteps * Math.min(1, Math.max(0, share)))}
        onInput={(event) => take(rounded(at(event.currentTarget.valueAsNumber), whole))}
      />
      {note && <small>{note}</small>}
    </div>
  );
}

/** How far a value is beyond the recordings. */
function beyond(value: number, recorded: number[]): string | undefined {
  const low = Math.min(...recorded), high = Math.max(...recorded);
  if (value > high && high > 0) return `${significant(value / high, 3)} times the largest recorded`;
  return value < low ? "less than recorded" : undefined;
}

function Values() {
  const info = model.value!, experiment = draft.value;
  const varied = new Set(experiment.axes.map((axis) => axis.name));
  const most = largestRecorded(info);
  return (
    <>
      {!varied.has("p") && (
        <NumberField
          label="processes"
          value={experiment.processes}
          low={1}
          high={Math.max(64, 64 * most)}
          whole
          note={info.is_recorded ? beyond(experiment.processes, info.processes) : undefined}
          set={(processes) => change({ processes: Math.max(1, Math.round(processes)) })}
        />
      )}
      {info.parameters
        .filter(({ name }) => !varied.has(name))
        .map(({ name, values }) => {
          const low = Math.min(...values),
            high = Math.max(...values) * (info.is_recorded ? 16 : 8);
          const whole = values.every(Number.isInteger);
          return (
            <NumberField
              key={name}
              label={name}
              value={experiment.parameters[name]}
              low={low}
              high={high > low ? high : low + 1}
              whole={whole}
              note={info.is_recorded ? beyond(experiment.parameters[name], values) : undefined}
              set={(value) => change({ parameters: { ...experiment.parameters, [name]: value } })}
            />
          );
        })}
    </>
  );
}

/** Lists of values to choose from; the field takes any other. */
function presets(name: string, isOfMachine: boolean): string[] {
  const info = model.value!;
  if (isOfMachine) return ["*0.25,*0.5,*1,*2,*4", "*0.1,*1,*10", "*1..*64*2"];
  if (name === "p")
    return [
      usualProcesses(info),
      usualProcesses(info).replace("*2", "*4"),
      info.processes.length ? info.processes.map(number).join(",") : "1,2,4,8",
    ];
  const values = info.parameters.find((each) => each.name === name)?.values ?? [1];
  const low = Math.min(...values), high = Math.max(...values);
  return [
    `${number(low)}..${number(high * 8)}*2`,
    `${number(low)}..${number(high * 4)}/7`,
    [...values]
      .sort((a, b) => a - b)
      .map(number)
      .join(","),
  ];
}

/** Groups of a machine's parameters, as ExtraP orders them. */
const kGroups: [string, RegExp][] = [
  [
    "processor",
    /^((shared_)?core_speed|noise|drift|memory\b|memory\.|first_|cache|page|nodes$|cores|sockets|working)/,
  ],
  ["barrier", /barrier/],
  ["network interface", /overhead|startup/],
  ["remote access", /remote|access|one_sided|put|get\b/],
  ["interconnect", /^(links|network|system|patterns|collectives)/],
];
const groupOf = (name: string): string => kGroups.find(([, pattern]) => pattern.test(name))?.[0] ?? "general";

function AxisChoice({ index }: { index: number }) {
  const id = useId(), listId = useId();
  const axis = draft.value.axes[index] as Axis | undefined;
  const others = new Set(draft.value.axes.filter((_, i) => i !== index).map((each) => each.name));
  const put = (next: Axis | undefined): void =>
    change({
      axes: [
        ...draft.value.axes.slice(0, index),
        ...(next ? [next] : []),
        ...draft.value.axes.slice(index + 1),
      ],
    });
  const choose = (name: string): void => {
    const of_machine = name !== "p" && !model.value!.parameters.some((each) => each.name === name);
    put(name ? { name, of_machine, values: presets(name, of_machine)[0] } : undefined);
  };
  const ofRun = ["p", ...model.value!.parameters.map((each) => each.name)].filter(
    (name) => !others.has(name),
  );
  const ofMachine = (machine.value?.parameters ?? [])
    .map((each) => each.name)
    .filter((name) => !others.has(name));
  if (axis?.of_machine && !ofMachine.includes(axis.name)) ofMachine.unshift(axis.name);
  const choices = axis ? presets(axis.name, axis.of_machine) : [];
  return (
    <div class="field axis">
      <label for={id}>{index === 0 ? "vary" : "and"}</label>
      <select id={id} value={axis?.name ?? ""} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">{index === 0 ? "nothing: one point" : "nothing else"}</option>
        <optgroup label="of the run">
          {ofRun.map((name) => (
            <option value={name}>{name === "p" ? "p, processes" : name}</option>
          ))}
        </optgroup>
        <optgroup label="of the machine">
          {ofMachine.map((name) => (
            <option value={name}>{name}</option>
          ))}
        </optgroup>
      </select>
      {axis && (
        <>
          <input
            type="text"
            aria-label={`values of ${axis.name}`}
            list={listId}
            required
            spellcheck={false}
            value={axis.values}
            onInput={(event) => put({ ...axis, values: event.currentTarget.value })}
          />
          <datalist id={listId}>
            {choices.map((each) => (
              <option value={each} />
            ))}
          </datalist>
          <select
            aria-label={`lists of values of ${axis.name}`}
            value={choices.includes(axis.values) ? axis.values : ""}
            onChange={(event) =>
              event.currentTarget.value && put({ ...axis, values: event.currentTarget.value })
            }
          >
            <option value="">own list</option>
            {choices.map((each) => (
              <option value={each}>{each}</option>
            ))}
          </select>
        </>
      )}
    </div>
  );
}

const kFactors = ["*0.1", "*0.25", "*0.5", "*2", "*4", "*10"];

function MachineParameter({ name, value }: { name: string; value: number }) {
  const id = useId();
  const present = draft.value.changes.find((each) => each.name === name)?.value ?? "";
  const set = (text: string): void =>
    change({
      changes: [
        ...draft.value.changes.filter((each) => each.name !== name),
        ...(text.trim() ? [{ name, value: text.trim() }] : []),
      ],
    });
  return (
    <div class={"parameter" + (present ? " changed" : "")}>
      <label for={id} title={name}>
        {name}
      </label>
      <input
        id={id}
        type="text"
        spellcheck={false}
        placeholder={machineValue(name, value)}
        value={present}
        onChange={(event) => set(event.currentTarget.value)}
      />
      <select
        aria-label={`factor of ${name}`}
        value={kFactors.includes(present) ? present : ""}
        onChange={(event) => set(event.currentTarget.value)}
      >
        <option value="">{present && !kFactors.includes(present) ? "own" : "as is"}</option>
        {kFactors.map((factor) => (
          <option value={factor}>× {factor.slice(1)}</option>
        ))}
      </select>
    </div>
  );
}

function MachineParameters() {
  const info = machine.value;
  if (!info) return null;
  const groups = new Map<string, typeof info.parameters>();
  for (const each of info.parameters)
    groups.set(groupOf(each.name), [...(groups.get(groupOf(each.name)) ?? []), each]);
  const changed = draft.value.changes.length;
  return (
    <details class="machine-parameters" open={changed > 0}>
      <summary>
        Parameters of {shortName(info.name)}
        {changed > 0 && `: ${changed} changed`}
      </summary>
      <div class="groups">
        {[...groups].sort().map(([group, parameters]) => (
          <details
            key={group}
            open={parameters.some(({ name }) => draft.value.changes.some((each) => each.name === name))}
          >
            <summary>
              {group} <small>{parameters.length}</small>
            </summary>
            {parameters.map((each) => (
              <MachineParameter key={each.name} {...each} />
            ))}
          </details>
        ))}
      </div>
      {changed > 0 && (
        <button type="button" onClick={() => change({ changes: [] })}>
          As measured
        </button>
      )}
    </details>
  );
}

const kEngineHelp: Record<Engine, string> = {
  auto: "the closed form where it agrees with the run",
  equation: "the closed form",
  interpret: "rank by rank",
  simulate: "message by message",
};

function Choices() {
  const modelId = useId(), machineId = useId();
  const experiment = draft.value, here = named("machine");
  return (
    <>
      <div class="field">
        <label for={modelId}>model</label>
        <select
          id={modelId}
          value={experiment.model}
          onChange={(event) => void chooseModel(event.currentTarget.value)}
        >
          {named("model").map((entry) => (
            <option value={entry.path}>{entry.path}</option>
          ))}
        </select>
      </div>
      <div class="field">
        <label for={machineId}>machine</label>
        <select
          id={machineId}
          value={experiment.machine}
          onChange={(event) => void chooseMachine(event.currentTarget.value)}
        >
          {here.length > 0 && (
            <optgroup label="here">
              {here.map((entry) => (
                <option value={entry.path}>{entry.path}</option>
              ))}
            </optgroup>
          )}
          <optgroup label="of Parcast">
            {shipped.value.map(({ name, description }) => (
              <option value={name} title={description}>
                {name}
              </option>
            ))}
          </optgroup>
        </select>
      </div>
      <fieldset class="engines">
        <legend>engine</legend>
        {kEngines.map((engine) => (
          <label title={kEngineHelp[engine]}>
            <input
              type="radio"
              name="engine"
              value={engine}
              checked={experiment.engine === engine}
              onChange={() => change({ engine })}
            />
            <span>{engine}</span>
          </label>
        ))}
      </fieldset>
    </>
  );
}

export function Form() {
  if (!model.value) return <p class="quiet">Loading the model …</p>;
  const run = (event: Event): void => {
    event.preventDefault();
    void runDraft();
  };
  return (
    <form class="experiment-form" aria-label="Experiment" onSubmit={run}>
      <Choices />
      <AxisChoice index={0} />
      {draft.value.axes.length > 0 && <AxisChoice index={1} />}
      <Values />
      <MachineParameters />
      <div class="buttons">
        <button type="submit" class="main" title="Control and Enter">Run</button>
        <button type="button" onClick={() => void chooseModel(draft.value.model)}>Reset</button>
      </div>
    </form>
  );
}
