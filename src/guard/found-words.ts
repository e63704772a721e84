/** What `find` finds, as its words tell it. */
import { segmentMatches } from "./glob.ts";
import type { Word } from "./shell-words.ts";

const HERE: Word = { text: ".", isOpen: false, isPattern: false };

/** The folders where it starts; or where names limit it, patterns: a name below any of their folders. */
export function foundBy(args: readonly Word[]): readonly Word[] {
  let from = 0;
  while (/^-(?:[HLP]|O\d)$/.test(args[from]?.text ?? "")) from += 1;
  let end = from;
  while (end < args.length && !/^[-(!]/.test(args[end]?.text ?? "")) end += 1;
  const starts = end === from ? [HERE] : args.slice(from, end);
  const names = namesOf(args.slice(end));
  if (names === null || starts.length > MAX_STARTS) return starts;
  return starts.flatMap((start) => {
    const own = start.text.replace(/\/+$/, "").split("/").at(-1) ?? "";
    // A name may be that of the folder itself, and so take all of it.
    const isOwn = own === ".." || names.some((name) => segmentMatches(own, name));
    if (isOwn) return [start];
    return names.map((name) => ({ ...start, text: `${start.text}/**/${name}`, isPattern: true }));
  });
}

const MAX_STARTS = 200;
const MAX_NAMES = 20;
const MAX_NAME = 255;

/** The names one of which whatever an action takes has; null: an action may take anything. */
function namesOf(expression: readonly Word[]): readonly string[] | null {
  const names: string[] = [];
  let isNamed = false;
  for (let at = 0; at < expression.length; at++) {
    const text = expression[at]?.text ?? "";
    const next = expression[at + 1];
    if (text === "!" || text === "-not") {
      if (!/^-/.test(next?.text ?? "")) return null;
      at += 1;
    } else if (/^(?:-o|-or|,)$/.test(text)) {
      if (!isNamed) return null;
      isNamed = false;
    } else if (/^-i?name$/.test(text)) {
      if (!next || next.isOpen || next.text.length > MAX_NAME || /^$|[/\\]/.test(next.text)) return null;
      names.push(next.text);
      isNamed = true;
      at += 1;
    } else if (/^-(?:delete|exec|execdir|ok|okdir)$/.test(text) && !isNamed) return null;
  }
  return isNamed && names.length <= MAX_NAMES ? names : null;
}
