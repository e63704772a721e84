/**
 * The gallery: workflows to begin with. Each is one Markdown page that contains its files: people read the
 * same page from which `pawl workflow new` writes the files.
 */
import { PawlError } from "../../core/error.ts";
import type { View } from "../../core/ports/store.ts";
import type { TemplateName } from "./template-names.ts";

export interface Template {
  readonly title: string;
  /** What it is for, in a sentence or two. */
  readonly about: string;
  /** The texts by path: `release.yaml`, `release/moved.md`. */
  readonly files: Readonly<Record<string, string>>;
}

const FILE = /^<!-- file: (\S+) -->\n```\w+\n([\s\S]*?\n)```$/gm;

export function parseTemplate(text: string): Template {
  const [, title = "", about = ""] = /^# (.+)\n\n([\s\S]*?)\n\n<!-- file:/.exec(text) ?? [];
  const files = [...text.matchAll(FILE)].map(([, path = "", content = ""]) => [path, content] as const);
  return { title, about, files: Object.fromEntries(files) };
}

export async function loadTemplate(view: View, name: TemplateName): Promise<Template> {
  const text = await view.packaged(`custom/templates/${name}.md`);
  if (text === null)
    throw new PawlError("internal", `The template ${name} is missing.`, "Install Pawl again.");
  return parseTemplate(text);
}

/** The template's files for a workflow of that name: its file, and the replies in a folder next to it. */
export function filesFor(
  { files }: Template,
  template: string,
  name: string,
): Readonly<Record<string, string>> {
  const renamed = Object.entries(files).map(([path, text]) => {
    if (path === `${template}.yaml`)
      return [`${name}.yaml`, text.replace(`\nreplies: ./${template}\n`, `\nreplies: ./${name}\n`)] as const;
    return [path.replace(`${template}/`, `${name}/`), text] as const;
  });
  return Object.fromEntries(renamed);
}

/** A workflow of these steps in sequence; at some of them a person decides. */
export function filesOfSteps({ name, steps, title, gates }: Steps): Readonly<Record<string, string>> {
  const ids = steps.map(slug);
  const after = (at: number) => ids[at + 1] ?? "finished";
  const quoted = (text: string) => JSON.stringify(text);
  const isGate = (at: number) => gates.includes(at);
  const states = steps.map((step, at) => {
    const next = isGate(at) ? "approve or reject it" : "send done";
    const awaits = isGate(at) ? "awaits: human, " : "";
    return `  ${ids[at]}: { description: ${quoted(step)}, ${awaits}next: ${next} }`;
  });
  const rows = ids.flatMap((id, at) => {
    if (!isGate(at)) return [`  - { id: ${id}-done, from: ${id}, on: done, to: ${after(at)}, reply: moved }`];
    const back = ids[at - 1] ?? id;
    return [
      `  - { id: ${id}-approved, from: ${id}, on: approve, to: ${after(at)}, reply: moved }`,
      `  - { id: ${id}-rejected, from: ${id}, on: reject, to: ${back}, reply: back }`,
    ];
  });
  const hasDone = ids.some((_, at) => !isGate(at));
  // Without the mix, every event is possible in every state, so nothing is blocked.
  const isMixed = hasDone && gates.length > 0;
  const events = [
    ...(hasDone ? ["  done: The step is done"] : []),
    ...(gates.length > 0
      ? [
          "  approve: { description: It is right, verdict: approve }",
          "  reject: { description: It is not right yet, verdict: reject }",
        ]
      : []),
  ];
  const yaml = `# yaml-language-server: $schema=./node_modules/pawl/dist/workflow.schema.json
title: ${quoted(title)}
replies: ./${name}
initial: ${ids[0]}
goals: [finished]
${isMixed ? "blocked: not-now\n" : ""}
states:
${states.join("\n")}
  finished: { description: Everything is done., final: true }

events:
${events.join("\n")}

rows:
${rows.join("\n")}
`;
  return {
    [`${name}.yaml`]: yaml,
    [`${name}/moved.md`]: "{{ run }} is {{ state }}: {{ description }}\n\n{{ available }}\n",
    ...(isMixed
      ? {
          [`${name}/not-now.md`]:
            "`{{ event }}` is not possible while {{ run }} is {{ state }}: {{ description }}\n\n{{ available }}\n",
        }
      : {}),
    ...(gates.length > 0
      ? {
          [`${name}/back.md`]:
            "{{ run }} was sent back:\n\n{{ notes | quote }}\n\nIt is {{ state }} again. {{ next }}\n",
        }
      : {}),
  };
}

interface Steps {
  readonly name: string;
  readonly title: string;
  /** In words, in order; each has a distinct id. */
  readonly steps: readonly string[];
  /** The indices of the steps at which a person decides. */
  readonly gates: readonly number[];
}

/** A state's name for a step: letters, digits and underscores. */
export function slug(step: string): string {
  return step
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .replace(/^(?=\d)/, "step_")
    .slice(0, 40);
}
