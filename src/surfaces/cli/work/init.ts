import { isMap, isScalar } from "yaml";
import { projectPath } from "../../../core/path.ts";
import { SIZES, type Size } from "../../../core/settings.ts";
import { readYaml } from "../../../core/yaml/yaml.ts";
import type { GuardedClient } from "../../../guard/clients.ts";
import type { Reply, Transaction } from "../../../runtime/module.ts";
import { loadWorkflows, type Project } from "../../../runtime/project.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { CLIENTS } from "../clients/client-names.ts";
import { CLIENT_FILES, type Client, type Launch } from "../clients/clients.ts";
import type { Host, Run } from "../line/command.ts";
import { warnOfLocation } from "../line/warn.ts";
import { editFiles } from "../project/edit-files.ts";
import { withProjectId } from "../team/project-id.ts";
import type { Conversation } from "../terminal/controlling-terminal.ts";
import { clean } from "../terminal/terminal.ts";
import { hung, wrap } from "../terminal/text-width.ts";

interface Step {
  readonly what: string;
  readonly text: string;
  readonly data: unknown;
  readonly refused?: true;
}

/** Creates what a project lacks, and prints what it did and how to connect an assistant. */
export const init: Run = async (host, call) => {
  if (call.options.guard === false) return (await import("../guard/init.ts")).withoutGuards(host, call);
  const { client, guard } = call.options;
  const name = CLIENTS.find((each) => each === client);
  const project = await host.projects.open({ create: true });
  const size = await sizeFor(project, host, call.options.reviews);
  const steps = [await createFiles(project, host, size), ...(await initWorkflows(project, host))];
  const launch = host.machine.launch() as Launch;
  if (name) steps.push(await connectClient(project, host, CLIENT_FILES[name], launch));
  if (guard) {
    const { guardSteps } = await import("../guard/init.ts");
    steps.push(...(await guardSteps(project, host, client as GuardedClient | undefined)));
  }
  await (await import("../guard/elicitation.ts")).warnOfElicitation(host, project);
  await warnOfLocation(host, project);
  const { paint } = host.terminal;
  const report = steps.map(({ what, text }) => `${paint.bold(what)}\n${indent(text)}`).join("\n");
  const { columns } = host.terminal;
  const { alfred } = await project.runtime.settings(project.runtime.store.view());
  const naming = Object.keys(alfred.checks).length === 0 ? [CHECKS_HINT] : [];
  const connecting = name
    ? `${connected(CLIENT_FILES[name], naming, columns)}${ownPath(launch, columns)}`
    : guard
      ? ""
      : nextSteps(naming, columns);
  return {
    text: `Project: ${clean(project.root)}\n\n${report}\n${connecting}`,
    data: {
      project: project.root,
      steps: steps.map(({ what, data }) => ({ what, data })),
      clients: CLIENTS.map((client) => ({
        client,
        file: CLIENT_FILES[client].files[0],
        path: CLIENT_FILES[client].path,
        entry: CLIENT_FILES[client].entry(launch),
      })),
    },
    ...(steps.some(({ refused }) => refused) ? { exit: 1 as const } : {}),
  };
};

const REVIEWS_COMMENT = `#   reviews: light           # light, standard or careful; or the reviewers by tool:
#     default: [ai, human]   # who reviews, in order: [], [ai], [human] or [ai, human]
`;
const CHECKS_COMMENT = "# checks: {test: npm test}   # what Pawl runs on the work before you decide\n";

/** The first pawl.yaml. Without a size, each step is reviewed by the assistant and by a person. */
function pawlYaml(size: Size | null): string {
  const head =
    "# What Pawl does in this project. Every key may be left out; `pawl config` shows the effective settings.\n";
  if (size !== null)
    return `${head}alfred:\n  reviews: ${size}   # light, standard or careful\n  ${CHECKS_COMMENT}`;
  return `${head}#\n# alfred:\n${REVIEWS_COMMENT}${CHECKS_COMMENT.replace("#", "#  ")}#   human_review: relay      # or elicit: asked through the client; or confirm: only in a terminal\n`;
}

/** Whether the text is what `createFiles` writes, with any project id. */
export function isOwnPawlYaml(text: string): boolean {
  const { contents } = readYaml(text).document;
  const id = isMap(contents) ? contents.get("project_id", true) : undefined;
  return [null, ...SIZES].map(pawlYaml).some((written) => {
    return text === (isScalar(id) ? withProjectId(written, String(id.source)) : written);
  });
}

const SIZE_QUESTION = `How much review should a task of Alfred get? You can change it in pawl.yaml, and for one task by its "## Size".
  light     you decide once, before delivery (recommended)
  standard  you decide twice: on the plan, and on the work
  careful   the assistant and you review every step
Enter for light, or one of these words: `;

