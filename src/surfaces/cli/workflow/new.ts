/**
 * `pawl workflow new`: creates a workflow's files, from the gallery or from a person's own steps, and adds it
 * to pawl.yaml.
 */

import { isMap, isScalar, isSeq } from "yaml";
import { PawlError } from "../../../core/error.ts";
import { isId } from "../../../core/id.ts";
import { type ProjectPath, projectPath } from "../../../core/path.ts";
import { readYaml } from "../../../core/yaml/yaml.ts";
import type { Reply, Transaction } from "../../../runtime/module.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { filesFor, filesOfSteps, loadTemplate, slug } from "../../../workflows/custom/gallery.ts";
import { TEMPLATES, type TemplateName } from "../../../workflows/custom/template-names.ts";
import type { Host, Run } from "../line/command.ts";
import { withSetting } from "../team/project-id.ts";
import type { Conversation } from "../terminal/controlling-terminal.ts";
import { refuseAgent } from "../terminal/person.ts";
import { clean } from "../terminal/terminal.ts";
import { listed } from "./listed.ts";

export const newWorkflow: Run = async (host, call) => {
  // Only for a person, because these files define what agents may write and which programs start.
  refuseAgent(host, "add a workflow", "pawl workflow new");
  const project = await host.projects.open({ create: true });
  const view = project.runtime.store.view();
  const template = TEMPLATES.find((each) => each === call.options.template);
  const given = call.arguments.name as string | undefined;
  if (given !== undefined) checkName(given, Object.keys(host.workflows));
  const made = template ? { name: given ?? template, template } : await askAtTerminal(host, given);
  checkName(made.name, Object.keys(host.workflows));
  const files =
    "files" in made
      ? made.files
      : filesFor(await loadTemplate(view, made.template), made.template, made.name);
  const { reply } = await runTransaction(
    project.runtime,
    createFiles(made.name, files),
    null,
    host.person.caller(),
  );
  const text = [
    reply.text,
    "",
    `\`pawl check ${made.name}\` proves it, \`pawl workflow try ${made.name}\` walks it, \`pawl cast ${made.name}:ID\` begins a run.`,
  ];
  return { text: `${clean(text.join("\n"))}\n`, data: reply.data };
};

type NewWorkflow =
  | { readonly name: string; readonly template: TemplateName }
  | { readonly name: string; readonly files: Readonly<Record<string, string>> };

function checkName(name: string, taken: readonly string[]): void {
  const existing = taken.find((each) => each === name);
  if (isId(name) && existing === undefined) return;
  throw new PawlError(
    "usage",
    existing === undefined
      ? `${JSON.stringify(name)} cannot be a workflow's name: expected letters, digits, dots, dashes and underscores.`
      : `There is a workflow called ${name} already: expected another name.`,
    "Give another name: `pawl workflow new NAME --template TEMPLATE`.",
  );
}

/** Asks a person at the terminal. Throws `usage` without a terminal. */
async function askAtTerminal(host: Host, given: string | undefined): Promise<NewWorkflow> {
  const terminal = host.person.terminal.open();
  if (terminal === null)
    throw new PawlError(
      "usage",
      `Without a terminal, Pawl cannot ask what the workflow is: expected --template with one of ${TEMPLATES.join(", ")}.`,
      "Run `pawl workflow new NAME --template release`, or the same command in a terminal.",
    );
  try {
    return answers(terminal, given, Object.keys(host.workflows));
  } finally {
    terminal.close();
  }
}

/** Asks the person about the workflow, question by question. */
export function answers(
  terminal: Conversation,
  given: string | undefined,
  taken: readonly string[],
): NewWorkflow {
  const ask = (question: string) => {
    terminal.write(`${question} `);
    return terminal.readLine()?.trim() ?? "";
  };
  terminal.write(`The gallery has: ${TEMPLATES.join(", ")}.\n`);
  const template = ask("Begin with one of these, or with steps of your own (Enter):");
  const known = TEMPLATES.find((each) => each === template);
  if (template !== "" && known === undefined)
    throw new PawlError(
      "usage",
      `The gallery has no ${JSON.stringify(template)}: expected one of ${TEMPLATES.join(", ")}, or nothing.`,
      "Run the command again.",
    );
  const name = given ?? ask(`Its name, which its file gets too${known ? ` (${known})` : ""}:`);
  if (known) return { name: name === "" ? known : name, template: known };
  checkName(name, taken);
  const title = ask("Its title, in a few words:") || name;
  const steps = listed(ask("Its steps in order, with commas between them:"));
  checkSteps(steps);
  const wanted = listed(ask("The steps at which a person decides (commas; Enter: none):")).map(slug);
  const places = steps.map(slug);
  const unknown = wanted.find((step) => !places.includes(step));
  if (unknown !== undefined)
    throw new PawlError(
      "usage",
      `${JSON.stringify(unknown)} is not one of the steps: expected ${steps.join(", ")}.`,
      "Run the command again.",
    );
  const gates = wanted.map((step) => places.indexOf(step));
  return { name, files: filesOfSteps({ name, title, steps, gates }) };
}

