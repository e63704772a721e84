/** `pawl init --guard` and `--no-guard`: the guard in the clients' files, in git's hooks and in pawl.yaml. */
import { projectPath } from "../../../core/path.ts";
import type { GitHooksChange } from "../../../core/ports/git-hooks.ts";
import type { View } from "../../../core/ports/store.ts";
import { GUARDED_CLIENTS, type GuardedClient } from "../../../guard/clients.ts";
import type { Reply, Transaction } from "../../../runtime/module.ts";
import type { Project } from "../../../runtime/project.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { CLIENTS } from "../clients/client-names.ts";
import { CLIENT_FILES, type ClientName, type Launch } from "../clients/clients.ts";
import { connect } from "../clients/connect.ts";
import type { Host, Run } from "../line/command.ts";
import { changesOf, type FileEdit, wordsOf } from "../project/edit-files.ts";
import { refuseAgent } from "../terminal/person.ts";
import { clean } from "../terminal/terminal.ts";
import { type ClientFile, lackIn, putIn, takeOut } from "./edit-setup.ts";
import { withGuard, withoutGuard } from "./setting.ts";
import { GUARD_SETUPS, type GuardLaunch } from "./setup.ts";

export interface GuardStep {
  readonly what: string;
  readonly text: string;
  readonly data: unknown;
}

/** Installs the guard for the named client, or for those whose files in the project contain Pawl. */
export async function guardSteps(
  project: Project,
  host: Host,
  name: GuardedClient | undefined,
): Promise<readonly GuardStep[]> {
  const { reply } = await runTransaction(
    project.runtime,
    addGuard(guardLaunch(host), name),
    null,
    host.person.caller(),
  );
  const { gitHooks } = await host.machine.guard(project.root);
  const git = await gitHooks.install();
  return [
    { what: "Guard", ...reply },
    { what: "Git's hooks", ...gitReply(git, "calls the guard") },
  ];
}

/** Removes the guard everywhere, or only from the named client's files. */
export const withoutGuards: Run = async (host, call) => {
  const command = "pawl init --no-guard";
  refuseAgent(host, "remove the guard", command);
  const project = await host.projects.open();
  // Throws for an unreadable or recursive pawl.yaml.
  await project.runtime.settings(project.runtime.store.view());
  const name = call.options.client as GuardedClient | undefined;
  const { reply } = await runTransaction(
    project.runtime,
    dropGuard(guardLaunch(host), name),
    null,
    host.person.caller(),
  );
  const outside = await host.machine.guard(project.root);
  if (name === undefined || name === "claude-code") await outside.openShells();
  const steps: GuardStep[] = [{ what: "Guard", ...reply }];
  if (name === undefined) {
    steps.push({ what: "Git's hooks", ...withoutReply(await outside.gitHooks.uninstall()) });
  }
  const { paint } = host.terminal;
  const lines = steps.map(({ what, text }) => `${paint.bold(what)}\n${clean(text).replace(/^/gm, "  ")}\n`);
  return { text: lines.join("\n"), data: { steps: steps.map(({ what, data }) => ({ what, data })) } };
};

/** The command line's words before a client's name. */
export function guardLaunch({ machine }: Host): GuardLaunch {
  return [...machine.launch().slice(0, -1), "guard"];
}

export interface LoadedClientFile extends ClientFile {
  readonly client: GuardedClient;
  readonly text: string | null;
}

interface Facts {
  readonly files: readonly LoadedClientFile[];
  readonly pawl: string | null;
}

const PAWL_YAML = projectPath("pawl.yaml");

function addGuard(
  launch: GuardLaunch,
  name: GuardedClient | undefined,
): Transaction<null, Facts, undefined, Reply> {
  return {
    run: () => "pawl:guard",
    read: async (view) => ({
      files: await placesIn(view, launch, name ? [name] : await clientsIn(view, launch)),
      pawl: await view.read(PAWL_YAML),
    }),
    propose({ pawl, files }) {
      const edits = [
        { path: "pawl.yaml", before: pawl, after: withGuard(pawl ?? "") },
        ...editsOf(files, (file, text) => putIn(file, text)),
      ];
      const clients = [...new Set(files.map(({ client }) => client))];
      const notes = clients.flatMap((client) => GUARD_SETUPS[client].note ?? []);
      const none = `No client is connected here yet: \`pawl init --guard --client NAME\` guards one of ${GUARDED_CLIENTS.join(", ")}.`;
      const words = [...wordsOf(edits), ...(clients.length === 0 ? [none] : notes), PROVE];
      return { reply: { text: words.join("\n"), data: { clients } }, changes: changesOf(edits) };
    },
  };
}

