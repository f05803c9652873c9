// Buttons that copy a table as CSV or LaTeX, and a chart as SVG with its colours in it.

function cellText(cell: HTMLElement): string {
  return (cell.dataset.value ?? cell.textContent ?? "").trim();
}

/** The rows of the table, without lines of the source that the reader opened between them. */
const ownRows = (table: HTMLTableElement): HTMLTableRowElement[] =>
  [...table.rows].filter((row) => !row.classList.contains("source-row"));

function rowsOf(table: HTMLTableElement): string[][] {
  return ownRows(table).map((row) => [...row.cells].map(cellText));
}

/** A spreadsheet evaluates a cell that begins with = + - @, unless it is a number. */
function csvField(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) && !Number.isFinite(Number(text)) ? "'" + text : text;
  return /[",\n\r]/.test(safe) ? '"' + safe.replace(/"/g, '""') + '"' : safe;
}

export function csvOf(table: HTMLTableElement): string {
  return rowsOf(table).map((row) => row.map(csvField).join(",") + "\n").join("");
}

const kLatex: Record<string, string> = {
  "\\": "\\textbackslash{}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "–": "--",
  "±": "$\\pm$",
  "…": "\\dots{}",
};

function latexText(text: string): string {
  return text.replace(/[\\~^–±…#$%&_{}]/g, (c) => kLatex[c] ?? "\\" + c);
}

/** The texts that the page shows: a table in a paper has rounded numbers. */
export function latexOf(table: HTMLTableElement): string {
  const numeric = [...table.rows[0].cells].map((cell) => cell.classList.contains("number"));
  const rows = ownRows(table).map(
    (row) =>
      [...row.cells]
        .map((cell) => latexText((cell.textContent ?? "").trim().replace(/\s+/g, " ")))
        .join(" & ") + " \\\\",
  );
  const alignment = numeric.map((each) => (each ? "r" : "l")).join("");
  const body = rows.slice(1).join("\n");
  return `\\begin{tabular}{${alignment}}\n\\hline\n${rows[0]}\n\\hline\n${body}\n\\hline\n\\end{tabular}\n`;
}

const kCopied = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
];

export function svgOf(picture: SVGSVGElement): string {
  const copy = picture.cloneNode(true) as SVGSVGElement;
  const from = [picture, ...picture.querySelectorAll("*")], to = [copy, ...copy.querySelectorAll("*")];
  from.forEach((element, i) => {
    const look = getComputedStyle(element);
    for (const name of kCopied)
      if (element.tagName !== "title") to[i].setAttribute(name, look.getPropertyValue(name));
    to[i].removeAttribute("class");
  });
  const { width, height } = picture.viewBox.baseVal;
  copy.setAttribute("width", String(width));
  copy.setAttribute("height", String(height));
  return new XMLSerializer().serializeToString(copy) + "\n";
}

async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy"); // files opened from a disk may have no clipboard of their own
    area.remove();
    return done;
  }
}

export function copyButton(label: string, about: string, text: () => string): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = label;
  button.title = `Copy ${about} as ${label}`;
  button.setAttribute("aria-label", button.title);
  button.addEventListener("click", async () => {
    button.textContent = (await toClipboard(text())) ? "copied" : "not copied";
    setTimeout(() => (button.textContent = label), 1200);
  });
  return button;
}

export function addCopyButtons(): void {
  for (const table of document.querySelectorAll<HTMLTableElement>("table[data-copy]")) {
    const name = table.dataset.copy!;
    const bar = document.createElement("div");
    bar.className = "copy";
    bar.append(copyButton("CSV", name, () => csvOf(table)), copyButton("LaTeX", name, () => latexOf(table)));
    table.closest(".scroll")!.before(bar);
  }
  for (const figure of document.querySelectorAll<HTMLElement>("figure[data-chart]")) {
    const picture = figure.querySelector("svg")!;
    const bar = document.createElement("div");
    bar.className = "copy";
    bar.append(copyButton("SVG", figure.dataset.chart!, () => svgOf(picture)));
    figure.append(bar);
  }
}
