// A graph of up to four experiments as SVG: points appear as they are computed. And the table of its values.
import { useEffect, useRef } from "preact/hooks";
import { copyButton, csvOf, latexOf, svgOf } from "./copy";
import { duration, percent, shortDuration, significant, trimmed } from "./words";
import { differences, number, shortMachineValue, tickText, title } from "./ui_words";
import type { PointData, RunData } from "./ui_types";

export type Measure = "time" | "speed-up" | "efficiency";
export const kMeasures: Measure[] = ["time", "speed-up", "efficiency"];

interface Dot {
  x: number;
  y: number;
  low: number;
  high: number;
  label: string;
}

export interface Curve {
  name: string;
  colour: number;
  dots: Dot[];
}

const kWidth = 560, kHeight = 370, kLeft = 78, kRight = 16, kTop = 12, kBottom = 48;
const kColours = 8;
const kMostBands = 4;

/** The number of a point on the first axis; names have the number of their place. */
function xOf(run: RunData, point: PointData): number {
  const tick = point.at[0];
  if (tick.number !== undefined) return tick.number;
  const names = [...new Set(run.points.map((each) => each.at[0].text))];
  return names.indexOf(tick.text) + 1;
}

const hasNames = (run: RunData): boolean => run.points.some((point) => point.at[0]?.number === undefined);

/** Speed-up and efficiency need p on the first axis, from 1. */
export const measuresOf = (runs: RunData[]): Measure[] =>
  runs.every(
    (run) => run.experiment.axes[0]?.name === "p" && run.points.some((point) => point.at[0].number === 1),
  )
    ? kMeasures
    : ["time"];

function measured(measure: Measure, dots: Dot[]): Dot[] {
  if (measure === "time") return dots;
  const one = dots.find((dot) => dot.x === 1)?.y;
  if (!one) return [];
  return dots.map((dot) => {
    const y = one / dot.y / (measure === "efficiency" ? dot.x : 1);
    return { ...dot, y, low: y, high: y };
  });
}

/** A curve for each value of the second axis. */
export function curvesOf(runs: RunData[], measure: Measure): Curve[] {
  const out: Curve[] = [];
  for (const run of runs) {
    const seconds = [...new Set(run.points.map((point) => point.at[1]?.text ?? ""))];
    for (const second of seconds) {
      const points = run.points.filter((point) => (point.at[1]?.text ?? "") === second && point.answer);
      const dots = points.map((point) => ({
        x: xOf(run, point),
        y: point.answer!.seconds.value,
        low: point.answer!.seconds.low,
        high: point.answer!.seconds.high,
        label: tickText(run.experiment.axes[0], point.at[0]),
      }));
      const axis = run.experiment.axes[1];
      const name = [
        differences(run, runs),
        second && `${axis.name} = ${tickText(axis, points[0]?.at[1] ?? { text: second })}`,
      ]
        .filter(Boolean)
        .join(", ");
      out.push({
        name: name || title(run.experiment),
        colour: out.length % kColours,
        dots: measured(measure, dots).sort((a, b) => a.x - b.x),
      });
    }
  }
  return out;
}

interface Scale {
  at: (value: number) => number;
  ticks: number[];
}

function logarithmic(low: number, high: number, from: number, to: number): Scale {
  const a = Math.log(low), b = Math.log(high);
  const first = Math.floor(a / Math.LN10), last = Math.ceil(b / Math.LN10);
  const within = (factors: number[]): number[] =>
    Array.from({ length: last - first + 1 }, (_, k) =>
      factors.map((factor) => Number(`${factor}e${first + k}`)),
    )
      .flat()
      .filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
  let ticks = within([1, 2, 5]);
  if (ticks.length > 7) ticks = within([1]);
  while (ticks.length > 9) ticks = ticks.filter((_, i) => i % 2 === 0);
  return { at: (value) => from + ((to - from) * (Math.log(value) - a)) / (b - a), ticks };
}

function linear(low: number, high: number, from: number, to: number): Scale {
  const rough = (high - low) / 6, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough;
  const ticks: number[] = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high * (1 + 1e-9); ++k) ticks.push(k * step);
  return { at: (value) => from + ((to - from) * (value - low)) / (high - low), ticks };
}

