/**
 * `pawl database`: copies a project's state into a database that several machines share, and back into files.
 */
import { PawlError } from "../../../core/error.ts";
import { PROJECT_FOLDER, type ProjectPath, projectPath } from "../../../core/path.ts";
import type {
  Database,
  DatabaseAccess,
  DatabaseInspection,
  DatabaseProject,
} from "../../../core/ports/database.ts";
import type { Project } from "../../../runtime/project.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { invalidTasksError } from "../../../tasks-file/load.ts";
import { readTasks } from "../../../tasks-file/read.ts";
import type { Answer, Host, Run } from "../line/command.ts";
import { editFiles } from "../project/edit-files.ts";
import { projectIdEdit } from "../team/project-id.ts";
import { counted } from "../terminal/amounts.ts";
import { refuseAgent } from "../terminal/person.ts";
import { clean } from "../terminal/terminal.ts";
import { changesBetween, composed, readAll, readShared, type SharedState } from "./shared-state.ts";

export async function withDatabase<A extends Answer | undefined>(
  host: Host,
  work: (database: Database) => Promise<A>,
): Promise<A> {
  const database = await host.projects.database();
  try {
    const answer = await work(database);
    return answer && { ...answer, text: clean(answer.text) };
  } finally {
    await database.close();
  }
}

/** Runs `work` with the project's own part of the database. */
export function withProjectOnDatabase(
  host: Host,
  work: (project: DatabaseProject) => Promise<Answer>,
): Promise<Answer> {
  return withDatabase(host, async (database) => {
    const id = await knownId(await host.projects.open());
    return work(await database.project(id));
  });
}

export const initDatabase: Run = async (host) => {
  refuseAgent(host, "set up a database");
  const project = await host.projects.open();
  return withDatabase(host, async (database) => {
    const steps = await database.migrate();
    const id = await projectId(project, host);
    const isAdded = await database.addProject(id);
    // The project's own roles.
    const all = [...steps, ...(await database.migrate())];
    const access = await database.access(id);
    const lines = [
      ...all.map((step) => `made       ${step}`),
      `${isAdded ? "added     " : "unchanged "} project ${id} in ${database.shown}`,
      ...missingLines(access),
    ];
    return {
      text: `${lines.join("\n")}\n\nThe project's files are as they were. \`pawl database import\` copies their state there.\n`,
      data: { database: database.shown, project: id, steps: all, added: isAdded, missing: access.missing },
    };
  });
};

export const migrateDatabase: Run = async (host) => {
  refuseAgent(host, "change a database");
  return withDatabase(host, async (database) => {
    const steps = await database.migrate();
    const lines = steps.map((step) => `made       ${step}\n`).join("");
    return {
      text: steps.length === 0 ? `${database.shown} has the shape that this version needs.\n` : lines,
      data: { database: database.shown, steps },
    };
  });
};

export const checkDatabase: Run = async (host) => {
  const project = await host.projects.open();
  return withDatabase(host, async (database) => {
    const faults = await database.faults();
    const id = await knownId(project);
    const access = await database.access(id);
    const inspection = await (await database.project(id)).inspect();
    const all = [...faults, ...inspection.faults];
    const shown = all.flatMap(({ fix, message }) => [`wrong  ${message}`, `fix:   ${fix}`]);
    const lines = [...describe(database.shown, id, inspection), ...accessLines(access)];
    return {
      text: `${[...lines, ...(all.length === 0 ? ["Nothing is wrong."] : shown)].join("\n")}\n`,
      data: { database: database.shown, project: id, access, ...inspection, faults: all },
      ...(all.length > 0 ? { exit: 1 as const } : {}),
    };
  });
};

function describe(shown: string, id: string, inspection: DatabaseInspection): readonly string[] {
  const { documents, events, last, leases, revision } = inspection;
  return [
    `database   ${shown}`,
    `project    ${id}`,
    `revision   ${revision}${last ? `, committed ${last.time} by ${last.who}` : ""}`,
    `holds      ${counted(documents, "document")} and ${counted(events, "event")}`,
    ...leases.map(({ holder, until, what }) => `lease      ${what}: ${holder}, until ${until}`),
  ];
}

function accessLines(access: DatabaseAccess): readonly string[] {
  return [`role       ${access.role}, as ${access.login}`, ...missingLines(access)];
}

/** What an administrator, or the owner, must do before others' logins can use the database. */
function missingLines({ missing, ungranted }: DatabaseAccess): readonly string[] {
  return [
    ...(missing.length > 0
      ? [
          `missing    ${missing.join(", ")}: only the owner's logins can use this database.`,
          `           An administrator makes them: ${missing.map((name) => `create role ${name};`).join(" ")}`,
          "           Then run `pawl database migrate`.",
        ]
      : []),
    ...(ungranted.length > 0
      ? [`missing    what ${ungranted.join(", ")} may do: run \`pawl database migrate\` as the owner.`]
      : []),
  ];
}

