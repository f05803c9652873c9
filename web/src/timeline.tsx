// The timeline of a run: zoom, messages of a selected call, critical path, and what every rank does at a
// time.
import { batch, useSignal, type Signal } from "@preact/signals";
import { render } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { laneName, spanAt, timelineOf, type Timeline, type TimelinesJson } from "./timeline_data";
import { kLeft, messagesOf, paint, rowsOf, type Look, type Shown } from "./timeline_paint";
import { duration, percent, shortDuration } from "./words";

const kZoom = 2;
const kLeastWindow = 10; // nanoseconds
const kPlaySeconds = 10;
const kWaiting = 5;

interface Selected {
  timeline: number;
  span: number;
}

/** Multiples of 1, 2 or 5 times a power of ten between two times in nanoseconds. */
function ticksBetween(from: number, to: number, most: number): [number, string][] {
  const rough = (to - from) / most, power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const out: [number, string][] = [];
  for (let i = Math.ceil(from / step); i * step <= to; ++i)
    out.push([i * step, i === 0 ? "0" : timeText(i * step, step)]);
  return out;
}

/** A time in the unit of its size, with as many digits as the step asks for. */
function timeText(time: number, step: number): string {
  const [factor, unit] = (
    [
      [1e9, "s"],
      [1e6, "ms"],
      [1e3, "us"],
      [1, "ns"],
    ] as [number, string][]
  ).find(([f]) => time >= f) ?? [1, "ns"];
  const decimals = Math.max(0, Math.ceil(-Math.log10(step / factor) - 1e-9));
  return `${(time / factor).toFixed(Math.min(9, decimals))} ${unit}`;
}

function colourNumber(text: string): number {
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true })!;
  context.fillStyle = text;
  context.fillRect(0, 0, 1, 1);
  const [red, green, blue] = context.getImageData(0, 0, 1, 1).data;
  return (red | (green << 8) | (blue << 16) | (255 << 24)) >>> 0;
}

function lookOf(styles: string[]): Look {
  const look = getComputedStyle(document.documentElement),
    value = (name: string) => look.getPropertyValue("--" + name).trim();
  return {
    colours: styles.map((style) => colourNumber(value(style))),
    ink: value("ink"),
    quiet: value("quiet"),
    accent: value("accent"),
    card: value("card"),
  };
}

/** What a span is, in words. */
function spanText(timeline: Timeline, span: number, activities: string[]): string {
  let lane = 0;
  while (timeline.first[lane + 1] <= span) ++lane;
  const { names, regions, pieces } = timeline, activity = activities[timeline.activity[span]];
  const call = timeline.name[span] ? names[timeline.name[span]] : "";
  const what =
    pieces[span] > 1
      ? `${activity}, ${pieces[span]} spans summed`
      : call
        ? timeline.activity[span] === kWaiting
          ? `${call}, waiting for another process`
          : call
        : activity;
  const region = regions[timeline.region[span]];
  const messages = messagesOf(timeline, span).slice(0, 4).map((m) => {
    const { from, to, bytes, tag, sent, received } = timeline.messages;
    const other =
      from[m] === lane ? `to rank ${laneName(timeline, to[m])}` : `from rank ${laneName(timeline, from[m])}`;
    const seconds = (received[m] - sent[m]) / 1e9;
    return `; ${bytes[m]} bytes ${other}, tag ${tag[m]}, under way ${duration(seconds)}`;
  });
  const place = region ? " in " + region : "";
  const seconds = (timeline.end[span] - timeline.begin[span]) / 1e9;
  const when = `from ${duration(timeline.begin[span] / 1e9)} for ${duration(seconds)}`;
  return `Rank ${laneName(timeline, lane)}: ${what}${place}, ${when}${messages.join("")}.`;
}

