/** `pawl import PATH`: imports tasks of another tool, or of a tasks.yaml, or makes Alfred's task files of them. */
import { PawlError } from "../../../core/error.ts";
import type { OwnTasksRow } from "../../../import/own-tasks.ts";
import type { ImportRow } from "../../../import/plan.ts";
import { detect, filesOf, readAs, remarksOnFolder } from "../../../import/readers.ts";
import { FORMATS, type Format, type Read } from "../../../import/source.ts";
import { parseStatuses } from "../../../import/states.ts";
import { countsOf, importTasks } from "../../../import/write.ts";
import type { Project } from "../../../runtime/project.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import type { Answer, Host, Run } from "../line/command.ts";
import { counted } from "../terminal/amounts.ts";
import { refuseAgent } from "../terminal/person.ts";
import { alignRows } from "../terminal/table.ts";
import { clean } from "../terminal/terminal.ts";

/** `github:owner/name` */
const REPOSITORY = /^github:([\w.-]{1,100}\/[\w.-]{1,100})$/;

export const importCommand: Run = async (host, { arguments: given, options }) => {
  const from = String(given.path);
  if (from.startsWith("github:") && !REPOSITORY.test(from))
    throw new PawlError(
      "usage",
      `${JSON.stringify(from)} names no repository of GitHub.`,
      "Name the repository: `pawl import github:OWNER/NAME`.",
    );
  const project = await host.projects.open({ create: true });
  if (isOwnTasks(from) && options.format === undefined && options.into !== "alfred")
    return importOwn(host, project, from, options.dryRun === true);
  const sources = await readFrom(host, project.root, from, options.format as Format | undefined);
  const dryRun = options.dryRun === true;
  const repo = options.repo as string | undefined;
  const words = parseStatuses((options.status ?? []) as readonly string[]);
  const input = { ...sources, dryRun, repo, words };
  const isAlfreds = options.into === "alfred";
  if (isAlfreds && repo !== undefined)
    throw new PawlError("usage", "--repo is for tasks.yaml: a task of Alfred has none.", "Leave --repo out.");
  const { importIntoAlfred } = await import("../../../import/into-alfred.ts");
  const { reply } = isAlfreds
    ? await runTransaction(project.runtime, importIntoAlfred, input, host.person.caller())
    : await runTransaction(project.runtime, importTasks, input, host.person.caller());
  return answerOf(reply.data as unknown as Imported, { from, dryRun }, host);
};

/** Another tool's YAML has a name of its own. */
function isOwnTasks(from: string): boolean {
  return /\.ya?ml$/i.test(from) && !/(?:^|\/)sprint-status\.ya?ml$/i.test(from);
}

async function importOwn(host: Host, project: Project, from: string, dryRun: boolean): Promise<Answer> {
  if (!dryRun) refuseAgent(host, "change tasks from a file", `pawl import ${from}`);
  const { sources } = await host.projects.imports(project.root);
  const [file] = await sources.read(from);
  const { importOwnTasks } = await import("../../../import/own-tasks.ts");
  const input = { from, text: file?.text ?? "", dryRun };
  const { reply } = await runTransaction(project.runtime, importOwnTasks, input, host.person.caller());
  const { into, remarks, rows, shown } = reply.data as unknown as OwnImported;
  const { added, unchanged, updated } = countsOf({ rows });
  const would = dryRun ? "would be " : "";
  const lines = [
    ...(added + updated > 0 ? [shown, ""] : []),
    ...remarks.map((remark) => `- ${clean(remark)}`),
    `${added} ${would}new, ${updated} ${would}updated, ${unchanged} unchanged in ${into}.${dryRun ? " Nothing was changed." : ""}`,
  ];
  return { text: `${lines.join("\n")}\n`, data: { from, dryRun, added, updated, unchanged, ...reply.data } };
}

interface OwnImported {
  readonly into: string;
  readonly rows: readonly OwnTasksRow[];
  readonly remarks: readonly string[];
  /** The difference, with its dangerous keys. */
  readonly shown: string;
}

