/**
 * The grammar of `.alfred/tasks/<id>.md`. A Markdown parser reads it, so headings in fenced code do not count
 * and every kind of list is a list. The text of a section is kept verbatim.
 */
import type { List, ListItem, Nodes, RootContent } from "mdast";
import { PawlError } from "../../../core/error.ts";
import { isId } from "../../../core/id.ts";
import { SIZES, type Size } from "../../../core/settings.ts";
import { parseBlocks } from "../../../core/text/markdown.ts";

export const PRIORITIES = ["critical", "high", "medium", "low"] as const;
export type Priority = (typeof PRIORITIES)[number];

export interface Task {
  readonly task_id: string;
  readonly title: string;
  readonly context: string;
  readonly implementation_details: string;
  readonly acceptance_criteria: readonly string[];
  readonly ac_verification: readonly string[];
  readonly dev_notes: string;
  readonly priority: Priority | null;
  /** How much review it gets, unless the project says. */
  readonly size: Size | null;
  readonly dependencies: readonly string[];
  /** Sections that the grammar does not name, in order. */
  readonly other: readonly { readonly heading: string; readonly text: string }[];
}

/** A task without a text. */
export function emptyTask(id: string): Task {
  return {
    ...{
      task_id: id,
      title: "",
      context: "",
      implementation_details: "",
      dev_notes: "",
      priority: null,
      size: null,
    },
    ...{ acceptance_criteria: [], ac_verification: [], dependencies: [], other: [] },
  };
}

interface SectionRule {
  readonly field: Exclude<keyof Task, "task_id" | "other">;
  readonly heading: string;
  readonly holds: "line" | "text" | "list" | "priority" | "size" | "ids";
  readonly required: boolean;
}

const SECTIONS: readonly SectionRule[] = [
  { field: "title", heading: "Title", holds: "line", required: true },
  { field: "context", heading: "Context", holds: "text", required: true },
  { field: "implementation_details", heading: "Implementation Details", holds: "text", required: true },
  { field: "acceptance_criteria", heading: "Acceptance Criteria", holds: "list", required: true },
  { field: "ac_verification", heading: "AC Verification", holds: "list", required: false },
  { field: "dev_notes", heading: "Dev Notes", holds: "text", required: false },
  { field: "priority", heading: "Priority", holds: "priority", required: false },
  { field: "size", heading: "Size", holds: "size", required: false },
  { field: "dependencies", heading: "Dependencies", holds: "ids", required: false },
];

const TASK_HEADING = /^TASK:\s*(.*)$/i;

export const TASK_GRAMMAR = [
  "# TASK: TS-01",
  "## Title",
  "## Context",
  "## Implementation Details",
  "## Acceptance Criteria (a list)",
  "optionally: ## AC Verification (a list), ## Dev Notes, ## Priority (critical, high, medium, low), ## Size (light, standard, careful), ## Dependencies (a list of ids)",
].join("\n");

/** Throws `task-invalid` with every problem and its line, and `text-too-long`; `where` names the text. */
export function parseTask(source: string, where: string): Task {
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const reading = new Reading(text, where);
  const task = reading.task();
  if (task !== null && reading.problems.length === 0) return task;
  throw new PawlError(
    "task-invalid",
    [`${where} is not a task:`, ...reading.problems.map((problem) => `- ${problem}`)].join("\n"),
    `Correct what is listed. A task is markdown with these headings:\n${TASK_GRAMMAR}`,
  );
}

interface Section {
  readonly heading: string;
  readonly line: number;
  /** Offsets in the text, without the heading. */
  readonly start: number;
  readonly nodes: RootContent[];
}

class Reading {
  readonly problems: string[] = [];
  readonly #text: string;
  readonly #where: string;

  constructor(text: string, where: string) {
    this.#text = text;
    this.#where = where;
  }

