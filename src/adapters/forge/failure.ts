import { PawlError } from "../../core/error.ts";
import type { FetchFailure } from "../../core/ports/references.ts";
import { failureIn } from "../net/limits.ts";

type Reason = FetchFailure["reason"];

/** A failed request to GitHub as an error. `what`: how it failed, in words; `fixes`: what to do, by reason. */
export function githubError(
  thrown: unknown,
  what: (reason: Reason, detail: string) => string,
  fixes: Partial<Readonly<Record<Reason, string>>>,
): PawlError {
  const { detail, reason, retryAfter } = failureIn(thrown);
  const all: typeof fixes = {
    unauthorized: "Set a valid GITHUB_TOKEN: this one was refused, it may have expired.",
    "rate-limited": `Try again ${retryAfter === undefined ? "later" : `in ${retryAfter} seconds`}.`,
    ...fixes,
  };
  const fix = all[reason] ?? "Check the network and the address, and try again.";
  return new PawlError("forge-failed", what(reason, detail), fix, thrown);
}
