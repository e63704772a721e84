/** The changes of an edit, as readable lines. */

const AROUND = 3;

/** A unified diff of one stretch: from the first line that differs to the last. Empty if none does. */
export function renderDiff(path: string, before: string | null, after: string): string {
  const [old, now] = [linesOf(before ?? ""), linesOf(after)];
  const shorter = Math.min(old.length, now.length);
  let start = 0;
  while (start < shorter && old[start] === now[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  if (start === old.length && start === now.length) return "";
  const from = Math.max(0, start - AROUND);
  const marked = (mark: string, lines: readonly string[]) => lines.map((line) => mark + line);
  const body = [
    ...marked(" ", old.slice(from, start)),
    ...marked("-", old.slice(start, old.length - end)),
    ...marked("+", now.slice(start, now.length - end)),
    ...marked(" ", old.slice(old.length - end, old.length - end + AROUND)),
  ];
  const size = (mark: string) => body.filter((line) => !line.startsWith(mark)).length;
  const place = (count: number) => `${count === 0 ? from : from + 1},${count}`;
  return [
    `--- ${before === null ? "/dev/null" : path}`,
    `+++ ${path}`,
    `@@ -${place(size("+"))} +${place(size("-"))} @@`,
    ...body,
  ].join("\n");
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.replace(/\n$/, "").split("\n");
}
