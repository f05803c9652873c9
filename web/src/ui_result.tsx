// One experiment: its progress, its graph and table, or the answer at one point.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Graph, Values, measuresOf, type Measure } from "./ui_graph";
import { cancel, isOpen, reportAddress } from "./ui_state";
import { fullTitle } from "./ui_words";
import { duration, percent, significant } from "./words";
import type { PointData, Prediction, RunData } from "./ui_types";

const kParts: [keyof Prediction["parts"], string, string][] = [
  ["compute", "computing", "compute"],
  ["memory", "memory", "memory"],
  ["message_startup", "message startup", "startup"],
  ["transfer", "transfer", "transfer"],
  ["wait", "waiting", "wait"],
];

function Parts({ answer }: { answer: Prediction }) {
  const total = answer.seconds.value;
  const parts = kParts
    .map(([part, name, style]) => ({ name, style, share: total > 0 ? answer.parts[part].value / total : 0 }))
    .filter((each) => each.share > 0);
  return (
    <>
      <div class="part-bar" aria-hidden="true">
        {parts.map((each) => (
          <i class={"fill-" + each.style} style={{ width: 100 * each.share + "%" }} />
        ))}
      </div>
      <ul class="keys">
        {parts.map((each) => (
          <li class="key">
            <i class={"key-fill-" + each.style} />
            {each.name} {percent(each.share)}
          </li>
        ))}
      </ul>
    </>
  );
}

function Answer({ answer }: { answer: Prediction }) {
  return (
    <>
      <p class="time">
        <strong>{duration(answer.seconds.value)}</strong>{" "}
        <span>
          {duration(answer.seconds.low)} .. {duration(answer.seconds.high)}{" "}
          <small>
            with {significant(100 * answer.seconds.level, 2)} % probability, by {answer.engine}
          </small>
        </span>
      </p>
      <Parts answer={answer} />
      {answer.regions && (
        <table>
          <thead>
            <tr>
              <th scope="col">region</th>
              <th scope="col" class="number">
                time
              </th>
              <th scope="col">share</th>
              <th scope="col">where</th>
            </tr>
          </thead>
          <tbody>
            {answer.regions.map((each) => (
              <tr>
                <th scope="row">{each.path}</th>
                <td class="number">{duration(each.seconds.value)}</td>
                <td>
                  <span class="bar">
                    <i
                      class="fill-total"
                      style={{
                        width: percent(each.seconds.value / answer.seconds.value).replace(/[< ]/g, ""),
                      }}
                    />
                  </span>
                  {percent(each.seconds.value / answer.seconds.value)}
                </td>
                <td class="place">{each.where}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </>
  );
}

/** Warnings of all points, each once. */
function Warnings({ points }: { points: PointData[] }) {
  const texts = [
    ...new Set(
      points.flatMap((point) =>
        (point.answer?.warnings ?? []).map((each) => (each.hint ? `${each.text}; ${each.hint}` : each.text)),
      ),
    ),
  ];
  if (!texts.length) return null;
  const items = <ul class="warnings">{texts.map((text) => <li>{text}</li>)}</ul>;
  return (
    <details open={texts.length <= 3}>
      <summary>{texts.length === 1 ? "One warning" : `${texts.length} warnings`}</summary>
      {items}
    </details>
  );
}

function Faults({ points }: { points: PointData[] }) {
  const failed = points.filter((point) => point.status === "failed");
  const faults = [...new Set(failed.map((point) => point.fault ?? ""))];
  return faults.length ? <ul class="faults">{faults.map((fault) => <li>{fault}</li>)}</ul> : null;
}

/** Time left by the share that is done since this page sees the run. */
function useTimeLeft(run: RunData, done: number): string {
  const began = useSignal({ id: 0, at: 0, share: 0 });
  useEffect(() => {
    if (began.value.id !== run.id) began.value = { id: run.id, at: performance.now(), share: done };
  });
  const gone = (performance.now() - began.value.at) / 1000, made = done - began.value.share;
  return began.value.id === run.id && gone > 1 && made > 0.02
    ? `, about ${duration((gone * (1 - done)) / made)} left`
    : "";
}

function ProgressOf({ run }: { run: RunData }) {
  const ended = run.points.filter((point) => point.status === "done" || point.status === "failed").length;
  const parts = run.points.reduce(
    (sum, point) => sum + (point.status === "running" ? (point.progress ?? 0) : 0),
    0,
  );
  const done = (ended + parts) / run.points.length;
  const left = useTimeLeft(run, done);
  const of = run.points.length === 1 ? percent(done) : `${ended} of ${run.points.length} points`;
  const word = {
    waiting: "waits",
    running: `is running: ${of}${left}`,
    done: run.points.length === 1 ? "is done" : `is done: ${of}`,
    failed: "has no answer",
    cancelled: `was cancelled: ${ended} of ${run.points.length} points`,
  }[run.status];
  return (
    <div class="progress">
      <p role="status">
        Experiment {run.id} {word}
      </p>
      {isOpen(run) && (
        <>
          <progress max="1" value={done} aria-label="of the experiment" />
          <button type="button" title="Escape" onClick={() => void cancel(run.id)}>
            Cancel
          </button>
        </>
      )}
    </div>
  );
}

export function MeasureChoice({
  runs,
  measure,
  logY,
  set,
  setLog,
}: {
  runs: RunData[];
  measure: Measure;
  logY: boolean;
  set: (measure: Measure) => void;
  setLog: (is: boolean) => void;
}) {
  const measures = measuresOf(runs);
  return (
    <div class="tabs" role="group" aria-label="Graph">
      {measures.length > 1 &&
        measures.map((each) => (
          <button type="button" aria-pressed={measure === each} onClick={() => set(each)}>
            {each}
          </button>
        ))}
      {measure !== "efficiency" && (
        <button type="button" aria-pressed={logY} onClick={() => setLog(!logY)}>
          logarithmic
        </button>
      )}
    </div>
  );
}

export function Curves({ runs }: { runs: RunData[] }) {
  const measure = useSignal<Measure>("time"), logY = useSignal(true);
  const shown = measuresOf(runs).includes(measure.value) ? measure.value : "time";
  return (
    <>
      <MeasureChoice
        runs={runs}
        measure={shown}
        logY={logY.value}
        set={(each) => (measure.value = each)}
        setLog={(is) => (logY.value = is)}
      />
      <div class="curves">
        <Graph runs={runs} measure={shown} logY={logY.value} />
        <Values runs={runs} />
      </div>
    </>
  );
}

export function Result({ run }: { run: RunData }) {
  const single = run.experiment.axes.length === 0;
  return (
    <section id="result" aria-label="Result">
      <h2>{fullTitle(run.experiment)}</h2>
      <ProgressOf run={run} />
      {single ? (
        run.points[0].answer && <Answer answer={run.points[0].answer} />
      ) : (
        <Curves key={run.id} runs={[run]} />
      )}
      <Faults points={run.points} />
      <Warnings points={run.points} />
      <p class="links">
        <a href={reportAddress(run.experiment)} target="_blank" rel="noopener">
          Report of {single ? "this point" : "its fixed values"}
        </a>{" "}
        <button type="button" onClick={() => print()}>
          Print
        </button>
      </p>
    </section>
  );
}
