// Draws a timeline into a canvas. Spans are summed by pixel: a column of a row shows the shares of its time.
import { spanAfter, type Timeline } from "./timeline_data";

/** The part that is shown: times, and lanes from first to last - 1. */
export interface Shown {
  from: number;
  to: number;
  first: number;
  last: number;
}

export interface Look {
  /** Colours of the activities, as red | green << 8 | blue << 16 | alpha << 24. */
  colours: number[];
  ink: string;
  quiet: string;
  accent: string;
  card: string;
}

export interface Marks {
  path: boolean;
  messages: boolean;
  selected: number;
  cursor: number;
}

export const kLeft = 62;
const kRowsBelow = 22;
const kActivities = 7;
const kMostArrows = 4000;
const kLeastRow = 5;

export interface Rows {
  count: number;
  lanes: number;
  height: number;
}

/** Rows of lanes that fit into a height; more lanes share rows. */
export function rowsOf(shown: Shown, height: number): Rows {
  const lanes = Math.max(1, shown.last - shown.first),
    most = Math.max(1, Math.floor((height - kRowsBelow) / kLeastRow));
  const each = Math.ceil(lanes / most), count = Math.ceil(lanes / each);
  return { count, lanes: each, height: Math.min(30, Math.floor((height - kRowsBelow) / count)) };
}

function sumRow(
  timeline: Timeline,
  lanes: [number, number],
  shown: Shown,
  width: number,
  sums: Float32Array,
): void {
  sums.fill(0);
  const scale = width / (shown.to - shown.from);
  for (let lane = lanes[0]; lane < lanes[1]; ++lane)
    for (
      let i = spanAfter(timeline, lane, shown.from);
      i < timeline.first[lane + 1] && timeline.begin[i] < shown.to;
      ++i
    ) {
      const from = Math.max(0, (timeline.begin[i] - shown.from) * scale),
        to = Math.min(width, (timeline.end[i] - shown.from) * scale);
      const activity = timeline.activity[i];
      let pixel = Math.floor(from);
      if (to <= pixel + 1) {
        sums[pixel * kActivities + activity] += to - from;
        continue;
      }
      sums[pixel * kActivities + activity] += pixel + 1 - from;
      for (++pixel; pixel + 1 <= to; ++pixel) sums[pixel * kActivities + activity] += 1;
      if (pixel < to) sums[pixel * kActivities + activity] += to - pixel;
    }
}

function fillRow(
  pixels: Uint32Array,
  width: number,
  y: number,
  height: number,
  sums: Float32Array,
  lanes: number,
  colours: number[],
): void {
  for (let x = 0; x < width; ++x) {
    let done = 0,
      bottom = y + height;
    for (let a = 0; a < kActivities; ++a) {
      const share = sums[x * kActivities + a];
      if (share <= 0) continue;
      done += share;
      const top = Math.max(y, y + height - Math.round((Math.min(lanes, done) / lanes) * height));
      for (let row = top; row < bottom; ++row) pixels[row * width + x] = colours[a];
      bottom = top;
    }
  }
}

/** Where a lane's row is, its middle. */
const middleOf = (lane: number, shown: Shown, rows: Rows, ratio: number): number =>
  (Math.floor((lane - shown.first) / rows.lanes) + 0.5) * rows.height * ratio;

/** Black or white, whichever can be read on a colour. */
function inkOn(colour: number): string {
  const light = 0.299 * (colour & 255) + 0.587 * ((colour >> 8) & 255) + 0.114 * ((colour >> 16) & 255);
  return light > 128 ? "#101010" : "#ffffff";
}

class Painter {
  constructor(
    private context: CanvasRenderingContext2D,
    private timeline: Timeline,
    private shown: Shown,
    private look: Look,
    private rows: Rows,
    private width: number,
    private ratio: number,
  ) {}

  x(time: number): number {
    return kLeft * this.ratio + ((time - this.shown.from) / (this.shown.to - this.shown.from)) * this.width;
  }
  y(lane: number): number {
    return middleOf(lane, this.shown, this.rows, this.ratio);
  }
  isShown(lane: number): boolean {
    return lane >= this.shown.first && lane < this.shown.last;
  }

