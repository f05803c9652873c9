// What the page shows, and its requests to the server.
import { batch, computed, signal } from "@preact/signals";
import type {
  Axis,
  Description,
  Engine,
  Entry,
  Experiment,
  MachineInfo,
  ModelInfo,
  PointData,
  RunData,
} from "./ui_types";
import { kEngines } from "./ui_types";

export type View = "library" | "experiment" | "history";

export const view = signal<View>("library");
export const folder = signal("");
export const entries = signal<Entry[]>([]);
/** Machines that Parcast has, by name. */
export const shipped = signal<{ name: string; from: string; description: string }[]>([]);
export const runs = signal<RunData[]>([]);
export const shown = signal(0); // number of the run beside the form
export const compared = signal<number[]>([]);
export const notice = signal("");
export const isListed = signal(false); // the folder's entries are known
export const choosing = signal(""); // model that is being read
export const isConnected = signal(true);
export const model = signal<ModelInfo | undefined>(undefined);
export const machine = signal<MachineInfo | undefined>(undefined);
export const draft = signal<Experiment>({
  model: "",
  machine: "",
  engine: "auto",
  processes: 1,
  threads: 1,
  ranks_per_node: 0,
  level: 0.9,
  recorded_on: "",
  parameters: {},
  changes: [],
  axes: [],
});

export const kMostCompared = 4;

export const shownRun = computed(() => runs.value.find((run) => run.id === shown.value));
export const isOpen = (run: RunData): boolean => run.status === "running" || run.status === "waiting";

export function change(part: Partial<Experiment>): void {
  draft.value = { ...draft.value, ...part };
}

interface Fault {
  error?: { what: string; where?: string; hint?: string };
}

async function answerOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (response.ok)
    return response.headers.get("content-type")?.startsWith("application/json") ? JSON.parse(text) : text;
  let fault: Fault = {};
  try {
    fault = JSON.parse(text) as Fault;
  } catch {
    // a refusal of the server's library has no JSON
  }
  const { what, hint } = fault.error ?? { what: "the server refuses the request: " + response.status };
  throw new Error(hint ? `${what}; ${hint}` : what);
}

export async function get<T>(path: string, query: Record<string, string> = {}): Promise<T> {
  const words = new URLSearchParams(query).toString();
  return (await answerOf(await fetch(words ? `${path}?${words}` : path))) as T;
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  return (await answerOf(
    await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Parcast": "1" },
      body: JSON.stringify(body),
    }),
  )) as T;
}

/** Shows why something failed; nothing of the page is lost by it. */
export async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    notice.value = "";
    await work();
  } catch (error) {
    notice.value = error instanceof Error ? error.message : String(error);
  }
}

export const loadLibrary = (): Promise<void> =>
  attempt(async () => {
    const listed = await get<{ folder: string; entries: Entry[] }>("api/library");
    const machines = await get<{ details: { name: string; from: string; description: string }[] }>(
      "api/machines",
    );
    batch(() => {
      isListed.value = true;
      folder.value = listed.folder;
      entries.value = listed.entries;
      shipped.value = machines.details.filter((each) => each.from !== "here");
    });
  });

export const named = (kind: Entry["kind"]): Entry[] => entries.value.filter((entry) => entry.kind === kind);

