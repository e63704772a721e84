/** The proof of a project's guard: which layers were proved, and when. */
import type { LayerProof } from "../../../core/ports/guard-proofs.ts";
import type { Project } from "../../../runtime/project.ts";
import type { Host } from "../line/command.ts";
import { LAYERS, setUp } from "./canary.ts";

export interface Proved {
  /** When it was proved, ISO 8601; null: never. */
  readonly time: string | null;
  /** What changed since the proof, so that it no longer counts: a file or the program. Null: nothing. */
  readonly changed: string | null;
  readonly layers: readonly LayerProof[];
}

/** The latest proof. The project must have a guard. */
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

/** The proof in one sentence. */
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

const TRY = "`pawl config guard --canary` tries it";

function listed(layers: readonly LayerProof[]): string {
  return layers.map(({ layer, of }) => `${LAYERS[layer]} ${of}`).join(", ");
}
