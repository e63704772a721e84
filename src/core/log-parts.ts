/**
 * The event log in parts. A long log is put aside under a name with a number, and a new one begins. The parts in their order and
 * the log itself are one log: positions count over all of them, and only the first says which log it is.
 *
 * Putting aside gives the file its second name first and takes the old one away then. Where it ended in between, or where the old
 * name came back by a power cut, log and last part begin with the same event: then the part is only a copy.
 */
const ASIDE = /^events-(\d{6})\.jsonl$/;

/** In the log's folder. */
export function asideName(number: number): string {
  return `events-${String(number).padStart(6, "0")}.jsonl`;
}

/** Null: it is no part that was put aside. */
export function asideNumber(name: string): number | null {
  const found = ASIDE.exec(name)?.[1];
  return found === undefined ? null : Number(found);
}

/** The parts' names among a folder's, in their order. */
export function asideNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => asideNumber(name) !== null).sort();
}

/** The text of parts in their order, and of the log. */
export function wholeLog(aside: readonly string[], log: string | null): string {
  const isCopied = log !== null && aside.length > 0 && isSameStart(aside.at(-1) ?? "", log);
  return [...(isCopied ? aside.slice(0, -1) : aside), log ?? ""].join("");
}

/** Whether both begin with the same whole event, as no two logs do. */
function isSameStart(one: string, other: string): boolean {
  const end = one.indexOf("\n") + 1;
  return end > 0 && other.startsWith(one.slice(0, end));
}
