/** GSD: the phases of `.planning/ROADMAP.md`, each with the section that describes it. */
import { dedented, type Entry, outline } from "../outline.ts";
import type { Dependency, Read, SourceFile, SourceTask } from "../source.ts";
import { stateOfBox } from "../states.ts";
import { idFrom, openKeys, paragraphs, titled } from "../words.ts";

const PHASE = /^[*_~]{0,4}Phase (\d{1,3}(?:\.\d{1,2})?)\b[:.]?\s*/i;

export function readGsd(files: readonly SourceFile[]): Read {
  const remarks: string[] = [];
  const roadmaps = files.filter(({ path }) => files.length === 1 || /(?:^|\/)ROADMAP\.md$/.test(path));
  const tasks = roadmaps.flatMap(({ path, text }) => {
    const { entries } = outline(text);
    const unique = openKeys();
    const phases = entries.filter(
      ({ box, kind, text: line }) => kind === "item" && box !== null && PHASE.test(line),
    );
    if (phases.length === 0) remarks.push(`${path} has no boxes that begin with "Phase 1": no tasks.`);
    return phases.map((entry) => phaseOf(entry, path, sectionOf(entries, numberOf(entry.text)), unique));
  });
  return { tasks, remarks };
}

function numberOf(text: string): string {
  return PHASE.exec(text)?.[1] ?? "";
}

function phaseOf(
  entry: Entry,
  path: string,
  section: readonly string[],
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
    ...stateOfBox(entry.box),
    text: paragraphs(rest, about.join("**").replace(/^\s*[-–—:]\s*/, ""), entry.body, below),
    criteria: [],
    notes: [],
    dependsOn: [...waits.matchAll(/Phase (\d{1,3}(?:\.\d{1,2})?)/gi)].map(
      ([text, other]): Dependency => ({ key: `${path}#${other}`, text }),
    ),
    parent: null,
    steps: [],
  };
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
