import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import type { GuardProof, GuardProofs } from "../../core/ports/guard-proofs.ts";
import { inStateHome, type StateFolder } from "../files/project-key.ts";
import { writeWhole } from "../files/write-whole.ts";

export function openProofs(state: StateFolder): GuardProofs {
  const path = () => join(state.folder, "guard", "canary.json");
  return {
    find() {
      const value = attempt(() => JSON.parse(readFileSync(path(), "utf8")), null);
      return isProof(value) ? value : null;
    },
    keep: (proof) =>
      inStateHome(state, "be written", () => {
        state.make();
        mkdirSync(dirname(path()), { recursive: true, mode: 0o700 });
        writeWhole(path(), `${JSON.stringify(proof, null, 2)}\n`);
      }),
  };
}

function isProof(value: unknown): value is GuardProof {
  if (typeof value !== "object" || value === null) return false;
  const { files, layers, time, version } = value as Partial<GuardProof>;
  return (
    typeof time === "string" &&
    typeof version === "string" &&
    Array.isArray(layers) &&
    typeof files === "object"
  );
}
