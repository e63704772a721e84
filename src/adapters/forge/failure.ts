import { PawlError } from "../../core/error.ts";
import type { FetchFailure } from "../../core/ports/references.ts";
import { httpFailureIn } from "../net/failure.ts";
import { exceededHere } from "../net/limits.ts";

/** Describes an error of a request to a forge, in Pawl's own words and the forge's. */
export function forgeFailureOf(thrown: unknown): FetchFailure {
  const failure = exceededHere()?.failure ?? httpFailureIn(thrown)?.failure;
  if (failure) return failure;
  const { name } = thrown as { readonly name?: string };
  if (name === "TimeoutError" || name === "AbortError")
    return { reason: "timed-out", detail: "no answer in time" };
  return {
    reason: "unexpected",
    detail: "the answer does not have the shape that the forge's API describes",
  };
}

/** Whether the next request would fail in the same way. */
export function repeatsItself({ reason }: FetchFailure): boolean {
  return reason !== "not-found" && reason !== "unexpected";
}

type Reason = FetchFailure["reason"];

/** A failed request to GitHub as an error. `what`: how it failed, in words; `fixes`: what to do, by reason. */
export function githubFailed(
  thrown: unknown,
  what: (reason: Reason, detail: string) => string,
  fixes: Partial<Readonly<Record<Reason, string>>>,
): PawlError {
  const { detail, reason, retryAfter } = forgeFailureOf(thrown);
  const all: typeof fixes = {
    unauthorized: "Set a valid GITHUB_TOKEN: this one was refused, it may have expired.",
    "rate-limited": `Try again ${retryAfter === undefined ? "later" : `in ${retryAfter} seconds`}.`,
    ...fixes,
  };
  const fix = all[reason] ?? "Check the network and the address, and try again.";
  return new PawlError("forge-failed", what(reason, detail), fix, thrown);
}