async function readFrom(
  host: Host,
  root: string,
  from: string,
  wanted: Format | undefined,
): Promise<{ readonly format: Format; readonly read: Read }> {
  const outside = await host.projects.imports(root);
  const repository = REPOSITORY.exec(from)?.[1];
  if (repository !== undefined) {
    if (wanted !== undefined && wanted !== "github")
      throw new PawlError(
        "usage",
        `${from} is a repository on GitHub: its format is github.`,
        "Leave --format out.",
      );
    const issues = await outside.issues.list(repository);
    const path = `https://github.com/${repository}`;
    return { format: "github", read: readAs("github", [{ path, text: JSON.stringify(issues) }]) };
  }
  const files = await outside.sources.read(from);
  const format = wanted ?? detect(files, from);
  const matching = filesOf(format, files);
  if (matching.length === 0)
    throw new PawlError(
      "import-invalid",
      `${from} cannot be imported: expected files of ${format}, found none.`,
      `Name the file or folder itself, or another format: ${FORMATS.join(", ")}.`,
    );
  const { remarks, tasks } = readAs(format, matching);
  return { format, read: { tasks, remarks: [...remarksOnFolder(format, files, matching), ...remarks] } };
}

interface Imported {
  readonly format: string;
  readonly into: string;
  readonly rows: readonly ImportRow[];
  readonly remarks: readonly string[];
}

const MAX_ROWS = 60;
const MAX_REMARKS = 20;

function answerOf(
  data: Imported,
  { dryRun, from }: { readonly from: string; readonly dryRun: boolean },
  { name, terminal }: Host,
): Answer {
  const { added, unchanged, updated } = countsOf(data);
  const changed = data.rows.filter(({ change, kept }) => change !== "unchanged" || kept.length > 0);
  const shown = dryRun ? data.rows : changed;
  const cells = shown
    .slice(0, MAX_ROWS)
    .map((row) => [row.change, row.id, row.status, wordsOf(row)].map(clean));
  const rest = shown.length - cells.length;
  const would = dryRun ? "would be " : "";
  const links = data.rows.reduce((sum, { dependsOn }) => sum + dependsOn.length, 0);
  const steps = data.rows.reduce((sum, row) => sum + row.steps, 0);
  const closing = [
    `${data.format}: ${added} ${would}new, ${updated} ${would}updated, ${unchanged} unchanged in ${data.into}${steps > 0 ? `; ${counted(steps, "step")}` : ""}${links > 0 ? `; ${links} ${links === 1 ? "dependency" : "dependencies"}` : ""}.`,
    ...(dryRun ? ["Nothing was changed."] : []),
  ];
  const remarks = [
    ...data.remarks.slice(0, MAX_REMARKS),
    ...(data.remarks.length > MAX_REMARKS
      ? [`and ${data.remarks.length - MAX_REMARKS} remarks more (--json has all)`]
      : []),
  ];
  const lines = [
    ...alignRows(cells, terminal.columns),
    ...(rest > 0 ? [`and ${rest} more (--json has all)`] : []),
    ...(cells.length > 0 ? [""] : []),
    ...remarks.map((remark) => `- ${clean(remark).replace(/\s+/g, " ")}`),
    ...(remarks.length > 0 ? [""] : []),
    ...closing,
    ...hints(data, dryRun, name),
  ];
  return { text: `${lines.join("\n")}\n`, data: { from, dryRun, added, updated, unchanged, ...data } };
}

function wordsOf({ dependsOn, kept, steps, title }: ImportRow): string {
  const after =
    dependsOn.length > 0
      ? ` (after ${dependsOn.slice(0, 6).join(", ")}${dependsOn.length > 6 ? ", …" : ""})`
      : "";
  const count = steps > 0 ? ` [${steps} steps]` : "";
  const mine = kept.length > 0 ? ` (changed here since, so it stays: ${kept.join(", ")})` : "";
  return `${title}${count}${after}${mine}`;
}

function hints({ into, rows }: Imported, dryRun: boolean, name: string): readonly string[] {
  if (dryRun || rows.length === 0 || !into.endsWith(".yaml")) return [];
  const inHand = rows
    .filter(({ change, status }) => change === "new" && status === "in_progress")
    .map(({ id }) => id);
  return inHand.length === 0
    ? []
    : [
        `In progress in the source, so the loop leaves them alone: ${inHand.slice(0, 8).join(", ")}${inHand.length > 8 ? ", …" : ""}. \`${name} reset ${inHand[0]}\` gives one to it.`,
      ];
}
