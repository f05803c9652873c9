// Earlier experiments: open them, compare up to four in one graph, use their values again, save a
// description.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import {
  cancel,
  compared,
  get,
  isOpen,
  kMostCompared,
  loadLibrary,
  notice,
  post,
  remove,
  runs,
  shortName,
  shown,
  useAgain,
  view,
} from "./ui_state";
import { Curves } from "./ui_result";
import { date, fixedValues, number, title, variedValues } from "./ui_words";
import { duration } from "./words";
import type { RunData } from "./ui_types";

function Comparison() {
  const chosen = runs.value.filter((run) => compared.value.includes(run.id));
  if (chosen.length < 2) return null;
  const axes = new Set(chosen.map((run) => run.experiment.axes[0]?.name ?? ""));
  const why = axes.has("")
    ? "An experiment of one point has no curve; choose those that vary something."
    : axes.size > 1
      ? `These experiments vary different things: ${[...axes].join(", ")}.`
      : "";
  return (
    <section id="comparison" aria-label="Comparison">
      <h2>{chosen.length} experiments compared</h2>
      {why ? <p class="quiet">{why}</p> : <Curves runs={chosen} />}
      <p class="links"><button type="button" onClick={() => print()}>Print</button></p>
    </section>
  );
}

/** Values of the first runs that a study would make: those that the model was recorded at. */
async function recordedValues(run: RunData): Promise<{ name: string; values: string }[]> {
  const info = await get<{ parameters: { name: string; values: number[] }[]; processes: number[] }>(
    "api/model",
    { path: run.experiment.model },
  );
  const processes = info.processes.filter((p) => p < 1e6);
  const list = (values: number[]): string => [...values].sort((a, b) => a - b).map(number).join(",");
  return [
    { name: "p", values: processes.length > 1 ? list(processes) : "1,2" },
    ...info.parameters.map(({ name, values }) => ({ name, values: list(values) })),
  ];
}

const placeholders = (line: string): Set<string> =>
  new Set([...line.matchAll(/(?<![${])\{([A-Za-z_]\w*)\}/g)].map((found) => found[1]));

function Save({ run, close }: { run: RunData; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { experiment } = run;
  const name = useSignal(`${shortName(experiment.model)}.study.toml`),
    replace = useSignal(false),
    fault = useSignal("");
  const launch = useSignal(
    `mpirun -n {p} ./${shortName(experiment.model)} ${Object.keys(experiment.parameters)
      .map((each) => `{${each}}`)
      .join(" ")}`.trim(),
  );
  useEffect(() => dialog.current!.showModal(), []);
  const save = (event: Event): void => {
    event.preventDefault();
    fault.value = "";
    void (async () => {
      try {
        const wanted = placeholders(launch.value);
        const values: Record<string, number> = { p: experiment.processes, ...experiment.parameters };
        const { file } = await post<{ file: string }>("api/descriptions", {
          name: name.value,
          replace: replace.value,
          launch: launch.value,
          machine: experiment.machine,
          recorded_on: experiment.recorded_on,
          engine: experiment.engine,
          level: experiment.level,
          vary: (await recordedValues(run)).filter((each) => wanted.has(each.name)),
          ask: Object.fromEntries(Object.entries(values).filter(([each]) => wanted.has(each))),
          set: experiment.changes.map((each) => ({ name: each.name, values: each.value })),
          graph: experiment.axes.map((axis) => ({ name: axis.name, values: axis.values })),
        });
        close();
        await loadLibrary();
        notice.value = `The description is in ${file}; parcast study ${file} makes the runs and the answer.`;
      } catch (error) {
        fault.value = error instanceof Error ? error.message : String(error);
      }
    })();
  };
  return (
    <dialog ref={dialog} onClose={close} aria-label="Save a description">
      <form onSubmit={save}>
        <h2>Save a description</h2>
        <p class="quiet">
          For <code>parcast study</code>: it makes the runs, the model, the answer and this graph.
        </p>
        <label>
          file{" "}
          <input
            type="text"
            required
            value={name.value}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
        </label>
        <label>
          launch line, with {"{p}"} and the parameters' names in braces{" "}
          <input
            type="text"
            required
            value={launch.value}
            onInput={(event) => (launch.value = event.currentTarget.value)}
          />
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={replace.value}
            onChange={(event) => (replace.value = event.currentTarget.checked)}
          />{" "}
          replace an older file
        </label>
        {fault.value && (
          <p class="notice" role="alert">
            {fault.value}
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="main">
            Save
          </button>
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      </form>
    </dialog>
  );
}

function answerOf(run: RunData): string {
  const done = run.points.filter((point) => point.answer);
  if (run.experiment.axes.length === 0)
    return done.length ? duration(done[0].answer!.seconds.value) : run.status;
  return `${done.length} of ${run.points.length} points${run.status === "done" ? "" : ", " + run.status}`;
}

function Row({ run, save }: { run: RunData; save: (run: RunData) => void }) {
  const { experiment } = run;
  const isChosen = compared.value.includes(run.id);
  const choose = (is: boolean): void =>
    void (compared.value = is ? [...compared.value, run.id] : compared.value.filter((id) => id !== run.id));
  const open = (): void => {
    shown.value = run.id;
    view.value = "experiment";
    void useAgain(run);
  };
  const button = (label: string, act: () => void) => (
    <button type="button" aria-label={`${label}: experiment ${run.id}`} onClick={act}>
      {label}
    </button>
  );
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          aria-label={`compare experiment ${run.id}`}
          checked={isChosen}
          disabled={!isChosen && compared.value.length >= kMostCompared}
          onChange={(event) => choose(event.currentTarget.checked)}
        />
      </td>
      <th scope="row">
        {run.id}. {title(experiment)}
      </th>
      <td>{experiment.engine}</td>
      <td>{variedValues(experiment)}</td>
      <td>{fixedValues(experiment)}</td>
      <td>{answerOf(run)}</td>
      <td class="place">{date(run.begun)}</td>
      <td class="actions">
        {button("Open", open)}
        {button("Save", () => save(run))}
        {isOpen(run)
          ? button("Cancel", () => void cancel(run.id))
          : button("Remove", () => void remove(run.id))}
      </td>
    </tr>
  );
}

export function History() {
  const saving = useSignal<RunData | undefined>(undefined);
  return (
    <>
      <Comparison />
      <section aria-label="History">
        <h2>
          History <small>{runs.value.length}</small>
        </h2>
        {runs.value.length === 0 && <p class="quiet">None yet.</p>}
        {runs.value.length > 0 && (
          <>
            <p class="quiet">Two to four of them are compared in one graph.</p>
            <div class="scroll">
              <table>
                <thead>
                  <tr>
                    <th scope="col">compare</th>
                    <th scope="col">experiment</th>
                    <th scope="col">engine</th>
                    <th scope="col">varies</th>
                    <th scope="col">fixed</th>
                    <th scope="col">answer</th>
                    <th scope="col">begun</th>
                    <th scope="col">
                      <span class="hidden">actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {[...runs.value].reverse().map((run) => (
                    <Row key={run.id} run={run} save={(each) => (saving.value = each)} />
                  ))}
                </tbody>
              </table>
            </div>
          </>
        )}
      </section>
      {saving.value && <Save run={saving.value} close={() => (saving.value = undefined)} />}
    </>
  );
}

