import type { Project } from "../../../runtime/project.ts";
import type { Proved } from "../guard/proved.ts";
import type { Host } from "../line/command.ts";

export type GuardProved = Proved & {
  /** The proof in one sentence. */
  readonly words: string;
};

/**
 * The proof of the guard. Null: the project has no guard, or the proof is unreadable, which must not stop the
 * command that shows it.
 */
export async function loadGuardProof(host: Host, project: Project): Promise<GuardProved | null> {
  try {
    const { guard } = await project.runtime.settings(project.runtime.store.view());
    if (!guard) return null;
    const { proved, provedWords } = await import("../guard/proved.ts");
    const proof = await proved(host, project);
    return { ...proof, words: provedWords(proof) };
  } catch {
    return null;
  }
}
