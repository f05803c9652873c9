import "uplot/dist/uPlot.min.css";
import "./page.css";
import { render } from "preact";
import { addCopyButtons } from "./copy";
import { Equation } from "./equation";
import { Live } from "./live";
import { openSources, markSection } from "./reading";
import { showTimelines } from "./timeline";
import type { Compiled, Explanation } from "./types";

declare global {
  var parcastEquation: [Compiled, Compiled][] | undefined;
  var parcastForecasts: Compiled | undefined;
}

const data = document.getElementById("explanation");
const place = document.getElementById("live");
if (data && place && globalThis.parcastEquation) {
  const equation = new Equation(
    JSON.parse(data.textContent!) as Explanation,
    globalThis.parcastEquation,
    globalThis.parcastForecasts,
  );
  (globalThis as Record<string, unknown>).parcast = equation; // for the browser's console, and for tests
  render(<Live equation={equation} />, place);
  document
    .querySelector('nav a[href="#answer"]')
    ?.after(Object.assign(document.createElement("a"), { href: "#explore", textContent: "Explore" }));
}
addCopyButtons();
showTimelines();
openSources();
markSection();