function Plot(props: {
  timeline: Timeline;
  index: number;
  shown: Signal<Shown>;
  look: Signal<Look>;
  selected: Signal<Selected | null>;
  cursor: Signal<number>;
  path: boolean;
  messages: boolean;
  zoomTo: (from: number, to: number) => void;
  missing: (count: number) => void;
}) {
  const place = useRef<HTMLCanvasElement>(null);
  const dragged = useSignal<{ from: number; to: number } | null>(null);
  const { timeline, shown, look, selected, cursor } = props;
  const lanes = Math.min(shown.value.last, timeline.lanes.length) - shown.value.first;
  const height = Math.max(70, Math.min(380, 24 * Math.max(1, lanes) + 24));
  const draw = () => {
    const canvas = place.current!,
      ratio = Math.min(2, devicePixelRatio || 1),
      width = Math.round(canvas.clientWidth * ratio);
    if (!width) return;
    if (canvas.width !== width || canvas.height !== height * ratio)
      ((canvas.width = width), (canvas.height = height * ratio));
    const own = selected.value?.timeline === props.index ? selected.value.span : -1;
    props.missing(
      paint(
        canvas,
        timeline,
        shown.value,
        look.value,
        { path: props.path, messages: props.messages, selected: own, cursor: cursor.value },
        ticksBetween(shown.value.from, shown.value.to, Math.max(2, canvas.clientWidth / 110)),
      ),
    );
  };
  useEffect(draw);
  useEffect(() => {
    const watch = new ResizeObserver(draw);
    watch.observe(place.current!);
    return () => watch.disconnect();
  });
  const timeAt = (event: MouseEvent) => {
    const box = place.current!.getBoundingClientRect(),
      share = (event.clientX - box.left - kLeft) / (box.width - kLeft - 8);
    return shown.value.from + Math.min(1, Math.max(0, share)) * (shown.value.to - shown.value.from);
  };
  const choose = (event: MouseEvent) => {
    const box = place.current!.getBoundingClientRect(),
      own = { ...shown.value, last: Math.min(shown.value.last, timeline.lanes.length) };
    const rows = rowsOf(own, height),
      row = Math.floor((event.clientY - box.top) / rows.height);
    if (row < 0 || row >= rows.count) return;
    const inside = (event.clientY - box.top) / rows.height - row;
    const lane = Math.min(own.last - 1, own.first + row * rows.lanes + Math.floor(inside * rows.lanes));
    const span = spanAt(timeline, lane, timeAt(event));
    batch(() => {
      selected.value = span < 0 ? null : { timeline: props.index, span };
      cursor.value = timeAt(event);
    });
  };
  const mark = dragged.value && Math.abs(dragged.value.to - dragged.value.from) > 3 ? dragged.value : null;
  return (
    <div class="lanes">
      <canvas
        ref={place}
        style={{ height: `${height}px` }}
        tabIndex={0}
        role="img"
        aria-label={
          `Timeline, ${timeline.title}: ${timeline.lanes.length} lanes. ` +
          "Keys: left and right move, plus and minus zoom, 0 shows all. The tables below have its values."
        }
        onPointerDown={(event) =>
          event.button === 0 &&
          ((dragged.value = { from: event.offsetX, to: event.offsetX }),
          place.current!.setPointerCapture(event.pointerId))
        }
        onPointerMove={(event) => dragged.value && (dragged.value = { ...dragged.value, to: event.offsetX })}
        onPointerUp={(event) => {
          const box = place.current!,
            was = dragged.value;
          dragged.value = null;
          if (!was) return;
          if (Math.abs(was.to - was.from) <= 3) return choose(event);
          const at = (x: number) =>
            shown.value.from +
            Math.min(1, Math.max(0, (x - kLeft) / (box.clientWidth - kLeft - 8))) *
              (shown.value.to - shown.value.from);
          props.zoomTo(at(Math.min(was.from, was.to)), at(Math.max(was.from, was.to)));
        }}
        onPointerCancel={() => (dragged.value = null)}
        onWheel={(event) => {
          if (!event.ctrlKey && !event.metaKey) return;
          event.preventDefault();
          const at = timeAt(event),
            factor = event.deltaY > 0 ? 1.25 : 0.8;
          props.zoomTo(at - (at - shown.value.from) * factor, at + (shown.value.to - at) * factor);
        }}
        onKeyDown={(event) => {
          const { from, to } = shown.value,
            width = to - from,
            middle = (from + to) / 2;
          const moves: Record<string, [number, number]> = {
            ArrowLeft: [from - width / 4, to - width / 4],
            ArrowRight: [from + width / 4, to + width / 4],
            "+": [middle - width / 4, middle + width / 4],
            "=": [middle - width / 4, middle + width / 4],
            "-": [middle - width, middle + width],
            "0": [0, Infinity],
          };
          if (!moves[event.key]) return;
          event.preventDefault();
          props.zoomTo(...moves[event.key]);
        }}
      />
      {mark && (
        <span
          class="range"
          style={{
            left: `${Math.min(mark.from, mark.to)}px`,
            width: `${Math.abs(mark.to - mark.from)}px`,
            height: `${height - 22}px`,
          }}
        />
      )}
    </div>
  );
}

