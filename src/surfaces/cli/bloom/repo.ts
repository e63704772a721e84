import { PawlError, toPawlError } from "../../../core/error.ts";
import { type ProjectPath, pathFault } from "../../../core/path.ts";
import type { RepositoryState, Synced } from "../../../core/ports/repositories.ts";
import type { Repo } from "../../../core/ports/worktrees.ts";
import type { Project } from "../../../runtime/project.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { eachTask, type Task } from "../../../tasks-file/task.ts";
import { repoOf } from "../../../workflows/bloom/execution-context.ts";
import { ANY_WORKER } from "../../../workflows/bloom/pick.ts";
import { pick } from "../../../workflows/bloom/run/transactions.ts";
import type { Host, Run } from "../line/command.ts";
import { counted } from "../terminal/amounts.ts";
import { clean, type Paint } from "../terminal/terminal.ts";

/** The tasks of tasks.yaml; empty if there is no such file. */
export async function tasksOf({ runtime }: Project, { person }: Host): Promise<readonly Task[]> {
  try {
    return (await runTransaction(runtime, pick, { worker: ANY_WORKER, dryRun: true }, person.caller())).reply
      .file.tasks;
  } catch (thrown) {
    if (toPawlError(thrown).code === "tasks-missing") return [];
    throw thrown;
  }
}

/** The tasks of each repository. */
function usesOf(tasks: readonly Task[]): ReadonlyMap<Repo, readonly string[]> {
  const uses = new Map<Repo, string[]>();
  for (const { task } of eachTask(tasks)) {
    const repo = repoOf(task);
    if (repo !== null) uses.set(repo, [...(uses.get(repo) ?? []), task.id]);
  }
  return uses;
}

/** `repo list` */
export const repoList: Run = async (host) => {
  const project = await host.projects.open();
  const uses = usesOf(await tasksOf(project, host));
  const { repositories } = await host.repositories.open(project.root);
  const all = [...new Set([...uses.keys(), ...(await repositories.find())])];
  const rows = [];
  for (const repo of all)
    rows.push({ repo, tasks: uses.get(repo) ?? [], ...(await repositories.inspect(repo)) });
  const text = rows.map((row) => renderRow(row, host.terminal.paint)).join("");
  return { text: text === "" ? "No repositories.\n" : text, data: { repositories: rows } };
};

type Row = { readonly repo: Repo; readonly tasks: readonly string[] } & RepositoryState;

function renderRow(row: Row, paint: Paint): string {
  const used = row.tasks.length === 0 ? paint.dim("no task uses it") : row.tasks.join(", ");
  const state =
    row.kind === "unusable"
      ? paint.red(row.reason)
      : [
          row.branch ?? "no branch checked out",
          row.uncommitted === 0 ? "nothing uncommitted" : paint.yellow(`${row.uncommitted} uncommitted`),
          row.remote ?? "no remote",
        ].join(", ");
  return `${paint.bold(clean(row.repo))}  ${clean(used)}\n  ${state}\n`;
}

/** `repo add SOURCE [NAME]` */
export const repoAdd: Run = async (host, call) => {
  const project = await host.projects.open();
  const { repositories } = await host.repositories.open(project.root);
  const source = String(call.arguments.source);
  const name = call.arguments.name as string | undefined;
  if (!isAddress(source)) {
    if (name !== undefined)
      throw new PawlError(
        "usage",
        `${JSON.stringify(source)} is a path, so it already has a name.`,
        "Leave out the name, or give an address to clone from.",
      );
    const repo = await repositories.check(source);
    return { text: `${clean(repo)} is a git repository.\n${naming(repo)}`, data: { repo, cloned: false } };
  }
  const into = folderOf(source, name);
  const { repo, isSeen } = await repositories.clone(source, into);
  const ignore = isSeen ? `The project's own repository would track it: add /${repo}/ to .gitignore.\n` : "";
  return { text: `Cloned into ${repo}.\n${naming(repo)}${ignore}`, data: { repo, cloned: true, isSeen } };
};

function naming(repo: Repo): string {
  return `In tasks.yaml: \`repo: ${clean(repo)}\`.\n`;
}

/** `scheme://…`, or `host:path` as for ssh. */
function isAddress(source: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(source) || /^[^/\\]{2,}:/.test(source);
}

const SAFE = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/** The clone's folder: not hidden, and without characters that a shell, git or YAML could misread. */
function folderOf(address: string, name: string | undefined): ProjectPath {
  const last = address.replace(/[/\\]+$/, "").replace(/\.git$/, "");
  const own = (last.split(/[/:\\]/).at(-1) ?? "").replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[.-]+/, "");
  const path = (name ?? own).replace(/^\.\//, "").replace(/\/+$/, "");
  const odd = path.split("/").find((segment) => !SAFE.test(segment) || segment === "node_modules");
  if (pathFault(path) === null && odd === undefined) return path as ProjectPath;
  throw new PawlError(
    "usage",
    `${JSON.stringify(path.slice(0, 200))} cannot be the folder of a clone: expected letters, digits, dots, dashes and underscores, not hidden, inside the project.`,
    "Give a name: `bloom repo add ADDRESS api`.",
  );
}

/** `repo sync` */
export const repoSync: Run = async (host) => {
  const project = await host.projects.open();
  const uses = usesOf(await tasksOf(project, host));
  const { repositories } = await host.repositories.open(project.root);
  const rows: { readonly repo: Repo; readonly synced: Synced }[] = [];
  for (const repo of uses.keys())
    rows.push({
      repo,
      synced: await repositories.sync(repo).catch((thrown: unknown) => {
        return { kind: "failed", reason: toPawlError(thrown).message } as const;
      }),
    });
  const text = rows.map(({ repo, synced }) => `${clean(repo)}\n${linesOf(synced).map(indented).join("")}`);
  const failed = rows.some(({ synced }) => synced.kind === "failed");
  return {
    text: text.length === 0 ? "tasks.yaml uses no repository.\n" : text.join(""),
    data: { repositories: rows.map(({ repo, synced }) => ({ repo, ...synced })) },
    ...(failed ? { exit: 1 as const } : {}),
  };
};

function linesOf(synced: Synced): readonly string[] {
  if (synced.kind === "no-remote") return ["has no remote"];
  if (synced.kind === "failed") return [`could not be fetched: ${synced.reason}`];
  const { came, forwarded, left, remote } = synced;
  return [
    ...(came.length === 0 ? [`nothing new on ${remote}`] : []),
    ...came.map(({ branch, commits }) =>
      commits === null ? `${remote}/${branch} is new` : `${remote}/${branch}: ${counted(commits, "commit")}`,
    ),
    ...forwarded.map(({ branch, commits }) => `${branch} moved forward by ${counted(commits, "commit")}`),
    ...left.map(({ branch, reason }) => `${branch} was not moved: ${reason}`),
  ];
}

function indented(line: string): string {
  return `  ${clean(line)}\n`;
}
