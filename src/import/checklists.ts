/**
 * The step lists of Spec Kit, OpenSpec and Kiro: one task per feature, with its boxes as steps, because they
 * are done in order on one branch.
 */
import { type Branch, branches, dedented, type Entry, linesOf, outline, textBelow } from "./outline.ts";
import type { Read, SourceFile, SourceItem, SourceStatus, SourceTask, State } from "./source.ts";
import { stateOf, stateOfBox } from "./states.ts";
import { idFrom, openKeys, paragraphs, slugOf, titled } from "./words.ts";

// ── A feature ────────────────────────────────────────────────────────────────────────────────────────────────────

export interface Feature {
  readonly name: string;
  readonly tasks: SourceFile;
  /** The other files in its folder and below. */
  readonly others: readonly SourceFile[];
}

export function featuresIn(files: readonly SourceFile[], name = /(?:^|\/)tasks\.md$/i): readonly Feature[] {
  return files
    .filter(({ path }) => name.test(path))
    .map((tasks) => {
      const folder = tasks.path.slice(0, tasks.path.lastIndexOf("/") + 1);
      const others = files.filter((each) => each !== tasks && folder !== "" && each.path.startsWith(folder));
      return { name: folder.split("/").at(-2) ?? "tasks", tasks, others };
    });
}

interface Step extends Stated {
  readonly number: string | null;
  readonly title: string;
  readonly text: string;
  readonly criteria?: readonly string[];
  readonly notes?: readonly string[];
}

interface FeatureShape {
  readonly title: string;
  readonly text: string;
  readonly criteria?: readonly string[];
  /** What the source says of the whole; absent: open until all steps are done. */
  readonly state?: State;
  readonly notes?: readonly string[];
}

export function featureTask(
  { name, others, tasks }: Feature,
  scope: string,
  steps: readonly Step[],
  { criteria = [], notes = [], state = { status: "todo" }, text, title }: FeatureShape,
): SourceTask {
  const unique = openKeys();
  const items = steps.map(({ criteria = [], notes: noteTexts = [], number, ...step }): SourceItem => {
    const key = unique(`${scope}/${number ?? slugOf(step.title)}`);
    const { title: short, rest } = titled(step.title);
    return {
      ...step,
      key,
      ...(number === null ? { byText: true } : {}),
      id: idFrom(`${name}.${key.slice(scope.length + 1).replace("#", "-")}`, name.slice(0, 40)),
      title: short,
      text: paragraphs(rest, step.text),
      criteria,
      notes: noteTexts,
    };
  });
  const context = [
    ...others
      .map(({ path }) => path)
      .filter((path) => path.endsWith(".md"))
      .slice(0, 30),
    tasks.path,
  ];
  return {
    key: scope,
    id: idFrom(name, "feature"),
    title,
    ...state,
    text: paragraphs(text, `Its documents: ${context.join(", ")}`),
    criteria,
    notes,
    dependsOn: [],
    parent: null,
    steps: items,
  };
}

export function titleIn(file: SourceFile | undefined, fallback: string): string {
  const line = /^# +(.+)$/m.exec(file?.text ?? "")?.[1]?.trim();
  const words = line?.replace(
    /^(?:feature specification|implementation plan|implementation tasks|requirements document|change|proposal|tasks?|plan|spec(?:ification)?|track(?: plan| specification)?)\s*[:：-]\s*/i,
    "",
  );
  return words &&
    !/^(?:(?:spec )?requirements document|spec tasks|spec(?:ification)?|plan|track plan|implementation (?:plan|tasks)|tasks?|requirements|change|proposal)$/i.test(
      words,
    )
    ? titled(words).title
    : fallback;
}

export function named(files: readonly SourceFile[], name: string): SourceFile | undefined {
  return files.find(({ path }) => path.toLowerCase().endsWith(`/${name}`));
}

// ── Status ───────────────────────────────────────────────────────────────────────────────────────────────────────

