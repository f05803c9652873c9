// The page of parcast ui: a folder's models and machines, experiments that run live, and their history.
import "./ui.css";
import { render } from "preact";
import { useEffect } from "preact/hooks";
import { Form } from "./ui_form";
import { History } from "./ui_history";
import { Library } from "./ui_library";
import { Result } from "./ui_result";
import {
  cancel,
  choosing,
  draft,
  entries,
  experimentWith,
  folder,
  isConnected,
  isListed,
  isOpen,
  listen,
  loadLibrary,
  model,
  named,
  notice,
  reportAddress,
  runs,
  shownRun,
  usualMachine,
  view,
  type View,
} from "./ui_state";

const kViews: [View, string][] = [
  ["library", "Library"],
  ["experiment", "Experiment"],
  ["history", "History"],
];

function Experiment() {
  const run = shownRun.value;
  useEffect(() => {
    const first = named("model")[0];
    if (!draft.value.model && !choosing.value && first)
      void experimentWith(first.path, { machine: draft.value.machine || usualMachine() });
  }, [entries.value]);
  if (!isListed.value) return <section><p class="quiet">Listing the folder …</p></section>;
  if (!named("model").length)
    return (
      <section>
        <h2>Experiment</h2>
        <p class="quiet">
          There is no model in {folder.value}. <code>parcast model R.recording...</code> makes one of
          recordings.
        </p>
      </section>
    );
  return (
    <div class="experiment">
      <section aria-label="Form" class="form">
        <Form />
        {model.value && (
          <p class="links">
            <a href={reportAddress(draft.value)} target="_blank" rel="noopener">
              Open as report
            </a>
          </p>
        )}
      </section>
      {run ? (
        <Result run={run} />
      ) : (
        <section aria-label="Result" class="empty">
          <p class="quiet">Run the experiment: each point appears as it is computed.</p>
        </section>
      )}
    </div>
  );
}

/** Control and Enter runs, Escape cancels, Alt and 1 to 3 choose a view. */
function onKey(event: KeyboardEvent): void {
  if (document.querySelector("dialog[open]")) return;
  const digit = event.altKey ? kViews[Number(event.key) - 1] : undefined;
  if (digit) view.value = digit[0];
  else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && view.value === "experiment")
    document.querySelector<HTMLFormElement>("form.experiment-form")?.requestSubmit();
  else if (event.key === "Escape" && shownRun.value && isOpen(shownRun.value)) void cancel(shownRun.value.id);
  else return;
  event.preventDefault();
}

function App() {
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const running = runs.value.filter(isOpen).length;
  return (
    <>
      <header>
        <div class="wide">
          <span class="brand">parcast</span>
          <h1>{folder.value.replace(/^.*\/(?=.)/, "") || "parcast"}</h1>
          <p>{folder.value}</p>
        </div>
      </header>
      <nav aria-label="Views">
        <div class="wide">
          {kViews.map(([each, name], i) => (
            <button
              type="button"
              class={view.value === each ? "here" : ""}
              aria-current={view.value === each ? "page" : undefined}
              title={`Alt and ${i + 1}`}
              onClick={() => (view.value = each)}
            >
              {name}
              {each === "history" &&
                runs.value.length > 0 &&
                ` (${runs.value.length}${running ? `, ${running} running` : ""})`}
            </button>
          ))}
        </div>
      </nav>
      <main class="wide">
        {!isConnected.value && (
          <p class="notice" role="alert">
            parcast ui has ended, or cannot be reached. What is shown stays; start it again and open its new
            address.
          </p>
        )}
        {notice.value && (
          <p class="notice" role="alert">
            {notice.value}{" "}
            <button type="button" onClick={() => (notice.value = "")}>
              Close
            </button>
          </p>
        )}
        {view.value === "library" ? <Library /> : view.value === "experiment" ? <Experiment /> : <History />}
      </main>
    </>
  );
}

listen();
void loadLibrary();
const root = document.getElementById("ui")!;
root.replaceChildren();
render(<App />, root);
