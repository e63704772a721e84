/** The policies of runs, kept outside the project. */
import type { Policies } from "../../core/ports/policies.ts";
import { type Kind, openKeptByRun } from "../files/kept-by-run.ts";
import type { StatePlace } from "../files/vault.ts";

const POLICY: Kind = {
  folder: "policies",
  key: "policy",
  noun: "the policy",
  without: "review the project's files and remove it: they then govern the run.",
};

export function openPolicies(state: StatePlace): Policies {
  return openKeptByRun(state, POLICY);
}