const SKIPPED =
  /[[(](?:skipped|skip|cancelled|canceled|dropped|obsolete|won't do|n\/a)(?:\s*[:：-]\s*([^\])]{0,300}))?[\])]/i;

type Stated = State & Pick<SourceItem, "reason">;

/** `dash`: the tool's meaning of `[-]`; absent: the tool has no such box. */
function stateIn({ box, text }: Pick<Entry, "box" | "text">, dash?: SourceStatus): Stated {
  const skipped = SKIPPED.exec(text);
  if (skipped) return { status: "cancelled", reason: skipped[1]?.trim() || skipped[0].slice(1, -1) };
  if (/^~~.+~~/.test(text)) return { status: "cancelled", reason: "struck out in the source" };
  return stateOfBox(box, dash);
}

// ── Spec Kit ─────────────────────────────────────────────────────────────────────────────────────────────────────

const T_ID = /^[*`~]{0,4}(T\d{1,5}[a-z]?)\b[*`]{0,3}[ \t]*[:：.)）—–-]?[ \t]*/i;
const CLOSING =
  /check ?list|validation|criteria|definition of done|\bgates?\b|legend|format|notation|convention|sign-?off|凡例|チェック|検証|检查|清单|验收|図例|图例/i;
const TALK =
  /dependenc|parallel|execution order|strategy|example|summary|overview|legend|format|notation|依存|依赖|並列|并行/i;

export function readSpecKit(files: readonly SourceFile[]): Read {
  const remarks: string[] = [];
  const tasks = featuresIn(files).map((feature) => {
    const { entries } = outline(feature.tasks.text);
    const title = titleIn(named(feature.others, "spec.md") ?? feature.tasks, feature.name);
    const steps = specKitSteps(entries, feature.tasks.path, remarks);
    return featureTask(feature, feature.tasks.path, steps, { title, text: "" });
  });
  return { tasks, remarks };
}

function specKitSteps(entries: readonly Entry[], path: string, remarks: string[]): readonly Step[] {
  const withId = entries.filter((entry) => T_ID.test(entry.text));
  const boxed = withId.some(({ kind, box }) => kind === "item" && box !== null);
  const headed = withId.some(({ kind }) => kind === "heading");
  const isStep = (entry: Entry, under: string): boolean => {
    if (T_ID.test(entry.text)) {
      if (entry.kind === "heading") return !boxed;
      if (entry.box !== null) return !headed || boxed;
      return !boxed && !headed && !TALK.test(under);
    }
    return withId.length === 0 && entry.kind === "item" && entry.box !== null && !CLOSING.test(under);
  };
  const steps: { readonly step: Step; readonly lines: (readonly string[])[] }[] = [];
  const passed = new Map<string, number>();
  let under = "";
  let phase = "";
  let last: {
    readonly lines: (readonly string[])[];
    readonly depth: number;
    readonly kind: Entry["kind"];
  } | null = null;
  for (const entry of entries) {
    const starts = isStep(entry, under);
    if (entry.kind === "heading" && !starts) {
      const isInside: boolean = last?.kind === "heading" && entry.depth > last.depth;
      if (!isInside) {
        under = entry.text;
        if (entry.depth <= 2) phase = entry.text;
        last = null;
        continue;
      }
    }
    if (starts) {
      const [lead = "", number = null] = T_ID.exec(entry.text) ?? [];
      const lines = [entry.lines.slice(1)];
      const step = {
        number: number?.toUpperCase() ?? null,
        title: withoutLead(entry.text, lead) || entry.text || `Line ${entry.line}`,
        text: phase && `Part of: ${phase}`,
        ...(entry.box === null ? stateOf(statusLine(entry.body)) : stateIn(entry)),
      };
      steps.push({ step, lines });
      last = { lines, depth: entry.depth, kind: entry.kind };
    } else if (last && (last.kind === "heading" || entry.depth > last.depth)) {
      last.lines.push(entry.lines);
    } else if (entry.kind === "item" && entry.box !== null) passed.set(under, (passed.get(under) ?? 0) + 1);
  }
  for (const [heading, count] of passed)
    remarks.push(
      `${path}: ${count} ${count === 1 ? "box" : "boxes"} under "${heading.slice(0, 80)}" ${count === 1 ? "is no task" : "are no tasks"}; left out.`,
    );
  return steps.map(({ lines, step }) => ({ ...step, text: paragraphs(dedented(lines.flat()), step.text) }));
}

/** A mark that opens before the id and closes behind the words stays around the words. */
function withoutLead(text: string, lead: string): string {
  const mark = /^[*`~]*/.exec(lead)?.[0] ?? "";
  const words = text.slice(lead.length).trim();
  return mark !== "" && words !== "" && !lead.slice(mark.length).includes(mark) ? `${mark}${words}` : words;
}

/** The status of `**Status**: Completed`; empty: none. */
function statusLine(body: string): string {
  const word = /^[*_\- ]{0,6}status[*_]{0,2}[ ]?[:：][*_]{0,2}[ ]?(.{0,40})$/im.exec(body)?.[1] ?? "";
  return word
    .replace(/\(.*/, "")
    .replace(/[*_]+$/, "")
    .trim();
}

// ── OpenSpec ─────────────────────────────────────────────────────────────────────────────────────────────────────

const NUMBER = /^[*`]{0,3}(\d{1,6}(?:\.\d{1,6}){0,8})(?:[.)）:：][*`]{0,3}[ \t]*|[*`]{0,3}[ \t]+)/;

export function readOpenSpec(files: readonly SourceFile[]): Read {
  const remarks: string[] = [];
  const tasks = featuresIn(files).map((feature) => {
    const { path, text } = feature.tasks;
    const isArchived = /(?:^|\/)archive\//.test(path);
    const steps = boxSteps(outline(text).entries);
    if (steps.length === 0)
      remarks.push(`${path} has no boxes, lists or headings: the change is one task without steps.`);
    const proposal = named(feature.others, "proposal.md");
    return featureTask(feature, path, steps, {
      title: titleIn(proposal, feature.name),
      text: "",
      criteria: scenariosIn(feature.others),
      ...(isArchived ? { state: { status: "done" } } : {}),
      notes: isArchived ? ["Archived in the source"] : [],
    });
  });
  return { tasks, remarks };
}

export function boxSteps(entries: readonly Entry[], dash?: SourceStatus): readonly Step[] {
  const hasBoxes = entries.some(({ box, kind }) => kind === "item" && box !== null);
  const items = branches(entries);
  if (items.length === 0)
    return entries
      .filter(({ depth }) => depth > 1)
      .map((entry) => numbered(entry, entry.body, stateIn(entry, dash)));
  // A box below a bullet is a step, too; a bullet below a box is part of the box's text.
  const steps: Step[] = [];
  const walk = (branch: Branch, above: string) => {
    const { children, entry, headings } = branch;
    const isOne = hasBoxes ? entry.box !== null : true;
    const isParent = children.some((child) => child.entry.box !== null);
    const section = headings.findLast(({ depth }) => depth > 1)?.text ?? "";
    if (isOne && !isParent)
      steps.push(
        numbered(
          entry,
          paragraphs(textBelow(branch), (above || section) && `Part of: ${above || section}`),
          stateIn(entry, dash),
        ),
      );
    else if (isParent) {
      const texts = children.filter((child) => child.entry.box === null);
      const about = paragraphs(entry.text, dedented([...entry.lines.slice(1), ...texts.flatMap(linesOf)]));
      const boxes = children.filter((child) => child.entry.box !== null);
      for (const [at, child] of boxes.entries()) walk(child, at === 0 ? about : entry.text);
    }
  };
  for (const branch of items) walk(branch, "");
  return steps;
}

function numbered(entry: Entry, text: string, status: Stated, notes: readonly string[] = []): Step {
  const [lead = "", number = null] = NUMBER.exec(entry.text) ?? [];
  const title = entry.text.slice(lead.length).trim() || entry.text || `Line ${entry.line}`;
  return { number, title, text, ...status, notes };
}

/** The scenarios of the change, one line each. */
function scenariosIn(files: readonly SourceFile[]): readonly string[] {
  return files
    .filter(({ path }) => /\/specs\/.*\.md$/.test(path))
    .flatMap(({ text }) => outline(text).entries)
    .reduce<string[]>((found, entry) => {
      const title = entry.kind === "heading" ? /^Scenario[:：]\s*(.+)$/i.exec(entry.text)?.[1] : undefined;
      if (title !== undefined) found.push(title);
      else if (entry.kind === "heading") found.push("");
      else if (found.at(-1)) found[found.length - 1] += ` | ${entry.text.replace(/\*\*/g, "")}`;
      return found;
    }, [])
    .filter((each) => each !== "")
    .map((each) => each.slice(0, 1_000));
}

// ── Kiro ─────────────────────────────────────────────────────────────────────────────────────────────────────────

export function readKiro(files: readonly SourceFile[]): Read {
  const tasks = featuresIn(files).map((feature) => {
    const requirements = named(feature.others, "requirements.md");
    const { entries } = outline(feature.tasks.text);
    const steps = kiroSteps(entries, requirements ? requirementsIn(requirements.text) : new Map());
    return featureTask(feature, feature.tasks.path, steps, {
      title: titleIn(requirements, titleIn(feature.tasks, feature.name)),
      text: "",
    });
  });
  return { tasks, remarks: [] };
}

interface OpenStep {
  readonly entry: Entry;
  readonly lines: (readonly string[])[];
}

function kiroSteps(entries: readonly Entry[], requirements: ReadonlyMap<string, string>): readonly Step[] {
  const parents = parentNumbers(entries);
  const steps: Step[] = [];
  let heading = "";
  let above = "";
  let open: OpenStep | null = null;
  const close = ({ entry, lines }: OpenStep) => {
    const text = dedented(lines.flat());
    const number = numberOf(entry);
    if (number !== null && parents.has(number)) {
      above = paragraphs(entry.text, text);
      return;
    }
    const parent = number?.includes(".") ? above : "";
    const part = parent || heading;
    const isOptional = entry.box?.isStarred || /\(optional\)/i.test(entry.text);
    const notes = isOptional ? ["Optional in the source"] : [];
    const about = paragraphs(text, part && `Part of: ${part}`);
    const step = numbered(entry, about, stateIn(entry, "in_progress"), notes);
    steps.push({ ...step, criteria: criteriaOf(text, requirements) });
    // A parent's text is given only once.
    if (parent) above = parent.split("\n")[0] ?? "";
  };
  for (const entry of entries) {
    if (entry.kind === "heading" || entry.box !== null) {
      if (open) close(open);
      open = entry.kind === "heading" ? null : { entry, lines: [entry.lines.slice(1)] };
      if (entry.kind === "heading" && entry.depth > 1) heading = entry.text;
    } else open?.lines.push(entry.lines);
  }
  if (open) close(open);
  return steps;
}

function numberOf({ text }: Entry): string | null {
  return NUMBER.exec(text)?.[1] ?? null;
}

/** The numbers of steps with substeps. The numbers decide, because 1.1 may be in the same column as 1. */
function parentNumbers(entries: readonly Entry[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const entry of entries) {
    const number = entry.kind === "item" && entry.box !== null ? numberOf(entry) : null;
    if (number?.includes(".")) found.add(number.slice(0, number.lastIndexOf(".")));
  }
  return found;
}

/** The criteria that `_Requirements: 1.2, 3.1_` names. */
function criteriaOf(text: string, requirements: ReadonlyMap<string, string>): readonly string[] {
  const named = /_requirements?[:：]\s*([^_\n]{1,400})_/i.exec(text)?.[1] ?? "";
  return named.split(/[,;、，]/).flatMap((each) => requirements.get(each.trim()) ?? []);
}

/** The criteria of requirements.md by number: `1.2` is the second criterion of requirement 1. */
function requirementsIn(source: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  let requirement = "";
  let count = 0;
  for (const { kind, text } of outline(source).entries) {
    const number = kind === "heading" ? /^Requirement\s+(\d+)/i.exec(text)?.[1] : undefined;
    if (number !== undefined) {
      requirement = number;
      count = 0;
    } else if (kind === "item" && requirement !== "") {
      count += 1;
      found.set(`${requirement}.${count}`, titled(text).title);
    }
  }
  return found;
}
