/** Whether a table is proved. Without the readers of files, which a program's own workflows do not need. */
import { PawlError } from "../../core/error.ts";
import { hashOf } from "../../core/hash.ts";
import type { View } from "../../core/ports/store.ts";
import { check } from "../../engine/check.ts";
import { storedTable } from "../../runtime/run-log/history.ts";
import { boundOf } from "./agents/bound.ts";
import { type Family, loadFamily } from "./begin/family.ts";
import type { Definition } from "./definition/definition.ts";
import { extensionFaults, repliesOver } from "./definition/extending.ts";
import type { OwnRun } from "./load-run.ts";

/** The hash of what decides: the table, the sources of its facts, and its agents with their prompts. */
export function tableHash({ agents, prompts, table, sources }: Definition): string {
  const ofAgents = agents === undefined ? [] : [agents, prompts];
  return hashOf(JSON.stringify([storedTable(table), sources, ...ofAgents]));
}

/** The names of the replies that there are for its rows. */
export function repliesOf({ extends: over, replies, table }: Definition): readonly string[] {
  return over ? repliesOver(over, table) : Object.keys(replies);
}

interface Proof {
  readonly fault: PawlError | null;
  readonly family: readonly Definition[];
}

const proofs = new WeakMap<Definition, Proof>();

/**
 * Throws `workflow-invalid` if the table is not proved, because then it must move no run. `family`: the workflows that it
 * begins.
 */
export function checkProved(definition: Definition, file: string | null, family: Family = new Map()): void {
  const of = [...family.values()];
  const cached = proofs.get(definition);
  const holds = cached?.family.length === of.length && cached.family.every((each, at) => each === of[at]);
  const proof = cached && holds ? cached : { family: of, fault: proofError(definition, file, family) };
  proofs.set(definition, proof);
  if (proof.fault) throw proof.fault;
}

/** Throws `workflow-invalid` if the workflow, or one that it begins, may move no run. */
export async function checkMayMove(
  { loaded, source, sources }: Pick<OwnRun, "loaded" | "source" | "sources">,
  view: View,
): Promise<void> {
  checkProved(loaded.definition, source.file, await loadFamily(sources, view, source, loaded));
}

function proofError(definition: Definition, file: string | null, family: Family): PawlError | null {
  const { table } = definition;
  const proved = check({ workflow: table, replies: repliesOf(definition) }).violations;
  const problems = [...proved, ...extensionFaults(definition)];
  const bound = boundOf(definition, family);
  const violations = bound && "loop" in bound ? [...problems, bound.loop] : problems;
  const [first] = violations;
  if (!first) return null;
  const more = violations.length > 1 ? ` (${violations.length - 1} more after this one)` : "";
  return new PawlError(
    "workflow-invalid",
    `The workflow ${table.name} is not proved, so none of its runs may continue: ${first.message}${more}`,
    `Correct ${file ?? "its table"}; \`pawl check ${table.name}\` shows all that is wrong with it.`,
  );
}
