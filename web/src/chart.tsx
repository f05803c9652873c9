// A chart over the number of processes, drawn by uPlot: the value with its band, the question's own curve,
// and the ideal. A click chooses the number of processes.
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { percent, shortDuration, significant, trimmed } from "./words";

export type View = "time" | "speed-up" | "efficiency";

export interface Curve {
  p: number[];
  value: (number | null)[];
  low: (number | null)[];
  high: (number | null)[];
  asked: (number | null)[];
  ideal: (number | null)[];
}

const kText: Record<View, (value: number) => string> = {
  time: shortDuration,
  "speed-up": (value) => trimmed(significant(value, 3)),
  efficiency: percent,
};

function colours(): Record<string, string> {
  const look = getComputedStyle(document.documentElement);
  return Object.fromEntries(
    ["accent", "accent-faint", "quiet", "rule", "ink", "wait"].map((name) => [
      name,
      look.getPropertyValue("--" + name).trim(),
    ]),
  );
}

function options(
  view: View,
  width: number,
  chosen: () => number,
  hover: (index: number | null) => void,
): uPlot.Options {
  const colour = colours();
  const text = kText[view];
  // Lines at powers of ten only: a logarithmic axis of many decades is grey with all of them.
  const powersOfTen = (_: uPlot, splits: (number | null)[]) =>
    splits.map((v) => (v !== null && Math.abs(Math.log10(v) - Math.round(Math.log10(v))) < 1e-9 ? v : null));
  const axis = {
    stroke: colour.quiet,
    grid: { stroke: colour.rule, width: 1 },
    ticks: { stroke: colour.rule, width: 1, size: 5 },
    font: "12px system-ui, sans-serif",
  };
  const upright =
    view === "efficiency"
      ? {}
      : { grid: { ...axis.grid, filter: powersOfTen }, ticks: { ...axis.ticks, filter: powersOfTen } };
  const shown = (_: uPlot, value: number | null) =>
    value === null || value === undefined ? "–" : text(value);
  return {
    width,
    height: Math.max(220, Math.min(330, Math.round(width * 0.5))),
    scales: {
      x: { time: false, distr: 3, log: 2 },
      y: view === "efficiency" ? { range: [0, 1.05] } : { distr: 3 },
    },
    legend: { show: false },
    cursor: { points: { size: 8 }, y: false, drag: { x: false, y: false } },
    axes: [
      {
        ...axis,
        values: (_, splits) => splits.map((v) => (v === null ? "" : String(v))),
        label: "processes",
        labelSize: 18,
        labelGap: 0,
        size: 34,
        labelFont: "12px system-ui, sans-serif",
      },
      {
        ...axis,
        ...upright,
        size: 70,
        values: (_, splits) => splits.map((v) => (v === null ? "" : text(v))),
      },
    ],
    bands: [{ series: [3, 2], fill: colour["accent-faint"] }],
    series: [
      { label: "processes", value: (_, v) => (v === null ? "–" : String(v)) },
      {
        label: view,
        stroke: colour.accent,
        width: 2.4,
        value: shown,
        points: { show: true, size: 6, fill: colour.accent },
      },
      { label: "from", stroke: "transparent", value: shown, points: { show: false }, show: view === "time" },
      { label: "to", stroke: "transparent", value: shown, points: { show: false }, show: view === "time" },
      { label: "as asked", stroke: colour.quiet, width: 1.4, value: shown, points: { show: false } },
      {
        label: "ideal",
        stroke: colour.wait,
        width: 1.2,
        dash: [5, 4],
        value: shown,
        points: { show: false },
      },
    ],
    hooks: {
      setCursor: [(plot) => hover(plot.cursor.idx ?? null)],
      draw: [
        (plot) => {
          const x = plot.valToPos(chosen(), "x", true);
          plot.ctx.save();
          plot.ctx.strokeStyle = colour.accent;
          plot.ctx.globalAlpha = 0.7;
          plot.ctx.beginPath();
          plot.ctx.moveTo(x, plot.bbox.top);
          plot.ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
          plot.ctx.stroke();
          plot.ctx.restore();
        },
      ],
    },
  };
}

const columns = (curve: Curve): uPlot.AlignedData =>
  [curve.p, curve.value, curve.low, curve.high, curve.asked, curve.ideal] as uPlot.AlignedData;

export function Chart({
  view,
  curve,
  chosen,
  choose,
}: {
  view: View;
  curve: Curve;
  chosen: number;
  choose: (p: number) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const at = useRef(chosen);
  const [pointed, setPointed] = useState<number | null>(null);
  at.current = chosen;
  useEffect(() => {
    const box = place.current!;
    const make = () => {
      plot.current?.destroy();
      plot.current = new uPlot(
        options(view, Math.max(280, box.clientWidth), () => at.current, setPointed),
        columns(curve),
        box,
      );
      plot.current.over.addEventListener("click", () => {
        const index = plot.current?.cursor.idx;
        if (index !== null && index !== undefined) choose(curve.p[index]);
      });
    };
    make();
    const watch = new ResizeObserver(() => {
      const width = Math.max(280, box.clientWidth);
      if (plot.current && plot.current.width !== width)
        plot.current.setSize({ width, height: plot.current.height });
    });
    watch.observe(box);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", make);
    return () => {
      watch.disconnect();
      scheme.removeEventListener("change", make);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [view]);
  useEffect(() => {
    plot.current?.setData(columns(curve));
  }, [curve, chosen]);
  const shown = pointed ?? curve.p.indexOf(chosen);
  const text = (value: number | null | undefined) =>
    value === null || value === undefined ? "–" : kText[view](value);
  return (
    <>
      <p class="readout">
        <b>p = {curve.p[shown]}</b>{" "}
        <span class="key">
          <i class="key-line-time" />
          {text(curve.value[shown])}
          {view === "time" && (
            <>
              {" "}
              ({text(curve.low[shown])} .. {text(curve.high[shown])})
            </>
          )}
        </span>{" "}
        <span class="key">
          <i class="key-line-asked" />
          as asked {text(curve.asked[shown])}
        </span>{" "}
        <span class="key">
          <i class="key-line-ideal" />
          ideal {text(curve.ideal[shown])}
        </span>
      </p>
      <div
        class="plot"
        ref={place}
        role="img"
        aria-label={`${view} by the number of processes; the values are in the table of the section Scaling`}
      />
    </>
  );
}