/** A square for each lane, in the colour of what it does at the time. */
function Units({
  timeline,
  time,
  styles,
  activities,
}: {
  timeline: Timeline;
  time: number;
  styles: string[];
  activities: string[];
}) {
  const counts = new Array<number>(activities.length).fill(0);
  const now = timeline.lanes.map((_, lane) => {
    const span = spanAt(timeline, lane, time);
    if (span < 0) return -1;
    ++counts[timeline.activity[span]];
    return timeline.activity[span];
  });
  const known = counts.map((count, a) => [count, a] as const).filter(([count]) => count > 0);
  return (
    <div class="units">
      <p class="readout">
        <b>
          {timeline.title} at {duration(time / 1e9)}
        </b>
        {known.map(([count, a]) => (
          <span class="key">
            <i class={`key-fill-${styles[a]}`} />
            {activities[a]} {count} of {now.length}, {percent(count / now.length)}
          </span>
        ))}
      </p>
      <div class="unit-map" aria-hidden="true">
        {now.slice(0, 2048).map((a, lane) => (
          <i
            class={a < 0 ? "fill-none" : `fill-${styles[a]}`}
            title={`rank ${laneName(timeline, lane)}: ${a < 0 ? "ended" : activities[a]}`}
          />
        ))}
      </div>
    </div>
  );
}

