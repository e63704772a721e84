/** What is known of the guard of a project, for those who rely on it: which layers were proved, and when. */
import type { LayerProof } from "../../../core/ports/guard-proofs.ts";
import type { Project } from "../../../runtime/project.ts";
import type { Host } from "../line/command.ts";
import { LAYERS, setUp } from "./canary.ts";

export interface Proved {
  /** ISO 8601; null: never. */
  readonly time: string | null;
  /** Why the proof does not count any more: the file that changed since, or the program. */
  readonly changed: string | null;
  readonly layers: readonly LayerProof[];
}

/** Of a project that has a guard. */
export async function proved(host: Host, { root, runtime }: Project): Promise<Proved> {
  const outside = await host.machine.guard(root);
  const proof = outside.proofs.find();
  if (proof === null) return { time: null, changed: null, layers: [] };
  const { layers, time } = proof;
  if (proof.version !== host.version) return { time, changed: "Pawl itself", layers };
  const { files } = await setUp({ runtime }, outside, host);
  const names = Object.keys({ ...proof.files, ...files });
  return { time, changed: names.find((name) => files[name] !== proof.files[name]) ?? null, layers };
}

/** In one sentence. */
export function provedWords({ changed, layers, time }: Proved): string {
  if (time === null) return `Guard: not proved yet: ${TRY}.`;
  const at = `${time.slice(0, 16).replace("T", " ")} UTC`;
  const through = layers.filter(({ result }) => result === "came-through");
  if (through.length > 0)
    return `Guard: a planted violation came through (${listed(through)}; ${at}): ${TRY}.`;
  if (changed !== null) return `Guard: not proved since ${changed} changed: ${TRY}.`;
  const held = layers.filter(({ result }) => result === "refused");
  if (held.length === 0)
    return `Guard: nothing of it could be tried (${at}): \`pawl init --guard\` sets it up.`;
  return `Guard: proved ${at}: ${listed(held)}.`;
}

const TRY = "`pawl guard --canary` tries it";

function listed(layers: readonly LayerProof[]): string {
  return layers.map(({ layer, of }) => `${LAYERS[layer]} ${of}`).join(", ");
}