function scaleOf(values: number[], isLog: boolean, from: number, to: number): Scale {
  let low = Math.min(...values), high = Math.max(...values);
  if (isLog) {
    if (high < 1.5 * low) [low, high] = [low / 1.5, high * 1.5];
    return logarithmic(low, high, from, to);
  }
  if (low > 0) low = 0;
  if (high <= low) high = low + 1;
  return linear(low, high, from, to);
}

const textOf = (measure: Measure, value: number): string =>
  measure === "time"
    ? shortDuration(value)
    : measure === "efficiency"
      ? percent(value)
      : trimmed(significant(value, 3));

/** The values of all points that there will be, so that the axis stays while points appear. */
function xValues(runs: RunData[]): number[] {
  return [...new Set(runs.flatMap((run) => run.points.map((point) => xOf(run, point))))].sort(
    (a, b) => a - b,
  );
}

function xTicks(runs: RunData[], values: number[], scale: Scale): { at: number; text: string }[] {
  if (runs.some(hasNames))
    return runs[0].points
      .filter((point, i, all) => all.findIndex((each) => each.at[0].text === point.at[0].text) === i)
      .map((point) => ({ at: xOf(runs[0], point), text: point.at[0].text }));
  const axis = runs[0].experiment.axes[0];
  const isMultiple = axis.of_machine && axis.values.startsWith("*");
  const text = (value: number): string =>
    isMultiple ? "×" + number(value) : axis.of_machine ? shortMachineValue(axis.name, value) : number(value);
  return (values.length <= 9 ? values : scale.ticks).map((value) => ({ at: value, text: text(value) }));
}

function Band({ curve, x, y }: { curve: Curve; x: Scale; y: Scale }) {
  const wide = curve.dots.filter((dot) => dot.low > 0 && dot.high > dot.low);
  if (wide.length < 2) return null;
  const there = wide.map((dot) => `${x.at(dot.x)},${y.at(dot.high)}`),
    back = [...wide].reverse().map((dot) => `${x.at(dot.x)},${y.at(dot.low)}`);
  return <polygon class={"band curve-" + curve.colour} points={[...there, ...back].join(" ")} />;
}

export function Graph({ runs, measure, logY }: { runs: RunData[]; measure: Measure; logY: boolean }) {
  const figure = useRef<HTMLElement>(null);
  const picture = useRef<SVGSVGElement>(null);
  useEffect(() => {
    const bar = figure.current!.querySelector(".copy")!;
    bar.replaceChildren(copyButton("SVG", "the graph", () => svgOf(picture.current!)));
  }, []);
  const values = xValues(runs),
    curves = curvesOf(runs, measure),
    dots = curves.flatMap((curve) => curve.dots);
  const isLogX = !runs.some(hasNames) && values[0] > 0 && values[values.length - 1] >= 8 * values[0];
  const isLogY = logY && measure !== "efficiency";
  const x = scaleOf(values, isLogX, kLeft + 14, kWidth - kRight - 14);
  // Intervals that reach zero would fill a logarithmic axis.
  const reach =
    measure === "time"
      ? dots.flatMap((dot) => [dot.y, Math.min(dot.high, 30 * dot.y), Math.max(dot.low, dot.y / 30)])
      : measure === "efficiency"
        ? [0, 1, ...dots.map((dot) => dot.y)]
        : dots.map((dot) => dot.y);
  const positive = reach.filter((value) => value > 0 || !isLogY);
  const y = scaleOf(positive.length ? positive : [1e-3, 1], isLogY, kHeight - kBottom, kTop);
  const bounded = (scale: Scale): Scale => ({
    ...scale,
    at: (value) => Math.max(kTop, Math.min(kHeight - kBottom, scale.at(value))),
  });
  const name = runs[0].experiment.axes[0].name;
  return (
    <figure class="graph" ref={figure}>
      <div class="copy" />
      <figcaption>
        <b>{measure === "time" ? "Time" : measure === "speed-up" ? "Speed-up" : "Efficiency"}</b>
        {curves.length > 1 &&
          curves.map((curve) => (
            <span class="key">
              <i class={"key-curve-" + curve.colour} />
              {curve.name}
            </span>
          ))}
      </figcaption>
      <svg
        ref={picture}
        viewBox={`0 0 ${kWidth} ${kHeight}`}
        role="img"
        aria-label={
          `${measure} over ${name}: ${dots.length} of ` +
          `${runs.reduce((sum, run) => sum + run.points.length, 0)} points; the table has the values`
        }
      >
        {y.ticks.map((tick) => (
          <g>
            <line class="grid" x1={kLeft} x2={kWidth - kRight} y1={y.at(tick)} y2={y.at(tick)} />
            <text x={kLeft - 8} y={y.at(tick) + 4} text-anchor="end">
              {textOf(measure, tick)}
            </text>
          </g>
        ))}
        {xTicks(runs, values, x).map((tick) => (
          <g>
            <line class="grid" x1={x.at(tick.at)} x2={x.at(tick.at)} y1={kTop} y2={kHeight - kBottom} />
            <text x={x.at(tick.at)} y={kHeight - kBottom + 18} text-anchor="middle">
              {tick.text}
            </text>
          </g>
        ))}
        <line class="axis" x1={kLeft} x2={kWidth - kRight} y1={kHeight - kBottom} y2={kHeight - kBottom} />
        <text class="axis-title" x={(kLeft + kWidth) / 2} y={kHeight - 8} text-anchor="middle">
          {name === "p" ? "processes" : name}
        </text>
        {curves.length <= kMostBands &&
          measure === "time" &&
          curves.map((curve) => <Band curve={curve} x={x} y={bounded(y)} />)}
        {curves.map((curve) => (
          <polyline
            class={"curve curve-" + curve.colour}
            points={curve.dots.map((dot) => `${x.at(dot.x)},${y.at(dot.y)}`).join(" ")}
          />
        ))}
        {curves.map((curve) =>
          curve.dots.map((dot) => (
            <circle class={"dot curve-" + curve.colour} cx={x.at(dot.x)} cy={y.at(dot.y)} r="4">
              <title>
                {`${name} = ${dot.label}: ${textOf(measure, dot.y)}` +
                  (measure === "time" ? ` (${duration(dot.low)} .. ${duration(dot.high)})` : "")}
              </title>
            </circle>
          )),
        )}
      </svg>
    </figure>
  );
}

