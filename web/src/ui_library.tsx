// What the folder has, by kind. Everything opens from here.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import {
  attempt,
  chooseMachine,
  entries,
  experimentWith,
  folder,
  get,
  isListed,
  loadDescription,
  loadLibrary,
  named,
  recordingAddress,
  shipped,
  view,
} from "./ui_state";
import type { Entry, Kind } from "./ui_types";

const kTitles: [Kind, string, string][] = [
  ["model", "Models", "parcast model R.recording..."],
  ["machine", "Machines", "parcast calibrate -o here.machine.toml"],
  ["study", "Studies", "parcast study --vary N=96,143,203 -- mpirun -n {p} ./app {N}"],
  ["description", "Descriptions", ""],
  ["recording", "Recordings", "parcast record -- mpirun -n 4 ./app"],
];
const kMostShown = 50;

const day = (seconds: number): string => (seconds > 0 ? new Date(1000 * seconds).toLocaleDateString() : "");

function Actions({ entry, show }: { entry: Entry; show: (entry: Entry) => void }) {
  const name = entry.path;
  const button = (label: string, act: () => void) => (
    <button type="button" aria-label={`${label}: ${name}`} onClick={act}>
      {label}
    </button>
  );
  const useMachine = (): void => {
    view.value = "experiment";
    void chooseMachine(name);
  };
  return (
    <td class="actions">
      {entry.kind === "model" && button("Experiment", () => void experimentWith(name))}
      {entry.kind === "study" && entry.model && button("Experiment", () => void loadDescription(entry))}
      {entry.kind === "description" && button("Load", () => void loadDescription(entry))}
      {entry.kind === "machine" && button("Use", useMachine)}
      {entry.kind === "recording" && (
        <a aria-label={`Report: ${name}`} href={recordingAddress(name)} target="_blank" rel="noopener">
          Report
        </a>
      )}
      {(entry.kind === "model" || entry.kind === "machine") && button("Show", () => show(entry))}
    </td>
  );
}

function Table({
  kind,
  title,
  maker,
  filter,
  show,
}: {
  kind: Kind;
  title: string;
  maker: string;
  filter: string;
  show: (entry: Entry) => void;
}) {
  const all = named(kind),
    found = all.filter((entry) => entry.path.toLowerCase().includes(filter.toLowerCase()));
  if (!all.length && !maker) return null;
  return (
    <section aria-label={title}>
      <h2>
        {title} <small>{all.length}</small>
      </h2>
      {all.length === 0 && (
        <p class="quiet">
          None yet. <code>{maker}</code> makes one.
        </p>
      )}
      {found.length > 0 && (
        <table>
          <thead>
            <tr>
              <th scope="col">name</th>
              <th scope="col">changed</th>
              <th scope="col">
                <span class="hidden">actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, kMostShown).map((entry) => (
              <tr key={entry.path}>
                <th scope="row">{entry.path}</th>
                <td>{day(entry.changed)}</td>
                <Actions entry={entry} show={show} />
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {found.length > kMostShown && (
        <p class="quiet">{found.length - kMostShown} more: narrow the list by a part of the name.</p>
      )}
    </section>
  );
}

/** What `parcast show` prints. */
function Text({ name, text, close }: { name: string; text: string; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current!.showModal(), []);
  return (
    <dialog ref={dialog} onClose={close} aria-label={name} class="text">
      <form method="dialog">
        <h2>{name}</h2>
        <button>Close</button>
      </form>
      <pre tabIndex={0}>{text}</pre>
    </dialog>
  );
}

export function Library() {
  const filter = useSignal(""),
    text = useSignal<{ name: string; text: string } | undefined>(undefined);
  const show = (entry: Entry): void =>
    void attempt(
      async () =>
        void (text.value = {
          name: entry.path,
          text: await get<string>("api/text", { kind: entry.kind, path: entry.path }),
        }),
    );
  return (
    <>
      <p class="bar-of-list">
        <label>
          part of the name{" "}
          <input
            type="search"
            value={filter.value}
            onInput={(event) => (filter.value = event.currentTarget.value)}
          />
        </label>
        <button type="button" onClick={() => void loadLibrary()}>
          List anew
        </button>
        <span class="quiet">
          {entries.value.length} entries in {folder.value}, and {shipped.value.length} machines of Parcast
        </span>
      </p>
      {!isListed.value && <p class="quiet">Listing the folder …</p>}
      <div class="library">
        {isListed.value &&
          kTitles.map(([kind, title, maker]) => (
            <Table key={kind} kind={kind} title={title} maker={maker} filter={filter.value} show={show} />
          ))}
      </div>
      {text.value && <Text {...text.value} close={() => (text.value = undefined)} />}
    </>
  );
}
