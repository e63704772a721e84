/** GSD: the phases of `.planning/ROADMAP.md`, each with the section that describes it. */
import { dedented, type Entry, outline } from "../outline.ts";
import type { Dependency, Read, SourceFile, SourceTask, State } from "../source.ts";
import { stateOf, stateOfBox } from "../states.ts";
import { idFrom, openKeys, paragraphs, titled } from "../words.ts";

const PHASE = /^[*_~]{0,4}Phase (\d{1,3}(?:\.\d{1,2})?)\b[:.]?\s*/i;

export function readGsd(files: readonly SourceFile[]): Read {
  const remarks: string[] = [];
  const roadmaps = files.filter(({ path }) => files.length === 1 || /(?:^|\/)ROADMAP\.md$/.test(path));
  const tasks = roadmaps.flatMap(({ path, text }) => {
    const { entries } = outline(text);
    const unique = openKeys();
    const isBoxed = ({ box, kind, text: line }: Entry) => kind === "item" && box !== null && PHASE.test(line);
    const boxed = new Set(entries.filter(isBoxed).map((entry) => numberOf(entry.text)));
    // Of a milestone, the roadmap has its phases as headings alone.
    const phases = entries.filter(
      (each) =>
        isBoxed(each) ||
        (each.kind === "heading" && PHASE.test(each.text) && !boxed.has(numberOf(each.text))),
    );
    if (phases.length === 0) remarks.push(`${path} has no phases, such as "Phase 1: …": no tasks.`);
    const words = progressIn(text);
    return phases.map((entry) => {
      const section = sectionOf(entries, numberOf(entry.text));
      const state =
        entry.kind === "heading"
          ? stateIn(section, words.get(numberOf(entry.text)) ?? "")
          : stateOfBox(entry.box);
      return phaseOf(entry, path, { section, state }, unique);
    });
  });
  return { tasks, remarks };
}

function numberOf(text: string): string {
  return PHASE.exec(text)?.[1] ?? "";
}

function phaseOf(
  entry: Entry,
  path: string,
  { section, state }: { readonly section: readonly string[]; readonly state: State },
  unique: (key: string) => string,
): SourceTask {
  const number = numberOf(entry.text);
  const [name = "", ...about] = entry.text.replace(PHASE, "").split("**");
  const { rest, title } = titled(name.trim() || entry.text);
  const below = dedented(section);
  const waits = /^\**Depends on\**:?\**\s*(.{0,200})$/im.exec(below)?.[1] ?? "";
  return {
    key: unique(`${path}#${number}`),
    id: idFrom(`phase-${number}`),
    title,
    ...state,
    text: paragraphs(
      rest,
      about.join("**").replace(/^\s*[-–—:]\s*/, ""),
      entry.kind === "item" ? entry.body : "",
      below,
    ),
    criteria: [],
    notes: [],
    dependsOn: [...waits.matchAll(/Phase (\d{1,3}(?:\.\d{1,2})?)/gi)].map(
      ([text, other]): Dependency => ({ key: `${path}#${other}`, text }),
    ),
    parent: null,
    steps: [],
  };
}

/** The words of the table of progress, by the phase's number: `| 1. Base | 2/2 | Complete | … |`. */
function progressIn(text: string): ReadonlyMap<string, string> {
  const [, table = ""] = text.split(/^#{1,4} Progress\b.*$/m);
  const rows = table.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
  const at = rows.find((cells) => cells.includes("Status"))?.indexOf("Status") ?? -1;
  return new Map(
    rows.flatMap((cells) => {
      const number = /^(?:Phase )?(\d{1,3}(?:\.\d{1,2})?)\b/i.exec(cells[1] ?? "")?.[1];
      return number === undefined || at < 0 ? [] : [[number, cells[at] ?? ""]];
    }),
  );
}

/** A phase without a box of its own is over if all its plans are. */
function stateIn(section: readonly string[], word: string): State {
  const boxes = outline(section.join("\n")).entries.filter(
    ({ box, text }) => box !== null && !PHASE.test(text),
  );
  const isOver = boxes.length > 0 && boxes.every(({ box }) => stateOfBox(box).status === "done");
  return isOver ? { status: "done" } : stateOf(word);
}

/** The lines below the heading `Phase 1: …`. */
function sectionOf(entries: readonly Entry[], number: string): readonly string[] {
  const from = entries.findIndex(({ kind, text }) => kind === "heading" && numberOf(text) === number);
  const depth = entries[from]?.depth ?? 0;
  const rest = entries.slice(from + 1);
  const end = rest.findIndex((entry) => entry.kind === "heading" && entry.depth <= depth);
  if (from < 0) return [];
  return [
    ...(entries[from]?.lines.slice(1) ?? []),
    ...(end < 0 ? rest : rest.slice(0, end)).flatMap(({ lines }) => lines),
  ];
}