const RESERVED = ["finished", "same"];

function checkSteps(steps: readonly string[]): void {
  const ids = steps.map(slug);
  const invalid = ids.findIndex((id, at) => id === "" || RESERVED.includes(id) || ids.indexOf(id) !== at);
  if (steps.length > 0 && invalid < 0) return;
  throw new PawlError(
    "usage",
    steps.length === 0
      ? "A workflow needs a step: expected their names with commas between them."
      : `The step ${JSON.stringify(steps[invalid])} cannot have a name of its own: expected words in Latin letters or digits that differ, other than ${RESERVED.join(" and ")}.`,
    "Run the command again.",
  );
}

interface PresentFiles {
  readonly taken: readonly string[];
  readonly pawl: string | null;
}

const PAWL_YAML = projectPath("pawl.yaml");

/** Creates everything in one commit, or nothing. */
function createFiles(
  name: string,
  files: Readonly<Record<string, string>>,
): Transaction<null, PresentFiles, undefined, Reply> {
  const paths = Object.keys(files).map((path): ProjectPath => projectPath(path));
  return {
    run: () => "pawl:workflow",
    async read(view) {
      const texts = await Promise.all(paths.map(async (path) => [path, await view.read(path)] as const));
      const taken = texts.flatMap(([path, text]) => (text === null ? [] : [path]));
      return { taken, pawl: await view.read(PAWL_YAML) };
    },
    propose({ pawl, taken }) {
      const [first] = taken;
      if (first !== undefined)
        throw new PawlError(
          "workflow-exists",
          `${first} exists already, and Pawl overwrites nothing of yours.`,
          `Choose another name: \`pawl workflow new NAME\`, or move ${first} away.`,
        );
      const changes = Object.entries(files).map(([path, text]) => ({ path: projectPath(path), text }));
      const settings = withWorkflow(pawl ?? "", `./${name}.yaml`);
      const all = [...changes, ...(settings === pawl ? [] : [{ path: PAWL_YAML, text: settings }])];
      const lines = all.map(
        ({ path }) => `${path === PAWL_YAML && pawl !== null ? "changed" : "created"}  ${path}`,
      );
      return {
        reply: { text: lines.join("\n"), data: { workflow: name, created: changes.map(({ path }) => path) } },
        changes: all.map(({ path, text }) => ({ type: "write", path, text })),
      };
    },
  };
}

/**
 * The text of pawl.yaml with this file in its list of workflows; everything else stays. Throws
 * `config-invalid` if only a person can add it.
 */
function withWorkflow(text: string, file: string): string {
  const before = listIn(text);
  if (before?.includes(file)) return text;
  const after = before === null ? withList(text, file) : withItem(text, file);
  const expected = JSON.stringify([...(before ?? []), file]);
  if (JSON.stringify(listIn(after)) === expected) return after;
  throw new PawlError(
    "config-invalid",
    `pawl.yaml: expected room for \`workflows: [${file}]\`; found a form that Pawl does not edit.`,
    `Nothing was written. Write ${file} into \`workflows\` in pawl.yaml, then run the command again.`,
  );
}

/** The list of workflows; null: none. */
function listIn(text: string): readonly unknown[] | null {
  const workflows: unknown = (readYaml(text).data as { readonly workflows?: unknown } | null)?.workflows;
  return Array.isArray(workflows) ? workflows : null;
}

function withList(text: string, file: string): string {
  const { contents } = readYaml(text).document;
  return isMap(contents) && contents.flow ? text : withSetting(text, "workflows", `[${file}]`);
}

function withItem(text: string, file: string): string {
  const { contents } = readYaml(text).document;
  const pair = isMap(contents)
    ? contents.items.find(({ key }) => isScalar(key) && key.value === "workflows")
    : undefined;
  const list = pair?.value;
  if (!isSeq(list) || !list.range) return text;
  const last = list.items.at(-1);
  const end = isScalar(last) && last.range ? last.range[1] : null;
  if (list.flow) {
    const at = end ?? list.range[0] + 1;
    return `${text.slice(0, at)}${end === null ? "" : ", "}${file}${text.slice(at)}`;
  }
  if (end === null) return text;
  const [first] = list.range;
  const indent = text.slice(text.lastIndexOf("\n", first) + 1, first);
  const line = text.indexOf("\n", end);
  const at = line < 0 ? text.length : line;
  return `${text.slice(0, at)}\n${indent}- ${file}${text.slice(at)}`;
}
