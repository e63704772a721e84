/** The workflows' own verbs as commands. */
import { PawlError } from "../../../core/error.ts";
import type { Verb } from "../../../runtime/module.ts";
import { loadWorkflow, loadWorkflows, type Workflows } from "../../../runtime/project.ts";
import { type Call, type CommandArgument, type CommandSpec, camelCase, formOf } from "./command.ts";
import { runOf } from "./run-verb.ts";

/** `soundOnly`: skips workflows that cannot be loaded; otherwise throws their error. */
export async function verbCommands(
  workflows: Workflows,
  { soundOnly = false } = {},
): Promise<readonly CommandSpec[]> {
  const modules = soundOnly ? await soundWorkflows(workflows) : await loadWorkflows(workflows);
  const verbs = modules.flatMap(({ title, verbs }) => verbs.map((verb) => ({ group: title, verb })));
  return [...new Set(verbs.map(({ verb }) => verb.name))].map((name) => {
    const same = verbs.filter(({ verb }) => verb.name === name);
    const [first] = same as [(typeof same)[0]];
    return same.length === 1
      ? verbCommand(first.group, first.verb)
      : sharedCommand(
          first.group,
          same.map(({ verb }) => verb),
        );
  });
}

async function soundWorkflows(workflows: Workflows) {
  const loaded = await Promise.allSettled(Object.values(workflows).map((load) => load()));
  return loaded.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
}

function verbCommand(group: string, verb: Verb): CommandSpec {
  return {
    name: verb.name,
    summary: verb.summary,
    group,
    arguments: verb.arguments,
    options: verb.options,
    load: async () => runOf(verb),
  };
}

/**
 * One command for the verbs of one name, of which the arguments choose one. At most one of them has no `accepts`,
 * and gets what the others do not accept.
 */
function sharedCommand(group: string, verbs: readonly Verb[]): CommandSpec {
  const length = Math.max(...verbs.map((verb) => verb.arguments.length));
  const positionals = Array.from({ length }, (_, at) => argumentAt(verbs, at));
  const options = verbs.flatMap((verb) => verb.options);
  return {
    name: verbs[0]?.name ?? "",
    summary: unique(verbs.map(({ summary }) => summary)).join("; or "),
    group,
    arguments: positionals,
    options: options.filter(({ flags }, at) => options.findIndex((other) => other.flags === flags) === at),
    load: async () => async (host, call) => {
      const words = wordsOf(positionals, call);
      const named = verbs.find(({ accepts }) => accepts?.(words));
      const colon = words[0]?.indexOf(":") ?? -1;
      // The workflow does not exist: this throws an error that corrects its name.
      if (!named && colon > 0) await loadWorkflow(host.workflows, words[0]?.slice(0, colon) ?? "");
      if (!named) checkNotWorkflow(verbs, words[0] ?? "");
      const verb = named ?? verbs.find(({ accepts }) => !accepts);
      if (!verb || words.length > verb.arguments.length) throw unexpectedWordsError(verbs, words);
      const given = verb.arguments.map(({ name }, at) => [camelCase(name), words[at]]);
      return runOf(verb)(host, { ...call, arguments: Object.fromEntries(given) });
    },
  };
}

/** Throws `usage` if the word is only a workflow's name, because the run is missing. */
function checkNotWorkflow(verbs: readonly Verb[], word: string): void {
  const ofRuns = verbs.find(({ accepts }) => accepts?.([`${word}:`]));
  if (!ofRuns) return;
  throw new PawlError(
    "usage",
    `${JSON.stringify(word)} is a workflow: expected one run of it, ${word}:ID.`,
    `Run \`pawl ${ofRuns.name} ${word}:ID\`, with an id of your own for a new run; \`pawl status\` shows the open ones.`,
  );
}

/** The combined description of what the verbs accept as this argument. */
function argumentAt(verbs: readonly Verb[], at: number): CommandArgument {
  const here = verbs.flatMap((verb) => verb.arguments[at] ?? []);
  return {
    name: unique(here.map(({ name }) => name)).join("|"),
    description: unique(here.map(({ description, choices }) => choices?.join(", ") ?? description)).join(
      "; or ",
    ),
    required: here.length === verbs.length && here.every(({ required }) => required),
  };
}

function wordsOf(positionals: readonly CommandArgument[], { arguments: given }: Call): readonly string[] {
  const words = positionals.map(({ name }) => given[camelCase(name)]);
  return words.filter((word): word is string => typeof word === "string");
}

function unexpectedWordsError(verbs: readonly Verb[], words: readonly string[]): PawlError {
  const forms = verbs.map(formOf);
  const name = verbs[0]?.name ?? "";
  return new PawlError(
    "usage",
    `\`${[name, ...words].join(" ")}\` does not fit: expected ${unique(forms)
      .map((form) => `\`${form}\``)
      .join(" or ")}.`,
    `See \`pawl ${name} --help\`.`,
  );
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
