// The spans, messages and critical path that `parcast report` writes into a page
// (docs/formats/report_page.md).

export interface TimelineJson {
  title: string;
  simulated: boolean;
  length: number;
  resolution: number;
  names: string[];
  regions: string[];
  lanes: [number, number, string, number][];
  spans: string;
  message_count: number;
  messages: string;
  step_count: number;
  path: string;
}

export interface TimelinesJson {
  schema: string;
  /** Name and class of the style sheet. */
  activities: [string, string][];
  timelines: TimelineJson[];
}

/** Times are nanoseconds since the first process left MPI_Init. */
export interface Timeline {
  title: string;
  simulated: boolean;
  length: number;
  resolution: number;
  names: string[];
  regions: string[];
  lanes: { rank: number; thread: number; host: string }[];
  /** The spans of lane i are first[i] .. first[i + 1] - 1. */
  first: Uint32Array;
  begin: Float64Array;
  end: Float64Array;
  activity: Uint8Array;
  name: Uint32Array;
  region: Uint32Array;
  pieces: Uint32Array;
  messages: {
    from: Uint32Array;
    to: Uint32Array;
    sent: Float64Array;
    received: Float64Array;
    bytes: Float64Array;
    tag: Int32Array;
  };
  path: { lane: Uint32Array; begin: Float64Array; end: Float64Array; isMessage: Uint8Array };
}

/** Numbers of seven bits per byte, the lowest first. */
class Numbers {
  private bytes: Uint8Array;
  private at = 0;
  constructor(text: string) {
    const binary = atob(text);
    this.bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; ++i) this.bytes[i] = binary.charCodeAt(i);
  }
  next(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.bytes[this.at++];
      if (byte < 128) return value + byte * factor;
      value += (byte - 128) * factor;
    }
  }
  signed(): number {
    const value = this.next();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}

export function timelineOf(json: TimelineJson): Timeline {
  const count = json.lanes.reduce((sum, lane) => sum + lane[3], 0);
  const out: Timeline = {
    title: json.title,
    simulated: json.simulated,
    length: json.length,
    resolution: json.resolution,
    names: json.names,
    regions: json.regions,
    lanes: json.lanes.map(([rank, thread, host]) => ({ rank, thread, host })),
    first: new Uint32Array(json.lanes.length + 1),
    begin: new Float64Array(count),
    end: new Float64Array(count),
    activity: new Uint8Array(count),
    name: new Uint32Array(count),
    region: new Uint32Array(count),
    pieces: new Uint32Array(count),
    messages: {
      from: new Uint32Array(json.message_count),
      to: new Uint32Array(json.message_count),
      sent: new Float64Array(json.message_count),
      received: new Float64Array(json.message_count),
      bytes: new Float64Array(json.message_count),
      tag: new Int32Array(json.message_count),
    },
    path: {
      lane: new Uint32Array(json.step_count),
      begin: new Float64Array(json.step_count),
      end: new Float64Array(json.step_count),
      isMessage: new Uint8Array(json.step_count),
    },
  };
  const spans = new Numbers(json.spans);
  let i = 0;
  json.lanes.forEach((lane, l) => {
    for (let at = 0, k = 0; k < lane[3]; ++k, ++i) {
      const what = spans.next();
      out.activity[i] = what % 8;
      out.name[i] = Math.floor(what / 8);
      out.begin[i] = at + spans.next();
      out.end[i] = at = out.begin[i] + spans.next();
      out.region[i] = spans.next();
      out.pieces[i] = json.resolution > 0 ? spans.next() : 1;
    }
    out.first[l + 1] = i;
  });
  const messages = new Numbers(json.messages), { from, to, sent, received, bytes, tag } = out.messages;
  for (let m = 0, at = 0; m < json.message_count; ++m) {
    from[m] = messages.next();
    to[m] = messages.next();
    sent[m] = at += messages.signed();
    received[m] = at + messages.signed();
    bytes[m] = messages.next();
    tag[m] = messages.signed();
  }
  const path = new Numbers(json.path);
  for (let s = 0, at = 0; s < json.step_count; ++s) {
    const what = path.next();
    out.path.lane[s] = Math.floor(what / 2);
    out.path.isMessage[s] = what % 2;
    out.path.begin[s] = at + path.signed();
    out.path.end[s] = at = out.path.begin[s] + path.next();
  }
  return out;
}

/** The first span of a lane that ends after a time; the end of the lane if none does. */
export function spanAfter(timeline: Timeline, lane: number, time: number): number {
  let low = timeline.first[lane], high = timeline.first[lane + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (timeline.end[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The span of a lane at a time; -1: none. */
export function spanAt(timeline: Timeline, lane: number, time: number): number {
  const span = spanAfter(timeline, lane, time);
  return span < timeline.first[lane + 1] && timeline.begin[span] <= time ? span : -1;
}

export const laneName = (timeline: Timeline, lane: number): string => {
  const { rank, thread } = timeline.lanes[lane];
  return thread ? `${rank}.${thread}` : String(rank);
};