  task(): Task | null {
    const nodes = parseBlocks(this.#text, this.#where).children;
    const at = nodes.findIndex((node) => node.type === "heading");
    const first = nodes[at];
    if (first?.type !== "heading") {
      this.#say(1, 'expected a first heading "# TASK: <id>", found no heading');
      return null;
    }
    const id = this.#taskId(first);
    const sections = this.#sections(nodes.slice(at + 1));
    const fields: Record<string, unknown> = {};
    for (const rule of SECTIONS) fields[rule.field] = this.#field(rule, sections);
    const headings = SECTIONS.map((rule) => rule.heading.toLowerCase());
    const other = sections
      .filter((section) => !headings.includes(section.heading.toLowerCase()))
      .map((section) => ({ heading: section.heading, text: this.#textOf(section) }));
    return { task_id: id, ...(fields as Omit<Task, "task_id" | "other">), other };
  }

  #taskId(heading: Extract<RootContent, { type: "heading" }>): string {
    const words = this.#inner(heading);
    const id = TASK_HEADING.exec(words)?.[1]?.trim();
    if (heading.depth !== 1 || id === undefined)
      this.#say(
        lineOf(heading),
        `expected the first heading to be "# TASK: <id>", found ${JSON.stringify(words)}`,
      );
    else if (!isId(id))
      this.#say(
        lineOf(heading),
        `expected a task id of A-Z a-z 0-9 . _ - (at most 100 characters, beginning with a letter or digit, no "..", no "." or ".lock" at the end), found ${JSON.stringify(id)}`,
      );
    return id ?? "";
  }

  #sections(nodes: readonly RootContent[]): readonly Section[] {
    const sections: Section[] = [];
    const lines = new Map<string, number>();
    for (const node of nodes) {
      if (node.type === "heading" && node.depth <= 2) {
        const heading = this.#inner(node);
        if (node.depth === 1)
          this.#say(lineOf(node), `expected one heading of level 1, found a second: ${heading}`);
        const key = heading.toLowerCase();
        const first = lines.get(key);
        if (first === undefined) lines.set(key, lineOf(node));
        else this.#say(lineOf(node), `the section "${heading}" is there twice (also in line ${first})`);
        sections.push({ heading, line: lineOf(node), start: endOf(node), nodes: [] });
      } else if (sections.length > 0) sections.at(-1)?.nodes.push(node);
      else if (node.type !== "html")
        this.#say(lineOf(node), "expected a section's heading (## Title), found text before any section");
    }
    return sections;
  }