function Timelines({ json }: { json: TimelinesJson }) {
  const timelines = useMemo(() => json.timelines.map(timelineOf), [json]);
  // for the browser's console, and for tests
  (globalThis as Record<string, unknown>).parcastTimelines = timelines;
  const activities = json.activities.map((each) => each[0]),
    styles = json.activities.map((each) => each[1]);
  const length = Math.max(...timelines.map((each) => each.length)),
    lanes = Math.max(...timelines.map((each) => each.lanes.length));
  const shown = useSignal<Shown>({ from: 0, to: length, first: 0, last: lanes });
  const look = useSignal(lookOf(styles));
  const selected = useSignal<Selected | null>(null);
  const cursor = useSignal(-1);
  const path = useSignal(timelines.some((each) => each.path.lane.length > 0)),
    messages = useSignal(false);
  const missing = useSignal(0);
  const playing = useSignal(false);
  useEffect(() => {
    const scheme = matchMedia("(prefers-color-scheme: dark)"),
      change = () => (look.value = lookOf(styles));
    scheme.addEventListener("change", change);
    return () => scheme.removeEventListener("change", change);
  }, []);
  useEffect(() => {
    if (!playing.value) return;
    let frame = 0,
      last = performance.now();
    const step = (now: number) => {
      const { from, to } = shown.value,
        by = ((to - from) * (now - last)) / 1000 / kPlaySeconds;
      last = now;
      cursor.value = cursor.value < from || cursor.value >= to ? from : cursor.value + by;
      if (cursor.value >= to) return void ((cursor.value = to), (playing.value = false));
      frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [playing.value]);
  const zoomTo = (from: number, to: number) => {
    const width = Math.min(length, Math.max(kLeastWindow, to - from)),
      start = Math.min(length - width, Math.max(0, from));
    shown.value = { ...shown.value, from: start, to: start + width };
  };
  const by = (factor: number) => {
    const { from, to } = shown.value,
      middle = cursor.value >= from && cursor.value <= to ? cursor.value : (from + to) / 2;
    zoomTo(middle - ((to - from) * factor) / 2, middle + ((to - from) * factor) / 2);
  };
  const { from, to, first, last } = shown.value;
  const occurring = useMemo(
    () => activities.map((_, a) => timelines.some((each) => each.activity.includes(a))),
    [timelines],
  );
  const number = (label: string, value: number, set: (value: number) => void) => (
    <label>
      {label}{" "}
      <input
        type="number"
        min={0}
        max={lanes - 1}
        value={value}
        onChange={(event) =>
          set(Math.min(lanes - 1, Math.max(0, Math.round(Number(event.currentTarget.value) || 0))))
        }
      />
    </label>
  );
  return (
    <div class="timeline">
      <div class="timeline-tools">
        <button type="button" onClick={() => by(1 / kZoom)} aria-label="Zoom in">
          +
        </button>
        <button type="button" onClick={() => by(kZoom)} aria-label="Zoom out">
          −
        </button>
        <button
          type="button"
          onClick={() => zoomTo(from - (to - from) / 2, to - (to - from) / 2)}
          aria-label="Earlier"
        >
          ◂
        </button>
        <button
          type="button"
          onClick={() => zoomTo(from + (to - from) / 2, to + (to - from) / 2)}
          aria-label="Later"
        >
          ▸
        </button>
        <button type="button" onClick={() => zoomTo(0, length)}>
          whole run
        </button>
        {timelines.some((each) => each.path.lane.length > 0) && (
          <button type="button" aria-pressed={path.value} onClick={() => (path.value = !path.value)}>
            critical path
          </button>
        )}
        {timelines.some((each) => each.messages.from.length > 0) && (
          <button
            type="button"
            aria-pressed={messages.value}
            onClick={() => (messages.value = !messages.value)}
          >
            messages
          </button>
        )}
        <button type="button" aria-pressed={playing.value} onClick={() => (playing.value = !playing.value)}>
          {playing.value ? "pause" : "play"}
        </button>
        {lanes > 1 && (
          <span class="lane-range">
            {number(
              "rows",
              first,
              (value) => (shown.value = { ...shown.value, first: value, last: Math.max(value + 1, last) }),
            )}{" "}
            {number(
              "to",
              last - 1,
              (value) => (shown.value = { ...shown.value, last: value + 1, first: Math.min(first, value) }),
            )}
          </span>
        )}
        <span class="quiet">
          {shortDuration(from / 1e9)} .. {duration(to / 1e9)}
        </span>
      </div>
      <p class="readout">
        {activities.map(
          (name, a) =>
            occurring[a] && (
              <span class="key">
                <i class={`key-fill-${styles[a]}`} />
                {name}
              </span>
            ),
        )}
      </p>
      {timelines.map((timeline, index) => (
        <>
          {timelines.length > 1 && (
            <h3>
              {timeline.title}, {duration(timeline.length / 1e9)}
            </h3>
          )}
          <Plot
            timeline={timeline}
            index={index}
            shown={shown}
            look={look}
            selected={selected}
            cursor={cursor}
            path={path.value}
            messages={messages.value}
            zoomTo={zoomTo}
            missing={(count) => count !== missing.peek() && (missing.value = count)}
          />
        </>
      ))}
      <p class="selected" role="status">
        {selected.value
          ? spanText(timelines[selected.value.timeline], selected.value.span, activities)
          : "Click a span to read it and see its messages; drag over a range to enlarge it."}
      </p>
      {missing.value > 0 && messages.value && (
        <p class="quiet">{missing.value} more messages have no arrow here: enlarge a part.</p>
      )}
      <label class="cursor">
        <span>time</span>{" "}
        <input
          type="range"
          min={from}
          max={to}
          step="any"
          value={cursor.value < 0 ? from : cursor.value}
          aria-valuetext={duration(Math.max(0, cursor.value) / 1e9)}
          onInput={(event) => (cursor.value = Number(event.currentTarget.value))}
        />
      </label>
      {cursor.value >= 0 &&
        timelines.map((timeline) => (
          <Units timeline={timeline} time={cursor.value} styles={styles} activities={activities} />
        ))}
    </div>
  );
}

export function showTimelines(): void {
  const data = document.getElementById("timeline-data"),
    place = document.getElementById("timeline-live"),
    overview = document.getElementById("timeline-overview");
  if (!data || !place) return;
  render(<Timelines json={JSON.parse(data.textContent!) as TimelinesJson} />, place);
  if (!overview) return;
  const fold = document.createElement("details"), title = document.createElement("summary");
  title.textContent = "Overview as a picture";
  overview.before(fold);
  fold.append(title, overview);
}