export const importProject: Run = async (host, { options }) => {
  refuseAgent(host, "copy a project into a database", "pawl database import");
  const project = await host.projects.open();
  const path = projectPath((await project.runtime.settings(project.files.view())).bloom.tasks_file);
  const files = await readFiles(project);
  const tasks = files.get(path);
  // Invalid tasks would be useless there.
  if (tasks !== undefined) checkValid(path, tasks);
  return withDatabase(host, async (database) => {
    const id = await knownId(project);
    const { store } = await database.project(id);
    const view = store.view();
    const there = await readAll(view);
    const changes = changesBetween(there, files);
    if (there.size > 0 && changes.length > 0 && options.replace !== true)
      throw differingDatabaseError(database, changes.length);
    if (changes.length > 0 && (await store.commit(view, changes)) === "changed")
      throw new PawlError(
        "project-busy",
        `Somebody else wrote to the project in ${database.shown} at the same time. Nothing was imported.`,
        "Look at what is there with `pawl database check`, then run the command again.",
      );
    const words =
      changes.length === 0
        ? "is the same already"
        : `now has ${counted(files.size, "file")} of this project's state`;
    return {
      text: `${database.shown} ${words}. ${await nextWords(project)}\n`,
      data: { database: database.shown, project: id, files: files.size, changed: changes.length },
    };
  });
};

/** The next step, now that the files and the database have the same state. */
async function nextWords({ files, runtime: { settings } }: Project): Promise<string> {
  const { stores } = await settings(files.view());
  return stores.bloom === "postgres"
    ? "Bloom works with it, and not with the tasks file here: remove that."
    : "Pawl works with the files until pawl.yaml says `stores: {bloom: postgres}`.";
}

export const exportProject: Run = async (host, call) => {
  const project = await host.projects.open();
  const id = await knownId(project);
  const folder = String(call.arguments.dir);
  const tasksFile = projectPath((await project.runtime.settings(project.files.view())).bloom.tasks_file);
  return withDatabase(host, async (database) => {
    const state = composed(await readAll((await database.project(id)).store.view()), tasksFile);
    const target = await host.projects.open({ option: folder });
    await checkEmpty(target);
    const { store } = target.runtime;
    // Does not list the folder: the commit itself creates `.pawl/` there.
    const view = store.view();
    for (const path of state.keys()) await view.read(path);
    const changes = changesBetween(new Map(), state);
    if ((await store.commit(view, changes)) === "changed")
      throw new PawlError(
        "project-busy",
        `Somebody else wrote to ${target.root} at the same time. Nothing was exported.`,
        "Name an empty folder.",
      );
    return {
      text: `${target.root} has the ${counted(state.size, "file")} of the project in ${database.shown}, byte for byte.\n`,
      data: { database: database.shown, project: id, folder: target.root, files: [...state.keys()].sort() },
    };
  });
};

/** Throws `tasks-invalid`. */
function checkValid(path: ProjectPath, text: string): void {
  const read = readTasks(text, null);
  if (!read.ok) throw invalidTasksError(path, read.problems);
}

async function checkEmpty({ root, runtime }: Project): Promise<void> {
  if ((await runtime.store.view().list(PROJECT_FOLDER)).length === 0) return;
  throw new PawlError(
    "usage",
    `${root} is not empty: an export never changes a file that is there.`,
    "Name an empty folder.",
  );
}

/** Reads all files as of one moment: retries until nothing changed while it read. */
async function readFiles({ files: store, runtime: { settings } }: Project): Promise<SharedState> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const view = store.view();
    const state = await readShared(view, (await settings(view)).bloom.tasks_file);
    if (await store.holds(view)) return state;
  }
  throw new PawlError(
    "project-busy",
    `The project's files changed during each of ${MAX_TRIES} attempts to read them. Nothing was imported.`,
    "Stop the running loop (Ctrl-C), then run the command again.",
  );
}

const MAX_TRIES = 10;

function differingDatabaseError({ shown }: Database, count: number): PawlError {
  return new PawlError(
    "database-differs",
    `The project in ${shown} differs from the files here, in ${counted(count, "file")}. Nothing was imported.`,
    "To see what is there: `pawl database export DIR`. To overwrite it with the files here: `pawl database import --replace`.",
  );
}

async function knownId({ runtime: { settings, store } }: Project): Promise<string> {
  const { project_id } = await settings(store.view());
  if (project_id !== null) return project_id;
  throw new PawlError(
    "database-project-missing",
    "pawl.yaml has no project_id, by which a database knows the project.",
    "Run `pawl database init`.",
  );
}

/** The project's id. Creates one and writes it into pawl.yaml if the project has none. */
async function projectId(project: Project, host: Host): Promise<string> {
  const { runtime } = project;
  const fresh = runtime.newId().replaceAll("-", "");
  const plan = editFiles("pawl:database", async (view, settings) => [
    await projectIdEdit(view, settings, fresh),
  ]);
  await runTransaction(runtime, plan, null, host.person.caller());
  return knownId(project);
}
