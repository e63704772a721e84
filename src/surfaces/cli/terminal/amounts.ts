import type { ReviewCost } from "../../../runtime/review/model.ts";

/** Empty if nothing is known. */
export function costWords({
  minutes,
  tokens,
  tries = null,
  usd,
}: Pick<ReviewCost, "minutes" | "tokens" | "usd"> & Partial<Pick<ReviewCost, "tries">>): string {
  return [
    ...(usd === null ? [] : [`${usd.toFixed(usd > 0 && usd < 0.1 ? 3 : 2)} usd`]),
    ...(tokens === null ? [] : [counted(tokens, "token")]),
    ...(minutes === null ? [] : [minutes === 0 ? "under a minute" : counted(minutes, "minute")]),
    ...(tries === null ? [] : [tries === 1 ? "1 try" : `${tries} tries`]),
  ].join(", ");
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** `2 hours ago`; empty if the text is not a time. */
export function ago(time: string, now: Date): string {
  const seconds = (now.getTime() - Date.parse(time)) / 1000;
  if (Number.isNaN(seconds)) return "";
  for (const [unit, length] of UNITS) {
    const count = Math.floor(seconds / length);
    if (count > 0) return `${counted(count, unit)} ago`;
  }
  return "just now";
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
