// Sliders for sizes, processes and machine costs. The closed form in the page gives the time, its interval
// and the shares at their values.
import { batch, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { Chart, type Curve, type View } from "./chart";
import type { Answer, Equation } from "./equation";
import type { ParameterData, PartName, Setting } from "./types";
import { duration, machineValue, percent, significant, signedPercent } from "./words";

const kSteps = 1000;
const kParts: [PartName, string][] = [
  ["compute", "computing"],
  ["memory", "memory"],
  ["startup", "message start-up"],
  ["transfer", "message transfer"],
  ["wait", "waiting"],
];
const kMostLeaves = 8;
const kMostMachine = 6;
/** Pixels up to which the sliders are above the answer, with those of the machine hidden. */
const kNarrow = 860;
/** Machine costs go from a tenth to ten times their value. */
const kDecades = 1;

interface Scale {
  toStep(value: number): number;
  toValue(step: number): number;
}

function scaleOf({ low, high, whole }: ParameterData): Scale {
  const logarithmic = low > 0 && high / low > 4;
  const rounded = (value: number) => (whole ? Math.round(value) : Number(value.toPrecision(4)));
  if (logarithmic)
    return {
      toStep: (v) => (kSteps * Math.log(v / low)) / Math.log(high / low),
      toValue: (s) => rounded(low * Math.pow(high / low, s / kSteps)),
    };
  return {
    toStep: (v) => (high > low ? (kSteps * (v - low)) / (high - low) : 0),
    toValue: (s) => rounded(low + ((high - low) * s) / kSteps),
  };
}

function Slider(props: {
  label: string;
  shown: string;
  changed: boolean;
  step: number;
  steps: number;
  note?: string;
  set: (step: number) => void;
  reset: () => void;
}) {
  return (
    <div class="slider">
      <label>
        <span>{props.label}</span>
        <output class={props.changed ? "changed" : ""}>{props.shown}</output>
        <input
          type="range"
          min={0}
          max={props.steps}
          step={props.steps > 100 ? "any" : 1}
          value={props.step}
          aria-valuetext={props.shown}
          onKeyDown={(event) => {
            const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[
              event.key
            ];
            if (by === undefined || props.steps <= 100) return;
            event.preventDefault();
            props.set(Math.min(props.steps, Math.max(0, props.step + (by * props.steps) / 200)));
          }}
          onInput={(event) => props.set(Number(event.currentTarget.value))}
          onDblClick={props.reset}
        />
      </label>
      {props.note && <small>{props.note}</small>}
    </div>
  );
}

function ParameterSlider({
  data,
  value,
  set,
}: {
  data: ParameterData;
  value: number;
  set: (value: number) => void;
}) {
  const scale = scaleOf(data);
  const most = Math.max(...data.recorded);
  const note =
    data.recorded.length && value > most
      ? `${significant(value / most, 3)} times the largest recorded`
      : undefined;
  return (
    <div class="with-number">
      <Slider
        label={data.name}
        shown={String(value)}
        changed={value !== data.value}
        step={scale.toStep(value)}
        steps={kSteps}
        note={note}
        set={(step) => set(scale.toValue(step))}
        reset={() => set(data.value)}
      />
      <input
        type="number"
        aria-label={`${data.name}, exactly`}
        value={value}
        step={data.whole ? 1 : "any"}
        onChange={(event) => {
          const typed = Number(event.currentTarget.value);
          if (Number.isFinite(typed) && event.currentTarget.value !== "")
            set(Math.min(data.high, Math.max(data.low, data.whole ? Math.round(typed) : typed)));
          event.currentTarget.value = String(value);
        }}
      />
    </div>
  );
}

/** Machine costs by their influence on the time asked for. */
function influential(equation: Equation): string[] {
  const { p, machine } = equation.data;
  const asked = equation.asked();
  const base = equation.answer(p, asked)?.seconds ?? 0;
  const change = (name: string) => {
    const more = equation.answer(p, { ...asked, machine: { [name]: machine[name][0] * 1.01 } })?.seconds;
    return more === undefined || !(base > 0) ? 0 : Math.abs(more / base - 1);
  };
  return Object.keys(machine)
    .filter((name) => machine[name][0] > 0)
    .map((name) => [name, change(name)] as const)
    .filter(([, by]) => by > 1e-6)
    .sort((a, b) => b[1] - a[1])
    .map(([name]) => name);
}

function curveOf(
  view: View,
  answers: (Answer | undefined)[],
  asked: (Answer | undefined)[],
  p: number[],
): Curve {
  const alone = (all: (Answer | undefined)[]) => (p[0] === 1 ? all[0]?.seconds : undefined);
  const value = (all: (Answer | undefined)[], i: number, of: (answer: Answer) => number) => {
    const answer = all[i],
      one = alone(all);
    if (!answer) return null;
    if (view === "time") return of(answer);
    if (one === undefined) return null;
    return one / of(answer) / (view === "efficiency" ? p[i] : 1);
  };
  const first = answers.findIndex((each) => each);
  const ideal = (i: number) =>
    view === "time"
      ? first < 0
        ? null
        : (answers[first]!.seconds * p[first]) / p[i]
      : view === "efficiency"
        ? 1
        : p[i];
  const positive = (x: number | null) => (x !== null && x > 0 && Number.isFinite(x) ? x : null);
  return {
    p,
    value: p.map((_, i) => positive(value(answers, i, (a) => a.seconds))),
    low: p.map((_, i) =>
      view === "time" ? positive(value(answers, i, (a) => Math.max(a.low, a.seconds * 1e-3))) : null,
    ),
    high: p.map((_, i) =>
      view === "time" ? positive(value(answers, i, (a) => Math.min(a.high, a.seconds * 1e3))) : null,
    ),
    asked: p.map((_, i) => positive(value(asked, i, (a) => a.seconds))),
    ideal: p.map((_, i) => positive(ideal(i))),
  };
}

function Headline({
  answer,
  equation,
  setting,
}: {
  answer: Answer | undefined;
  equation: Equation;
  setting: Setting;
}) {
  if (!answer)
    return (
      <p class="time">
        <strong>–</strong> <span>the equation has no value here</span>
      </p>
    );
  const asked = equation.answer(equation.data.p, equation.asked())?.seconds;
  const change = asked ? answer.seconds / asked - 1 : 0;
  const machines = Object.keys(setting.machine).length;
  return (
    <>
      <p class="time" role="status">
        <strong>{duration(answer.seconds)}</strong>{" "}
        <span>
          {duration(answer.low)} .. {duration(answer.high)}{" "}
          <small>with {significant(100 * equation.data.level, 2)} % probability</small>
        </span>
        {Math.abs(change) > 5e-4 && (
          <span class={"chip " + (change > 0 ? "beyond-data" : "good")}>
            {Math.abs(change) < 10 ? signedPercent(change) : significant(change + 1, 3) + " times"} against
            the question
          </span>
        )}
      </p>
      {answer.atMost > 1.0005 * answer.seconds && (
        <p class="quiet">
          Different ranks are slowest in turn here: the time is at most {duration(answer.atMost)}, and the
          waits between them are scaled from the question. parcast predict follows the ranks.
        </p>
      )}
      {machines > 0 && (
        <p class="quiet">
          {machines === 1 ? "A machine cost is" : machines + " machine costs are"} not those of{" "}
          {equation.data.machine_name}.
        </p>
      )}
    </>
  );
}

function Parts({ answer }: { answer: Answer }) {
  const all = kParts
    .map(([part, name]) => ({
      part,
      name,
      share: answer.seconds > 0 ? answer.parts[part] / answer.seconds : 0,
    }))
    .filter((each) => each.share > 0);
  return (
    <>
      <div class="part-bar" aria-hidden="true">
        {all.map((each) => (
          <i class={"fill-" + each.part} style={{ width: 100 * each.share + "%" }} />
        ))}
      </div>
      <ul class="keys">
        {all.map((each) => (
          <li class="key">
            <i class={"key-fill-" + each.part} />
            {each.name} {percent(each.share)}
          </li>
        ))}
      </ul>
    </>
  );
}

function Leaves({ answer, equation }: { answer: Answer; equation: Equation }) {
  const rows = answer.leaves
    .map((seconds, i) => ({ seconds, path: equation.data.leaves[i][0], where: equation.data.leaves[i][1] }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, kMostLeaves)
    .filter((each) => each.seconds > 0);
  return (
    <table class="leaves">
      <thead>
        <tr>
          <th scope="col">region</th>
          <th scope="col" class="number">
            time
          </th>
          <th scope="col">share</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((each) => (
          <tr>
            <th scope="row" title={each.where}>
              {each.path}
            </th>
            <td class="number">{duration(each.seconds)}</td>
            <td>
              <span class="bar">
                <i class="fill-total" style={{ width: (100 * each.seconds) / answer.seconds + "%" }} />
              </span>
              {percent(each.seconds / answer.seconds)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function Live({ equation }: { equation: Equation }) {
  const { data } = equation;
  const layers = data.layers.map((each) => each.p);
  const askedAnswers = useComputed(() => layers.map((p) => equation.answer(p, equation.asked())));
  const p = useSignal(layers.includes(data.p) ? data.p : layers[0]);
  const setting = useSignal<Setting>(equation.asked());
  const view = useSignal<View>("time");
  const answer = useComputed(() => equation.answer(p.value, setting.value));
  const answers = useSignal<(Answer | undefined)[]>([]);
  const names = useComputed(() => influential(equation));
  const curve = useComputed(() =>
    curveOf(
      view.value,
      answers.value.length ? answers.value : askedAnswers.value,
      askedAnswers.value,
      layers,
    ),
  );
  // The curve needs one evaluation for each process count: it follows in pieces, so that the sliders stay
  // smooth.
  useSignalEffect(() => {
    const wanted = setting.value;
    const found: (Answer | undefined)[] = [];
    let timer = 0;
    const go = () => {
      const until = performance.now() + 12;
      while (found.length < layers.length && performance.now() < until)
        found.push(equation.answer(layers[found.length], wanted));
      if (found.length < layers.length) timer = window.setTimeout(go);
      else answers.value = found;
    };
    timer = window.setTimeout(go);
    return () => clearTimeout(timer);
  });
  const setParameter = (name: string, value: number) =>
    (setting.value = { ...setting.value, parameters: { ...setting.value.parameters, [name]: value } });
  const setMachine = (name: string, factor: number) => {
    const machine = { ...setting.value.machine };
    if (factor === 1) delete machine[name];
    else machine[name] = data.machine[name][0] * factor;
    setting.value = { ...setting.value, machine };
  };
  const reset = () => batch(() => ((setting.value = equation.asked()), (p.value = data.p)));
  const machineSlider = (name: string) => {
    const value = setting.value.machine[name] ?? data.machine[name][0];
    const factor = value / data.machine[name][0];
    return (
      <Slider
        key={name}
        label={name}
        shown={machineValue(name, value)}
        changed={name in setting.value.machine}
        step={(kSteps * (Math.log10(factor) / kDecades + 1)) / 2}
        steps={kSteps}
        set={(step) =>
          setMachine(
            name,
            Math.abs(step - kSteps / 2) < kSteps / 100
              ? 1
              : Math.pow(10, ((2 * step) / kSteps - 1) * kDecades),
          )
        }
        reset={() => setMachine(name, 1)}
      />
    );
  };
  const own = askedAnswers.value[layers.indexOf(data.p)]?.seconds;
  const differs = own !== undefined && Math.abs(own - data.seconds) > 1e-6 * data.seconds;
  const views: View[] = layers[0] === 1 ? ["time", "speed-up", "efficiency"] : ["time"];
  const recordedMost = Math.max(0, ...data.recorded_p);
  return (
    <section id="explore">
      <h2>Explore</h2>
      <div class="explore">
        <div class="tools" role="group" aria-label="Values">
          <Slider
            label="processes"
            shown={String(p.value)}
            changed={p.value !== data.p}
            step={layers.indexOf(p.value)}
            steps={layers.length - 1}
            note={
              recordedMost && p.value > recordedMost
                ? `${significant(p.value / recordedMost, 3)} times the largest recorded`
                : undefined
            }
            set={(step) => (p.value = layers[Math.round(step)])}
            reset={() => (p.value = data.p)}
          />
          {data.parameters.map((each) => (
            <ParameterSlider
              key={each.name}
              data={each}
              value={setting.value.parameters[each.name]}
              set={(value) => setParameter(each.name, value)}
            />
          ))}
          {names.value.length > 0 && (
            <details class="machine" open={innerWidth > kNarrow}>
              <summary>Costs of {data.machine_name}</summary>
              {names.value.slice(0, kMostMachine).map(machineSlider)}
              {names.value.length > kMostMachine && (
                <details>
                  <summary>{names.value.length - kMostMachine} more</summary>
                  {names.value.slice(kMostMachine).map(machineSlider)}
                </details>
              )}
            </details>
          )}
          <button type="button" class="reset" onClick={reset}>
            Back to the question
          </button>
        </div>
        <div class="result">
          <Headline answer={answer.value} equation={equation} setting={setting.value} />
          {differs && (
            <p class="quiet">
              The sliders use the closed form, which gives {duration(own!)} for the question; the answer above
              comes from the engine {data.engine}.
            </p>
          )}
          {answer.value && <Parts answer={answer.value} />}
          <div class="tabs" role="group" aria-label="Chart">
            {views.map((each) => (
              <button type="button" aria-pressed={view.value === each} onClick={() => (view.value = each)}>
                {each}
              </button>
            ))}
          </div>
          <Chart view={view.value} curve={curve.value} chosen={p.value} choose={(at) => (p.value = at)} />
          {answer.value && <Leaves answer={answer.value} equation={equation} />}
        </div>
      </div>
    </section>
  );
}