/** The size for a new pawl.yaml: the option's, or the answer of the person at this terminal. Null: none. */
async function sizeFor(project: Project, host: Host, given: unknown): Promise<Size | null> {
  const named = SIZES.find((size) => size === given);
  if (named) return named;
  const isNew = (await project.runtime.store.view().read(projectPath("pawl.yaml"))) === null;
  if (!isNew || host.json === true || !host.terminal.isScreen || host.person.agent() !== null) return null;
  const terminal = host.person.terminal.open();
  if (terminal === null) return null;
  try {
    terminal.write(SIZE_QUESTION);
    return sizeFromPerson(terminal);
  } finally {
    terminal.close();
  }
}

/** Null: the input ended. */
export function sizeFromPerson(terminal: Pick<Conversation, "readLine" | "write">): Size | null {
  for (;;) {
    const line = terminal.readLine();
    if (line === null) return null;
    const word = line.trim().toLowerCase();
    const size = word === "" ? "light" : SIZES.find((each) => each.startsWith(word));
    if (size) return size;
    terminal.write(`Expected ${SIZES.join(", ")}, or Enter for light: `);
  }
}

/** Creates pawl.yaml if it is missing. */
async function createFiles(project: Project, host: Host, size: Size | null): Promise<Step> {
  const text = withProjectId(pawlYaml(size), project.runtime.newId().replaceAll("-", ""));
  const plan = editFiles("pawl:init", async (view) => {
    const before = await view.read(projectPath("pawl.yaml"));
    return [{ path: "pawl.yaml", before, after: before ?? text }];
  });
  const { reply } = await runTransaction(project.runtime, plan, null, host.person.caller());
  return { what: "Configuration", ...reply };
}

async function initWorkflows(project: Project, host: Host): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const { files, title } of await loadWorkflows(project.workflows)) {
    const init = (await files?.())?.init;
    if (!init) continue;
    const { reply } = await runTransaction(project.runtime, init, {}, host.person.caller());
    steps.push({ what: title, ...reply });
  }
  return steps;
}

async function connectClient(project: Project, host: Host, client: Client, launch: Launch): Promise<Step> {
  const { connect } = await import("../clients/connect.ts");
  const plan: Transaction<null, { file: string; text: string | null }, undefined, Reply> = {
    run: () => "pawl:init",
    read: async (view) => {
      for (const file of client.files) {
        const text = await view.read(projectPath(file));
        if (text !== null) return { file, text };
      }
      return { file: client.files[0], text: null };
    },
    propose: ({ file, text }) => {
      const after = connect(client, launch, file, text);
      if (after === null) return { reply: { text: `unchanged  ${file}`, data: { file, written: false } } };
      return {
        reply: { text: `${text === null ? "created" : "added to"}  ${file}`, data: { file, written: true } },
        changes: [{ type: "write", path: projectPath(file), text: after }],
      };
    },
  };
  const { reply } = await runTransaction(project.runtime, plan, null, host.person.caller());
  return { what: client.title, ...reply };
}

function connected({ note, title }: Client, naming: readonly string[], columns: number): string {
  const words = ["Start", title, "in this folder, and ask it what Pawl offers.", ...(note ? [note] : [])];
  return [words.join(" "), ...naming]
    .flatMap((text) => wrap(text, columns))
    .map((line) => `${line}\n`)
    .join("");
}

/**
 * A warning about a path on this machine in a client's file, which is mostly shared with others, for whom the
 * path is useless.
 */
function ownPath(launch: Launch, columns: number): string {
  const path = launch.find((word) => /[\\/]/.test(word));
  if (path === undefined) return "";
  const note = `The entry contains a path on this machine (${path}), so it works only here. If the project has Pawl as a package, the command is \`npx --no --package=pawl -- pawl mcp\`.`;
  return `\n${wrap(note, columns).join("\n")}\n`;
}

const CHECKS_HINT =
  "Name your tests in `checks`, below `alfred:` in pawl.yaml: Pawl runs them on the work before you decide.";

function nextSteps(naming: readonly string[], columns: number): string {
  return [
    "Next:",
    ...hung(
      "  ",
      `Connect your assistant: \`pawl init --client NAME\`, with one of ${CLIENTS.join(", ")}.`,
      columns,
    ),
    ...naming.flatMap((text) => hung("  ", text, columns)),
    ...hung("  ", "`pawl` shows where things stand, and what waits for you.", columns),
    "",
  ].join("\n");
}

function indent(text: string): string {
  return `${clean(text)
    .trimEnd()
    .split("\n")
    .map((line) => (line ? `  ${line}` : ""))
    .join("\n")}\n`;
}