function Outcome({ point }: { point: PointData }) {
  if (point.answer) return <>{point.answer.engine}</>;
  if (point.status === "running")
    return <progress max="1" value={point.progress ?? 0} aria-label="computed" />;
  return <span class="quiet">{point.status === "failed" ? point.fault : point.status}</span>;
}

export function Values({ runs }: { runs: RunData[] }) {
  const table = useRef<HTMLTableElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  useEffect(
    () =>
      bar.current!.replaceChildren(
        copyButton("CSV", "the values", () => csvOf(table.current!)),
        copyButton("LaTeX", "the values", () => latexOf(table.current!)),
      ),
    [],
  );
  const columns = Math.max(...runs.map((run) => run.experiment.axes.length));
  const names = Array.from({ length: columns }, (_, k) =>
    [...new Set(runs.flatMap((run) => run.experiment.axes[k]?.name ?? []))].join(" or "),
  );
  return (
    <div class="values">
      <div class="copy" ref={bar} />
      <div class="scroll-values" tabIndex={0} role="region" aria-label="Values">
        <table ref={table}>
          <thead>
            <tr>
              {runs.length > 1 && <th scope="col">experiment</th>}
              {names.map((name) => (
                <th scope="col" class="number">
                  {name}
                </th>
              ))}
              <th scope="col" class="number">
                time
              </th>
              <th scope="col" class="number">
                interval
              </th>
              <th scope="col">engine</th>
            </tr>
          </thead>
          <tbody>
            {runs.flatMap((run) =>
              run.points.map((point) => (
                <tr class={"is-" + point.status}>
                  {runs.length > 1 && <th scope="row">{differences(run, runs)}</th>}
                  {names.map((_, k) => (
                    <td class="number" data-value={point.at[k]?.text}>
                      {point.at[k] && tickText(run.experiment.axes[k], point.at[k])}
                    </td>
                  ))}
                  <td class="number" data-value={point.answer?.seconds.value}>
                    {point.answer ? duration(point.answer.seconds.value) : ""}
                  </td>
                  <td class="number">
                    {point.answer
                      ? `${duration(point.answer.seconds.low)} .. ${duration(point.answer.seconds.high)}`
                      : ""}
                  </td>
                  <td>
                    <Outcome point={point} />
                  </td>
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
    </div>
  );
}
