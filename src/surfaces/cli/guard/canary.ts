/**
 * `pawl guard --canary`: plants a violation for each installed layer of the guard, and requires that it is
 * refused.
 */
import { projectPath } from "../../../core/path.ts";
import type { GuardProof, LayerProof } from "../../../core/ports/guard-proofs.ts";
import type { View } from "../../../core/ports/store.ts";
import { GUARDED_CLIENTS, TRUST_FIRST } from "../../../guard/clients.ts";
import type { Project } from "../../../runtime/project.ts";
import type { Answer, GuardOutside, Host, Tried } from "../line/command.ts";
import { clean } from "../terminal/terminal.ts";
import { commandBeforeTool, lackIn } from "./edit-setup.ts";
import { guardLaunch, type LoadedClientFile, placesIn } from "./init.ts";
import { isRefusal, plantedCall } from "./planted.ts";
import type { GuardFile } from "./setup.ts";

export async function canary(host: Host): Promise<Answer> {
  const project = await host.projects.open();
  const outside = await host.machine.guard(project.root);
  const view = project.runtime.store.view();
  const { files, clientFiles } = await setUp(project, outside, host);
  const { guard: isWanted } = await project.runtime.settings(view);
  const here = [
    ...(isWanted && clientFiles.length === 0 ? [NO_CLIENT] : []),
    ...clientFiles.flatMap((file) => tryClientFile(file, project.root, outside)),
    ...(await tryGit(outside, isWanted)),
  ];
  const layers = here.length === 0 ? [] : [...here, ...(await ciIn(view))];
  const proof: GuardProof = {
    ...{ time: project.runtime.now().toISOString(), version: host.version, layers, files },
  };
  outside.proofs.keep(proof);
  const { paint } = host.terminal;
  const lines = layers.map(({ layer, of, result, seen: finding }) => {
    const [word, colour] = WORDS[result];
    return `${paint[colour](word)}  ${LAYERS[layer]} ${of}: ${finding}`;
  });
  const none = "There is nothing to try: `pawl init --guard` sets the guard up.";
  const isHeld = layers.every(({ result }) => result !== "came-through");
  return {
    text: `${clean((lines.length === 0 ? [none] : lines).join("\n"))}\n`,
    data: proof,
    ...(isHeld ? {} : { exit: 1 as const }),
  };
}

/** `guard: true` in pawl.yaml is not enough: no client's file calls the guard. */
const NO_CLIENT: LayerProof = {
  ...{ layer: "hook", of: "every client", result: "came-through" },
  seen: "no client's file calls the guard, although pawl.yaml has `guard: true`",
};

const WORDS = {
  refused: ["refused     ", "green"],
  "came-through": ["CAME THROUGH", "red"],
  said: ["not tried   ", "yellow"],
} as const satisfies Readonly<Record<LayerProof["result"], readonly [string, string]>>;

export const LAYERS: Readonly<Record<LayerProof["layer"], string>> = {
  hook: "the hook of",
  rules: "the rules of",
  git: "git's",
  ci: "CI:",
};

export interface SetUp {
  readonly clientFiles: readonly LoadedClientFile[];
  /** The hashes of the files that contain a guard, by name. */
  readonly files: Readonly<Record<string, string>>;
}

/** Where guards are installed now. */
export async function setUp(
  { runtime }: Pick<Project, "runtime">,
  outside: GuardOutside,
  host: Host,
): Promise<SetUp> {
  const all = await placesIn(runtime.store.view(), guardLaunch(host), GUARDED_CLIENTS);
  const files = all.filter((file) => lackIn(file, file.text) !== "all");
  const git = await outside.gitHooks.inspect();
  const hooks = git.kind === "found" ? git.hooks.filter(({ guard }) => guard !== "none") : [];
  const texts = [
    ...files.map(({ name, text }) => [name, text] as const),
    ...hooks.map(({ path, text }) => [path, text] as const),
  ];
  return {
    clientFiles: files,
    files: Object.fromEntries(texts.map(([name, text]) => [name, outside.hash(text ?? "")])),
  };
}