  spans(): void {
    const { timeline, shown, rows, width, ratio, context } = this;
    const height = rows.height * ratio,
      gap = rows.height > 8 ? Math.round(2 * ratio) : Math.round(ratio) - 1;
    const image = context.createImageData(width, Math.max(1, Math.round(height * rows.count)));
    const pixels = new Uint32Array(image.data.buffer),
      sums = new Float32Array(width * kActivities);
    for (let row = 0; row < rows.count; ++row) {
      const lanes: [number, number] = [
        shown.first + row * rows.lanes,
        Math.min(shown.last, shown.first + (row + 1) * rows.lanes),
      ];
      sumRow(timeline, lanes, shown, width, sums);
      fillRow(
        pixels,
        width,
        Math.round(row * height),
        Math.max(1, Math.round(height) - gap),
        sums,
        lanes[1] - lanes[0],
        this.look.colours,
      );
    }
    context.putImageData(image, Math.round(kLeft * ratio), 0);
  }

  /** Names of calls, where a span has room for its name. */
  names(): void {
    const { timeline, shown, rows, ratio, context } = this;
    if (rows.lanes > 1 || rows.height < 15) return;
    context.font = `${11 * ratio}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    context.textAlign = "left";
    const least = (shown.to - shown.from) * (56 / (this.width / ratio));
    for (let lane = shown.first; lane < shown.last; ++lane)
      for (
        let i = spanAfter(timeline, lane, shown.from);
        i < timeline.first[lane + 1] && timeline.begin[i] < shown.to;
        ++i
      ) {
        if (timeline.end[i] - timeline.begin[i] < least || timeline.pieces[i] > 1) continue;
        const text = timeline.name[i]
          ? timeline.names[timeline.name[i]].replace(/^P?MPI_/, "")
          : timeline.regions[timeline.region[i]].split("/").pop()!;
        const from = Math.max(this.x(timeline.begin[i]), this.x(shown.from)),
          room = Math.min(this.x(timeline.end[i]), this.x(shown.to)) - from - 8 * ratio;
        if (!text || context.measureText(text).width > room) continue;
        context.fillStyle = inkOn(this.look.colours[timeline.activity[i]]);
        context.fillText(text, from + 4 * ratio, this.y(lane) - ratio);
      }
  }

  private line(colour: string, width: number): void {
    this.context.strokeStyle = colour;
    this.context.lineWidth = width * this.ratio;
    this.context.beginPath();
  }

  arrow(message: number): void {
    const { context, ratio } = this,
      { from, to, sent, received } = this.timeline.messages;
    const [x1, y1, x2, y2] = [
      this.x(sent[message]),
      this.y(from[message]),
      this.x(received[message]),
      this.y(to[message]),
    ];
    const angle = Math.atan2(y2 - y1, x2 - x1),
      size = 6 * ratio;
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    for (const turn of [0.45, -0.45]) {
      context.moveTo(x2, y2);
      context.lineTo(x2 - size * Math.cos(angle + turn), y2 - size * Math.sin(angle + turn));
    }
  }

  /** Arrows of the messages in view; returns how many have no arrow because there are too many. */
  messages(): number {
    const { from, to, sent, received } = this.timeline.messages,
      { shown } = this;
    let count = 0;
    this.line(this.look.ink, 1);
    for (let m = 0; m < from.length; ++m) {
      if (received[m] < shown.from || sent[m] > shown.to || (!this.isShown(from[m]) && !this.isShown(to[m])))
        continue;
      if (++count <= kMostArrows) this.arrow(m);
    }
    this.context.globalAlpha = count > 300 ? 0.35 : 0.75;
    this.context.stroke();
    this.context.globalAlpha = 1;
    return Math.max(0, count - kMostArrows);
  }

  path(): void {
    const { lane, begin, end, isMessage } = this.timeline.path,
      { context } = this;
    this.line(this.look.ink, 2.2);
    let begun = false;
    for (let s = 0; s < lane.length; ++s) {
      if (end[s] < this.shown.from || begin[s] > this.shown.to || isMessage[s]) continue;
      // below the names
      const y = this.y(lane[s]) + (this.rows.height > 14 ? (this.rows.height / 2 - 4) * this.ratio : 0);
      if (begun) context.lineTo(this.x(begin[s]), y);
      else context.moveTo(this.x(begin[s]), y);
      context.lineTo(this.x(end[s]), y);
      begun = true;
    }
    context.stroke();
  }

  selection(span: number): void {
    const { timeline, rows, ratio, context } = this;
    let lane = 0;
    while (timeline.first[lane + 1] <= span) ++lane;
    if (!this.isShown(lane)) return;
    this.line(this.look.ink, 2);
    const x = this.x(timeline.begin[span]),
      y = this.y(lane) - (rows.height / 2) * ratio;
    context.strokeRect(x, y, Math.max(2, this.x(timeline.end[span]) - x), (rows.height - 1) * ratio);
    this.line(this.look.ink, 1.6);
    for (const message of messagesOf(timeline, span)) this.arrow(message);
    context.stroke();
  }

  cursor(time: number): void {
    this.line(this.look.accent, 1.5);
    this.context.moveTo(this.x(time), 0);
    this.context.lineTo(this.x(time), this.rows.count * this.rows.height * this.ratio);
    this.context.stroke();
  }

  /** Numbers of ranks at the left, and times below; covers what was drawn beyond the plot. */
  axes(ticks: [number, string][]): void {
    const { context, ratio, rows, shown } = this,
      bottom = rows.count * rows.height * ratio;
    context.fillStyle = this.look.card;
    context.fillRect(0, 0, kLeft * ratio, context.canvas.height);
    context.fillRect(kLeft * ratio + this.width, 0, context.canvas.width, context.canvas.height);
    context.fillRect(0, bottom, context.canvas.width, context.canvas.height);
    context.fillStyle = this.look.quiet;
    context.font = `${12 * ratio}px system-ui, sans-serif`;
    context.textBaseline = "middle";
    context.textAlign = "right";
    const step = Math.max(1, Math.ceil(13 / rows.height));
    for (let row = 0; row < rows.count; row += step) {
      const lane = shown.first + row * rows.lanes,
        { rank, thread } = this.timeline.lanes[lane];
      context.fillText(
        `rank ${rank}${thread ? "." + thread : ""}`,
        (kLeft - 6) * ratio,
        (row + 0.5) * rows.height * ratio,
      );
    }
    context.textBaseline = "top";
    for (const [time, text] of ticks) {
      const x = this.x(time);
      context.textAlign =
        x > kLeft * ratio + this.width - 24 * ratio ? "right" : x < (kLeft + 24) * ratio ? "left" : "center";
      context.fillRect(x, bottom, ratio, 4 * ratio);
      context.fillText(text, x, bottom + 6 * ratio);
    }
  }
}

/** Messages that the call of a span sent or received. */
export function messagesOf(timeline: Timeline, span: number): number[] {
  let lane = 0;
  while (timeline.first[lane + 1] <= span) ++lane;
  const { from, to, sent, received } = timeline.messages, out: number[] = [];
  // Waiting is the first part of a call: its message is received when the rest of the call ends.
  const next =
    span + 1 < timeline.first[lane + 1] &&
    timeline.activity[span] === 5 &&
    timeline.name[span + 1] === timeline.name[span]
      ? span + 1
      : span;
  const before =
    span > timeline.first[lane] &&
    timeline.activity[span - 1] === 5 &&
    timeline.name[span - 1] === timeline.name[span]
      ? span - 1
      : span;
  const begin = timeline.begin[before], end = timeline.end[next];
  if (timeline.activity[span] === 0 || timeline.activity[span] === 6) return out;
  for (let m = 0; m < from.length; ++m)
    if (
      (from[m] === lane && sent[m] >= begin && sent[m] < end) ||
      (to[m] === lane && received[m] > begin && received[m] <= end)
    )
      out.push(m);
  return out;
}

/** Draws everything; returns how many arrows are left out. */
export function paint(
  canvas: HTMLCanvasElement,
  timeline: Timeline,
  shown: Shown,
  look: Look,
  marks: Marks,
  ticks: [number, string][],
): number {
  const context = canvas.getContext("2d")!,
    ratio = canvas.width / canvas.clientWidth;
  const width = Math.max(1, Math.round(canvas.width - (kLeft + 8) * ratio));
  const own = {
    ...shown,
    last: Math.min(shown.last, timeline.lanes.length),
    first: Math.min(shown.first, timeline.lanes.length - 1),
  };
  const painter = new Painter(context, timeline, own, look, rowsOf(own, canvas.height / ratio), width, ratio);
  context.clearRect(0, 0, canvas.width, canvas.height);
  painter.spans();
  painter.names();
  const left = marks.messages ? painter.messages() : 0;
  if (marks.path) painter.path();
  if (marks.selected >= 0) painter.selection(marks.selected);
  if (marks.cursor >= 0) painter.cursor(marks.cursor);
  painter.axes(ticks);
  return left;
}