/** Without folders and ending: "gauss" for "results/gauss.model.json". */
export const shortName = (path: string): string =>
  path.replace(/^.*\//, "").replace(/\.(model\.json|program|machine\.toml|study\.toml|study|recording)$/, "");

interface ModelJson {
  program: string;
  parameters: { name: string; values: number[] }[];
  processes: number[];
  recorded_on: string;
}

const kMany = 1e6; // written programs have any number of processes

async function fetchModel(path: string): Promise<ModelInfo> {
  const json = await get<ModelJson>("api/model", { path });
  const processes = json.processes.filter((p) => p < kMany);
  return {
    program: json.program,
    parameters: json.parameters,
    processes,
    is_recorded: processes.length === json.processes.length,
  };
}

const roundedUp = (p: number): number => 2 ** Math.ceil(Math.log2(Math.max(1, p)));
export const largestRecorded = (info: ModelInfo): number =>
  info.is_recorded ? Math.max(1, ...info.processes) : 4;
const kFurther = 16; // times the largest recorded number of processes

/** The values that vary first: powers of two of p. */
export const usualProcesses = (info: ModelInfo): string =>
  `1..${Math.min(1 << 20, roundedUp(largestRecorded(info)) * kFurther)}*2`;

/** Chooses a model, with its parameters at their largest recorded values and p varied. */
export async function chooseModel(path: string, further: Partial<Experiment> = {}): Promise<void> {
  choosing.value = path;
  await attempt(async () => {
    const info = await fetchModel(path);
    if (choosing.value !== path) return; // another one was chosen meanwhile
    const known = draft.value.model === path ? draft.value.parameters : {};
    const parameters = Object.fromEntries(
      info.parameters.map(({ name, values }) => [name, known[name] ?? Math.max(...values)]),
    );
    batch(() => {
      model.value = info;
      change({
        model: path,
        processes: roundedUp(largestRecorded(info)) * 4,
        parameters,
        axes: [{ name: "p", values: usualProcesses(info), of_machine: false }],
        changes: [],
        ...further,
      });
    });
    if (draft.value.machine) await chooseMachine(draft.value.machine);
  });
  if (choosing.value === path) choosing.value = "";
}

export const chooseMachine = (name: string): Promise<void> =>
  attempt(async () => {
    const is_other = name !== draft.value.machine;
    batch(() => {
      machine.value = undefined;
      change(
        is_other
          ? { machine: name, changes: [], axes: draft.value.axes.filter((axis) => !axis.of_machine) }
          : { machine: name },
      );
    });
    const { parameters } = await get<{ parameters: { name: string; a: number | null }[] }>("api/machine", {
      name,
    });
    if (draft.value.machine !== name) return; // another one was chosen meanwhile
    machine.value = {
      name,
      parameters: parameters.flatMap((each) => (each.a === null ? [] : [{ name: each.name, value: each.a }])),
    };
  });

/** The machine to begin with: this host's, else the first one here, else a built-in one. */
export function usualMachine(): string {
  const here = named("machine");
  return (here.find((entry) => shortName(entry.path) === "here") ?? here[0])?.path ?? "ideal";
}

export async function experimentWith(path: string, further: Partial<Experiment> = {}): Promise<void> {
  view.value = "experiment";
  await chooseModel(path, { machine: draft.value.machine || usualMachine(), ...further });
}

const engineOf = (name: string): Engine => kEngines.find((each) => each === name) ?? "auto";

/** A description names a machine as `-m` does; the page has it as an entry, or by the name of a shipped one.
 */
function machineNamed(name: string, fallback: string): string {
  return (
    named("machine").find((entry) => entry.path === name || entry.path === name + ".machine.toml")?.path ??
    (shipped.value.some((each) => each.name === name) ? name : fallback)
  );
}

/** Loads a description: of a study, with its model and machine, or a file. */
export const loadDescription = (entry: Entry): Promise<void> =>
  attempt(async () => {
    const described = await get<Description>("api/description", { path: entry.path });
    const ofProgram = named("model").find((each) => described.launch.includes(shortName(each.path)));
    const path = entry.model ?? ofProgram?.path ?? (draft.value.model || named("model")[0]?.path);
    if (!path) throw new Error("there is no model yet; make it with parcast study " + entry.path);
    const info = await fetchModel(path);
    const { p, ...ask } = described.ask;
    const isOfRun = (name: string): boolean =>
      name === "p" || info.parameters.some((each) => each.name === name);
    const axes: Axis[] = described.graph.map((axis) => ({ ...axis, of_machine: !isOfRun(axis.name) }));
    const further: Partial<Experiment> = {
      machine: machineNamed(described.machine, entry.machine ?? usualMachine()),
      engine: engineOf(described.engine),
      level: described.level,
      axes,
      changes: described.set.map(({ name, values }) => ({ name, value: values })),
    };
    if (p) further.processes = p;
    view.value = "experiment";
    await chooseModel(path, further);
    change({
      parameters: {
        ...draft.value.parameters,
        ...Object.fromEntries(Object.entries(ask).filter(([name]) => isOfRun(name))),
      },
    });
  });

/** Puts the values of an earlier experiment into the form. */
export async function useAgain(run: RunData): Promise<void> {
  view.value = "experiment";
  shown.value = run.id;
  await chooseModel(run.experiment.model, run.experiment);
}

export const runDraft = (): Promise<void> =>
  attempt(async () => {
    const { id } = await post<{ id: number }>("api/experiments", draft.value);
    shown.value = id;
  });

export const cancel = (id: number): Promise<void> => attempt(() => post("api/experiments/cancel", { id }));
export const remove = (id: number): Promise<void> => attempt(() => post("api/experiments/remove", { id }));

export const reportAddress = (experiment: Experiment): string =>
  "report?" + new URLSearchParams({ experiment: JSON.stringify({ ...experiment, axes: [] }) }).toString();

export const recordingAddress = (path: string): string =>
  "report?" + new URLSearchParams({ recording: path }).toString();

function put(run: RunData): void {
  const others = runs.value.filter((each) => each.id !== run.id);
  runs.value = [...others, run].sort((a, b) => a.id - b.id);
}

function putPoint(id: number, index: number, point: PointData): void {
  const run = runs.value.find((each) => each.id === id);
  if (run) put({ ...run, points: run.points.map((each, i) => (i === index ? point : each)) });
}

/** The server sends all runs first, then each point as it is computed. */
export function listen(): void {
  const source = new EventSource("api/events");
  const on = <T>(name: string, take: (data: T) => void): void =>
    source.addEventListener(name, (event) => take(JSON.parse((event as MessageEvent<string>).data) as T));
  source.addEventListener("open", () => (isConnected.value = true));
  source.addEventListener("error", () => (isConnected.value = false));
  on<RunData[]>("runs", (all) => (runs.value = all));
  on<RunData>("run", put);
  on<{ id: number; index: number; point: PointData }>("point", ({ id, index, point }) =>
    putPoint(id, index, point),
  );
  on<{ id: number }>("gone", ({ id }) =>
    batch(() => {
      runs.value = runs.value.filter((run) => run.id !== id);
      compared.value = compared.value.filter((each) => each !== id);
    }),
  );
  on(
    "unkept",
    () =>
      (notice.value = "The history cannot be written to " + folder.value + "; it ends with this session."),
  );
}