  #field(rule: SectionRule, sections: readonly Section[]): unknown {
    const section = sections.find((each) => each.heading.toLowerCase() === rule.heading.toLowerCase());
    if (!section) {
      if (rule.required) this.#say(null, `expected a section "## ${rule.heading}", found none`);
      return EMPTY[rule.holds];
    }
    if (rule.holds === "list") return this.#list(section);
    if (rule.holds === "ids") return this.#ids(section);
    if (rule.holds === "priority") return this.#oneOf(PRIORITIES, section);
    if (rule.holds === "size") return this.#oneOf(SIZES, section);
    const text = this.#textOf(section);
    if (rule.holds === "text") return text;
    const line = text.replace(/\s+/g, " ");
    if (line === "" && rule.required)
      this.#say(section.line, `expected text under "## ${rule.heading}", found nothing`);
    return line;
  }

  #list(section: Section): readonly string[] {
    const items: string[] = [];
    for (const node of section.nodes) {
      if (node.type === "list") items.push(...(node as List).children.map((item) => this.#item(item)));
      else if (node.type !== "html")
        this.#say(
          lineOf(node),
          `expected a list under "## ${section.heading}", found ${NAMES[node.type] ?? node.type}`,
        );
    }
    return items;
  }

  #ids(section: Section): readonly string[] {
    const ids = this.#list(section);
    for (const id of ids)
      if (!isId(id))
        this.#say(
          section.line,
          `expected task ids under "## ${section.heading}", found ${JSON.stringify(id)}`,
        );
    return [...new Set(ids)];
  }

  #oneOf<Word extends string>(words: readonly Word[], section: Section): Word | null {
    const text = this.#textOf(section);
    const found = words.find((word) => word === text.toLowerCase());
    if (found) return found;
    if (text !== "")
      this.#say(
        section.line,
        `expected one of ${words.join(", ")} under "## ${section.heading}", found ${JSON.stringify(text)}`,
      );
    return null;
  }

  /**
   * The item's own text without its mark; its further lines are moved left by the indent of its first line.
   */
  #item(item: ListItem): string {
    const first = item.children[0];
    const last = item.children.at(-1);
    if (!first || !last) return "";
    const indent = (first.position?.start.column ?? 1) - 1;
    const leading = new RegExp(`^ {0,${indent}}`);
    const [head = "", ...rest] = this.#text.slice(startOf(first), endOf(last)).split("\n");
    return [head, ...rest.map((line) => line.replace(leading, ""))].join("\n").trimEnd();
  }

  #textOf(section: Section): string {
    const last = section.nodes.at(-1);
    if (!last) return "";
    return withoutBlankLines(this.#text.slice(section.start, endOf(last))).trimEnd();
  }

  #inner(heading: Extract<RootContent, { type: "heading" }>): string {
    const first = heading.children[0];
    const last = heading.children.at(-1);
    return first && last ? this.#text.slice(startOf(first), endOf(last)).replace(/\s+/g, " ").trim() : "";
  }

  #say(line: number | null, problem: string): void {
    this.problems.push(line === null ? problem : `line ${line}: ${problem}`);
  }
}

/** Removes blank lines at the beginning; the first line keeps its indent. */
function withoutBlankLines(text: string): string {
  const start = text.search(/\S/);
  return start < 0 ? "" : text.slice(text.lastIndexOf("\n", start) + 1);
}

const EMPTY = { line: "", text: "", list: [], ids: [], priority: null, size: null } as const;
const NAMES: Readonly<Record<string, string>> = {
  paragraph: "a paragraph",
  code: "code",
  heading: "a heading",
};

const lineOf = (node: Nodes): number => node.position?.start.line ?? 1;
const startOf = (node: Nodes): number => node.position?.start.offset ?? 0;
const endOf = (node: Nodes): number => node.position?.end.offset ?? 0;

/**
 * Throws `task-invalid` if a field's text would be parsed as something else, such as a heading within the
 * context.
 */
export function renderTask(task: Task): string {
  const parts = [`# TASK: ${task.task_id}`];
  for (const { field, heading, holds, required } of SECTIONS) {
    const value = task[field];
    const body = Array.isArray(value) ? value.map(renderItem).join("\n") : String(value ?? "");
    if (body === "" && !required) continue;
    parts.push(
      body === "" || holds === "line" ? `## ${heading}\n${body}`.trimEnd() : `## ${heading}\n\n${body}`,
    );
  }
  for (const { heading, text } of task.other) parts.push(`## ${heading}\n\n${text}`.trimEnd());
  const text = `${parts.join("\n\n")}\n`;
  checkRendered(task, text);
  return text;
}

function renderItem(item: string): string {
  const [head = "", ...rest] = item.split("\n");
  return [`- ${head}`.trimEnd(), ...rest.map((line) => (line === "" ? "" : `  ${line}`))].join("\n");
}

function checkRendered(task: Task, text: string): void {
  const again = parseTask(text, `The task ${task.task_id}, as a file,`);
  const names = Object.keys(task) as (keyof Task)[];
  const field = names.find((name) => JSON.stringify(again[name]) !== JSON.stringify(task[name]));
  if (field === undefined) return;
  throw new PawlError(
    "task-invalid",
    `The task ${task.task_id} cannot be written as a task file: its ${field} would be read back as ${JSON.stringify(again[field]).slice(0, 120)}.`,
    `In ${field}, use headings of level 3 or deeper, close every fence, and leave no blank at the beginning or end.`,
  );
}
