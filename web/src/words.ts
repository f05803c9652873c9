// Numbers as the page's text has them.

const kUnits: [number, string][] = [
  [3600, "h"],
  [60, "min"],
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "us"],
  [1e-9, "ns"],
];

export function significant(value: number, digits: number): string {
  if (value === 0 || !Number.isFinite(value)) return value === 0 ? "0" : "–";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-3) return value.toExponential(digits - 1);
  return value.toFixed(Math.max(0, digits - 1 - Math.floor(Math.log10(size))));
}

export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return "–";
  if (seconds === 0) return "0 s";
  const size = Math.abs(seconds), year = 365.25 * 86400;
  if (size >= 2 * year) return significant(seconds / year, 3) + " years";
  const limits: Record<string, number> = { h: 7200, min: 600 };
  const [factor, unit] = kUnits.find(([f, u]) => size >= (limits[u] ?? f)) ?? kUnits[kUnits.length - 1];
  return significant(seconds / factor, 3) + " " + unit;
}

/** Without zeros at the end of decimals. */
export const trimmed = (number: string): string =>
  /\./.test(number) && !/e/.test(number) ? number.replace(/\.?0+$/, "") : number;

export function shortDuration(seconds: number): string {
  const [number, unit] = duration(seconds).split(" ");
  return unit ? trimmed(number) + " " + unit : number;
}

export const percent = (share: number): string =>
  share > 0 && share < 0.005 ? "<1 %" : Math.round(100 * share) + " %";

export const signedPercent = (fraction: number): string =>
  (fraction >= 0 ? "+" : "−") + significant(Math.abs(100 * fraction), 3) + " %";

/** A machine cost with the unit that its name implies. */
export function machineValue(name: string, value: number): string {
  if (/per_byte/.test(name)) return duration(value) + "/B";
  if (/limit|bytes/.test(name)) return significant(value, 3) + " B";
  if (/speed/.test(name)) return significant(value / 1e9, 3) + " G/s";
  if (/latency|overhead|startup|gap/.test(name)) return duration(value);
  return significant(value, 4);
}
