/**
 * The policy of a run of your own workflow: its definition when the run began, pinned outside the project. A
 * definition cannot be followed in part, so a loosening holds the run until a person accepts it or it is
 * undone.
 *
 * V1  Words are not part of the policy: titles, descriptions, replies, who is said to act next. The words of
 *     a person's event are, because the person is asked in these words.
 * V2  The starts and goals of the table do not matter to a run that has begun.
 */
import { PawlError } from "../../core/error.ts";
import {
  checkPolicyKnown,
  gatePolicy,
  hashOfPolicy,
  ignoredIn,
  type Policy,
  type PolicyChange,
  policyFrom,
  renderChange,
} from "../../core/policy.ts";
import { levelSources, type PolicySources, placed } from "../../core/policy-places.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { View } from "../../core/ports/store.ts";
import type { Settings } from "../../core/settings.ts";
import type { GateLevels } from "../../core/strength.ts";
import { isFinal } from "../../engine/lookup.ts";
import { scopeIn } from "../../engine/scope.ts";
import type { PresentPolicy } from "../../runtime/module.ts";
import type { Governed } from "../../runtime/transaction/run-event.ts";
import { type Definition, type DefinitionSource, gateNames, type Loaded } from "./definition/definition.ts";
import type { OwnRun } from "./load-run.ts";
import { parseRun, runPath } from "./run-file.ts";

export function policyOf(definition: Definition, levels: GateLevels): Policy {
  const { agents = {}, gates = {}, planFiles, prompts = {}, sources, table } = definition;
  const { events, facts, rules: rows, states } = table;
  const scoped = Object.keys(states).filter((name) => states[name]?.writes !== undefined);
  const named = (kind: string, entries: readonly (readonly [string, unknown])[]) =>
    entries.map(([name, value]) => [`definition.${kind}.${name}`, value] as const);
  return policyFrom(
    Object.fromEntries([
      ...named(
        "states",
        Object.entries(states).map(([name, { final }]) => [name, final ? "final" : "open"]),
      ),
      ...named(
        "scopes",
        scoped.map((name) => [name, scopeIn(table, name)]),
      ),
      ["definition.plan_files", planFiles],
      ...named(
        "gates",
        Object.entries(gates).map(([event, by]) => [event, { by, asks: events[event]?.description }]),
      ),
      ...named(
        "facts",
        Object.entries(facts).map(([name, { values }]) => [name, { ...(sources[name] ?? KEPT), values }]),
      ),
      ...named(
        "rows",
        rows.map(({ id, reply: _, ...row }) => [id, row]),
      ),
      ...named("agents", Object.entries(agents)),
      ...named("prompts", Object.entries(prompts)),
      ...Object.entries(gatePolicy(levels, gateNames(definition))),
    ]),
  );
}

const KEPT = { type: "kept" };

type Governable = Pick<OwnRun, "configuration" | "elsewhere" | "file" | "loaded" | "run" | "source">;

/**
 * The policy that governs the run now, with the pin to write if it is not pinned yet. Null: a program's own
 * workflow, or the run is over or others moved it. `begins`: the run may begin with this call. Throws
 * `policy-unknown` if its file names a policy that this machine never stored and that is not the present one.
 */
export async function govern(
  { configuration, elsewhere, file, loaded, run, source }: Governable,
  { policies }: Pick<Outside, "policies">,
  { settings, view }: { readonly settings: Settings; readonly view: View },
  begins: boolean,
): Promise<Governed | null> {
  const { definition } = loaded;
  const isOpen = file === null ? begins : !isFinal(definition.table, configuration.state);
  if (source.file === null || !isOpen || elsewhere) return null;
  const present = policyOf(definition, settings.gates);
  const hash = hashOfPolicy(present);
  const pinned = file && ((await policies?.find(run)) ?? null);
  const named = { run, whose: run, what: "the workflow's file as it was when the run moved last" };
  const kept = pinned === null ? [] : [hashOfPolicy(pinned), ...((await policies?.earlier(run)) ?? [])];
  checkPolicyKnown(named, file?.policy, [hash, ...kept]);
  const loosened = pinned === null ? [] : ignoredIn(pinned, present);
  const ignored = await placed(loosened, sourcesIn(loaded), (file) => view.read(file));
  const isKept = pinned !== null && hashOfPolicy(pinned) === hash;
  const pin = { run, policy: present, ...(file ? { instead: pinned } : {}) };
  return { settings, policy: hash, ignored, ...(ignored.length === 0 && !isKept ? { pin } : {}) };
}

/** The policy in the workflow's file now, for a run under way; null if the run is over or has not begun. */
export async function policyIn(
  view: View,
  source: DefinitionSource,
  id: string,
  { gates }: Pick<Settings, "gates">,
): Promise<PresentPolicy | null> {
  const loaded = await source.load(view);
  const { definition } = loaded;
  const path = runPath(source.name, id);
  const text = await view.read(path);
  if (text === null) return null;
  const { policy: named, state } = parseRun(path, source.name, id, text);
  if (definition.table.states[state]?.final) return null;
  return { policy: policyOf(definition, gates), sourcesOf: sourcesIn(loaded), named, holdsLoosened: true };
}

function sourcesIn({ files = [], textFile }: Loaded): PolicySources {
  return (path) => {
    if (path.startsWith("gates.")) return levelSources(path);
    const [, kind = "", name = ""] = /^definition\.(\w+)\.?(.*)$/s.exec(path) ?? [];
    if (kind === "prompts" && textFile) return [{ file: textFile(name), path: null }];
    const key = kind === "gates" ? "events" : kind === "scopes" ? "states" : kind;
    return files.map((file) => ({ file, path: name === "" ? key : `${key}.${name}` }));
  };
}

export function heldRunError(
  { run, source }: Pick<OwnRun, "run" | "source">,
  ignored: readonly PolicyChange[],
) {
  const files = new Set(ignored.map(({ place }) => place?.replace(/:\d+$/, "") ?? source.file));
  return new PawlError(
    "policy-held",
    `${heldWords(run, ignored)} Nothing was changed.`,
    `Restore ${[...files].join(" and ")}, or have a person run \`pawl config policy ${run} --accept\` in a terminal.`,
  );
}

export function heldWords(run: string, ignored: readonly PolicyChange[]): string {
  return `${run} is held: its workflow was loosened since it began: ${ignored.map(renderChange).join("; ")}. A person sees it with \`pawl config policy ${run}\`, and may accept it there.`;
}
