/** Checks whether the clients' files still contain what `pawl init` writes. */
import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { projectPath } from "../../../core/path.ts";
import type { Settings } from "../../../core/settings.ts";
import { TRUST_FIRST } from "../../../guard/clients.ts";
import type { Project } from "../../../runtime/project.ts";
import { CLIENTS } from "../clients/client-names.ts";
import { CLIENT_FILES, type ClientName, type Launch } from "../clients/clients.ts";
import { entryIn } from "../clients/connect.ts";
import { isOwnEntry } from "../clients/disconnect.ts";
import { calledWords, setUp } from "../guard/canary.ts";
import { lackIn } from "../guard/edit-setup.ts";
import { proved, provedWords } from "../guard/proved.ts";
import type { ClientPackage, Host } from "../line/command.ts";
import { type Finding, fault, findingsOr, good, hint } from "./finding.ts";

export async function clients(host: Host, project: Project): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const name of CLIENTS)
    for (const file of CLIENT_FILES[name].files)
      findings.push(...(await findingsOr(file, () => connected(host, project, name, file))));
  if (findings.length > 0) return findings;
  return [
    hint("clients", "no client's file names Pawl's server", {
      command: "pawl init",
      fix: "shows how to connect one",
    }),
  ];
}

async function connected(
  host: Host,
  { runtime }: Project,
  name: ClientName,
  file: string,
): Promise<readonly Finding[]> {
  const [client, launch] = [CLIENT_FILES[name], host.machine.launch() as Launch];
  const text = await runtime.store.view().read(projectPath(file));
  const entry = text === null ? undefined : entryIn(client, launch, file, text);
  if (entry === undefined) return [];
  const words = wordsIn(entry);
  const missing = words.find((word) => isAbsolute(word) && !existsSync(word));
  const anew = `pawl uninstall --client ${name} && pawl init --client ${name}`;
  const mend = isOwnEntry(client, entry)
    ? { command: anew }
    : { fix: `Remove the entry, then run \`pawl init --client ${name}\`.` };
  if (missing !== undefined)
    return [fault(file, `${client.title} would start ${missing}, which is not there`, mend)];
  if (JSON.stringify(entry) === JSON.stringify(client.entry(launch)))
    return [good(file, `connects ${client.title}`)];
  const now = launch.join(" ");
  const other = `connects ${client.title} by \`${words.join(" ")}\`; \`pawl init\` would write \`${now}\``;
  return [hint(file, other, mend)];
}

interface Upkeep {
  readonly update: { readonly command: string } | { readonly fix: string };
  /** Null: the client ignores the package's server if a file of the project has one. */
  readonly remove: string | null;
}

/** How a person updates a package, and removes it. */
const UPKEEP: Readonly<Record<ClientPackage["client"], (name: string) => Upkeep>> = {
  "claude-code": (name) => ({
    update: { command: `claude plugin update ${name}` },
    remove: `claude plugin uninstall ${name}`,
  }),
  codex: (name) => ({
    update: { command: `codex plugin add ${name}` },
    remove: `codex plugin remove ${name}`,
  }),
  opencode: (folder) => ({
    update: { fix: `Put the package of the other version into ${folder}: OpenCode loads it from there.` },
    remove: null,
  }),
  gemini: (name) => ({
    update: { command: `gemini extensions update ${name}` },
    remove: `gemini extensions uninstall ${name}`,
  }),
};

/** Checks the plugins and extensions: each has a server of its own besides that of the project's files. */
export function packages(host: Host, project: Project): Promise<readonly Finding[]> {
  return findingsOr("plugins", async () => {
    const packages = await host.machine.clientPackages();
    return (await Promise.all(packages.map((each) => packaged(host, project, each)))).flat();
  });
}

async function packaged(
  host: Host,
  { root, runtime }: Project,
  { client: name, name: plugin, version }: ClientPackage,
): Promise<readonly Finding[]> {
  const [client, launch] = [CLIENT_FILES[name], host.machine.launch() as Launch];
  const what = `${client.title}'s ${plugin}`;
  const { remove, update } = UPKEEP[name](plugin);
  const own = (await host.machine.inspect(root)).installed ?? host.version;
  const skewed =
    version === own ? [] : [hint(what, `is ${version}, and this project's Pawl is ${own}`, update)];
  const view = runtime.store.view();
  const double: Finding[] = [];
  for (const file of remove === null ? [] : client.files) {
    const text = await view.read(projectPath(file));
    if (text === null || entryIn(client, launch, file, text) === undefined) continue;
    const words = `registers Pawl's server, and so does ${file}: ${client.title} has each tool twice`;
    const mend = { command: `pawl uninstall --client ${name}`, fix: `or, for all projects, \`${remove}\`` };
    double.push(hint(what, words, mend));
  }
  return skewed.length + double.length > 0 ? [...skewed, ...double] : [good(what, version)];
}

/** The words of the command that an entry starts, in any of the clients' formats. */
function wordsIn(entry: unknown): readonly string[] {
  if (typeof entry === "string") return [entry];
  if (Array.isArray(entry)) return entry.flatMap(wordsIn);
  if (typeof entry !== "object" || entry === null) return [];
  const { args, command } = entry as Readonly<Record<string, unknown>>;
  return [command, args].flatMap(wordsIn);
}

export function guard(host: Host, project: Project, settings: Settings): Promise<readonly Finding[]> {
  return findingsOr("guard", async () => {
    const outside = await host.machine.guard(project.root);
    const { clientFiles: places } = await setUp(project, outside, host);
    const isUnseen = ({ client }: (typeof places)[number]) =>
      TRUST_FIRST.includes(client) && outside.lastCall(client) === null;
    const files = places.map((place) =>
      lackIn(place, place.text) === "nothing"
        ? isUnseen(place)
          ? hint(place.name, calledWords(null), {
              fix: `Trust the folder and its hooks in ${place.title}, and ask it to change pawl.yaml.`,
            })
          : good(place.name, `calls the guard for ${place.title}`)
        : fault(place.name, `holds only a part of the guard for ${place.title}`, {
            command: `pawl init --guard --client ${place.client}`,
          }),
    );
    const hooksState = await outside.gitHooks.inspect();
    const hooks =
      hooksState.kind === "left"
        ? settings.guard
          ? [hint("git's hooks", hooksState.reason, { command: "pawl config guard --canary" })]
          : []
        : hooksState.hooks.flatMap(({ guard: state, name }) => {
            if (state === "whole") return [good(name, "calls the guard")];
            if (state === "none" && !settings.guard) return [];
            const words =
              state === "none" ? "does not call the guard" : "holds another guard than Pawl writes";
            return [fault(name, words, { command: "pawl init --guard" })];
          });
    if (!settings.guard && files.length === 0 && hooks.length === 0)
      return [
        hint("guard", "no guard keeps assistants within a run's scope", {
          command: "pawl init --guard",
        }),
      ];
    return [...files, ...hooks, ...(settings.guard ? [await proof(host, project)] : [])];
  });
}

async function proof(host: Host, project: Project): Promise<Finding> {
  const proof = await proved(host, project);
  const words = provedWords(proof)
    .replace(/^Guard: /, "")
    .replace(/: `[^`]*` tries it\.$/, "");
  const through = proof.layers.some(({ result }) => result === "came-through");
  const mend = { command: "pawl config guard --canary" };
  if (proof.time !== null && through) return fault("guard", words, mend);
  return proof.time === null || proof.changed !== null ? hint("guard", words, mend) : good("guard", words);
}