/** Runs only commands that Pawl itself would write, because a cloned project may contain any command. */
function tryClientFile(
  clientFile: LoadedClientFile,
  root: string,
  outside: GuardOutside,
): readonly LayerProof[] {
  const { client, file, name, title } = clientFile;
  const text = clientFile.text ?? "";
  const call = plantedCall(client, root);
  const lacks = (one: GuardFile) => lackIn({ client, file: one }, text) !== "nothing";
  const differs: LayerProof = {
    ...{ layer: "hook", of: title, result: "came-through" },
    seen: differsWords(name),
  };
  if ("text" in file)
    return [lacks(file) ? differs : proofOf("hook", title, isRefusal, outside.tryPlugin(file.text, call))];
  const hooks = file.entries.filter(({ path, type }) => type === "hook" || path[0] === "pawl");
  const rules = file.entries.filter(({ type, value }) => type === "rule" || value === "deny");
  const layers: LayerProof[] = [];
  if (hooks.length > 0) {
    const command = lacks({ ...file, entries: hooks }) ? null : commandBeforeTool(hooks);
    const tried = command === null ? null : outside.tryCommand(command, call);
    layers.push(tried === null ? differs : proofOf("hook", title, isRefusal, tried));
    if (tried !== null && TRUST_FIRST.includes(client))
      layers.push({ layer: "hook", of: title, result: "said", seen: calledWords(outside.lastCall(client)) });
  }
  if (rules.length > 0) {
    const isWhole = !lacks({ ...file, entries: rules });
    const finding = isWhole ? `${name} has the ${rules.length} rules` : `rules are missing in ${name}`;
    // Only the client itself can test its rules.
    layers.push({ layer: "rules", of: title, result: isWhole ? "said" : "came-through", seen: finding });
  }
  return layers;
}

/** Only the client decides whether it calls the hook, so this reports its last call. */
export function calledWords(last: Date | null): string {
  if (last !== null) return `the client last called it on ${last.toISOString().slice(0, 10)}`;
  return "the client has never called it here; it skips hooks without a word until you trust them or the folder";
}

function proofOf(
  layer: LayerProof["layer"],
  of: string,
  isRefused: (tried: Tried) => boolean,
  tried: Tried,
): LayerProof {
  const [first = ""] = `${tried.err}${tried.out}`.trim().split("\n", 1);
  const isHeld = isRefused(tried);
  const finding = isHeld
    ? "a planted violation"
    : `it ended with ${tried.code}: ${first.slice(0, 300) || "it printed nothing"}`;
  return { layer, of, result: isHeld ? "refused" : "came-through", seen: finding };
}

async function tryGit(
  { gitHooks, tryGitHooks }: GuardOutside,
  isWanted: boolean,
): Promise<readonly LayerProof[]> {
  const hooks = await gitHooks.inspect();
  if (hooks.kind === "left")
    return [{ layer: "git", of: "commit and push", result: "said", seen: hooks.reason }];
  if (!isWanted && hooks.hooks.every(({ guard }) => guard === "none")) return [];
  const tried = tryGitHooks(hooks.hooks.filter(({ guard }) => guard === "whole"));
  return hooks.hooks.map(({ guard, name, path }) => {
    if (guard === "whole") return proofOf("git", name, isGitRefusal, tried[name]);
    const finding = guard === "none" ? `${path} does not call the guard` : differsWords(path);
    return { layer: "git", of: name, result: "came-through", seen: finding };
  });
}

function isGitRefusal({ code, err }: Tried): boolean {
  return code !== 0 && err.includes("Pawl refuses this");
}

function differsWords(name: string): string {
  return `${name} differs from what \`pawl init --guard\` writes here, so it was not started`;
}

/** The check in the protected branch's CI, which only the forge can prove. */
async function ciIn(view: View): Promise<readonly LayerProof[]> {
  const folder = projectPath(".github/workflows");
  const names = (await view.list(folder)).flatMap(({ kind, name }) =>
    kind === "file" && /\.ya?ml$/.test(name) ? [`${folder}/${name}`] : [],
  );
  for (const name of [...names, ".gitlab-ci.yml"]) {
    const text = await view.read(projectPath(name));
    if (text !== null && /\bpawl verify\b/.test(text))
      return [{ layer: "ci", of: name, result: "said", seen: "it calls `pawl verify`" }];
  }
  return [{ layer: "ci", of: "the forge", result: "said", seen: "no workflow of it calls `pawl verify`" }];
}
