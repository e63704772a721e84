/**
 * The event log in parts. A long log is renamed to a name with a number, and a new one begins. The parts in
 * order and the log itself are one log: positions count over all of them, and only the first part identifies
 * it.
 *
 * A rename first gives the file its second name and then removes the old one. If it ended in between, or if a
 * power cut restored the old name, log and last part begin with the same event: then the part is only a copy.
 */
const ASIDE = /^events-(\d{6})\.jsonl$/;

/** The name of a part, in the log's folder. */
export function asideName(number: number): string {
  return `events-${String(number).padStart(6, "0")}.jsonl`;
}

/** Null: the name is no part's. */
export function asideNumber(name: string): number | null {
  const part = ASIDE.exec(name)?.[1];
  return part === undefined ? null : Number(part);
}

/** The parts' names in a folder, in order. */
export function asideNames(names: readonly string[]): readonly string[] {
  return names.filter((name) => asideNumber(name) !== null).sort();
}

/** The text of the parts in order, and of the log. */
export function wholeLog(aside: readonly string[], log: string | null): string {
  const isCopied = log !== null && aside.length > 0 && isSameStart(aside.at(-1) ?? "", log);
  return [...(isCopied ? aside.slice(0, -1) : aside), log ?? ""].join("");
}

/** Whether both begin with the same whole event, which two different logs never do. */
function isSameStart(one: string, other: string): boolean {
  const end = one.indexOf("\n") + 1;
  return end > 0 && other.startsWith(one.slice(0, end));
}