const PROVE = "To prove it: `pawl config guard --canary`.";

function dropGuard(
  launch: GuardLaunch,
  name: GuardedClient | undefined,
): Transaction<null, Facts, undefined, Reply> {
  return {
    run: () => "pawl:guard",
    read: async (view) => ({
      files: await placesIn(view, launch, name ? [name] : GUARDED_CLIENTS),
      pawl: await view.read(PAWL_YAML),
    }),
    propose({ pawl, files }) {
      const edits = [
        ...(name
          ? []
          : [{ path: "pawl.yaml", before: pawl, after: pawl === null ? null : withoutGuard(pawl) }]),
        ...editsOf(files, (file, text) => (text === null ? null : takeOut(file, text))),
      ];
      const changed = edits.filter(({ after, before }) => after !== before);
      const text = changed.length === 0 ? "There was none." : wordsOf(changed).join("\n");
      const data = { changed: changed.map(({ path }) => path) };
      return { reply: { text, data }, changes: changesOf(changed) };
    },
  };
}

/** One edit per file, because clients may share a file. */
function editsOf(
  files: readonly LoadedClientFile[],
  edit: (file: LoadedClientFile, text: string | null) => string | null,
): readonly FileEdit[] {
  const edits = new Map<string, FileEdit>();
  for (const file of files) {
    const { after = file.text } = edits.get(file.name) ?? {};
    edits.set(file.name, { path: file.name, before: file.text, after: edit(file, after) });
  }
  return [...edits.values()];
}

/** The files of these clients, with their texts. */
export async function placesIn(
  view: View,
  launch: GuardLaunch,
  clients: readonly GuardedClient[],
): Promise<readonly LoadedClientFile[]> {
  const clientFiles: LoadedClientFile[] = [];
  for (const client of clients) {
    const { files, title } = GUARD_SETUPS[client];
    for (const file of files(launch)) {
      const texts = await Promise.all(
        file.names.map(async (name) => ({ name, text: await view.read(projectPath(name)) })),
      );
      const found = texts.find(({ text }) => text !== null) ?? { name: file.names[0], text: null };
      clientFiles.push({ client, title, file, ...found });
    }
  }
  return clientFiles;
}

/** The clients whose files contain the guard, or Pawl's server. */
async function clientsIn(view: View, launch: GuardLaunch): Promise<readonly GuardedClient[]> {
  const clients = new Set<string>();
  for (const file of await placesIn(view, launch, GUARDED_CLIENTS))
    if (lackIn(file, file.text) !== "all") clients.add(file.client);
  for (const name of CLIENTS) if (await isConnected(view, name)) clients.add(name);
  return GUARDED_CLIENTS.filter((client) => clients.has(client));
}

async function isConnected(view: View, name: ClientName): Promise<boolean> {
  const client = CLIENT_FILES[name];
  for (const file of client.files) {
    const text = await view.read(projectPath(file));
    if (text !== null && connect(client, NO_LAUNCH, file, text) === null) return true;
  }
  return false;
}

/** Used for the search only; never written. */
const NO_LAUNCH: Launch = ["pawl"];

function gitReply(change: GitHooksChange, what: string): Reply {
  if (change.kind === "left") return { text: change.reason, data: { left: change.reason } };
  const { changed, folder } = change;
  const text =
    changed.length === 0 ? `unchanged  ${folder}` : changed.map((path) => `${path} ${what}`).join("\n");
  return { text, data: { changed } };
}

function withoutReply(change: GitHooksChange): Reply {
  const reply = gitReply(change, "without the guard");
  const left = change.kind === "done" ? change.left : [];
  const words = left.map(
    (path) => `${path} stays: the hook beside it has changed since Pawl moved this one there`,
  );
  return { ...reply, text: [reply.text, ...words].join("\n") };
}
