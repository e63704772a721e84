/** Times in the reader's time zone. */
const two = (part: number): string => String(part).padStart(2, "0");

/** `2026-01-31` */
export function dayOf(at: Date): string {
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(two).join("-");
}

/** `03:02` */
export function clockOf(at: Date): string {
  return [at.getHours(), at.getMinutes()].map(two).join(":");
}

/** `03:02:59` */
export function secondsOf(at: Date): string {
  return `${clockOf(at)}:${two(at.getSeconds())}`;
}
