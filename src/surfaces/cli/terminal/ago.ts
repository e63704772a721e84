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
    if (count > 0) return `${count} ${unit}${count === 1 ? "" : "s"} ago`;
  }
  return "just now";
}
