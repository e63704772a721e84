/** The policies of runs, kept outside the project. */
import { hashOfPolicy, type Policy } from "../../core/policy.ts";
import type { Policies } from "../../core/ports/policies.ts";
import { type Kind, openKeptByRun } from "../files/kept-by-run.ts";
import type { StateFolder } from "../files/project-key.ts";

const POLICY: Kind = {
  folder: "policies",
  key: "policy",
  noun: "the policy",
  without: "review the project's files and remove it: they then govern the run.",
};

const EARLIER: Kind = {
  folder: "earlier-policies",
  key: "hashes",
  noun: "the hashes of earlier policies",
  without:
    "remove it; a person may then have to accept the policy of the run (`pawl config policy RUN --accept`).",
};

const MAX_EARLIER = 200;

export function openPolicies(state: StateFolder): Policies {
  const policies = openKeptByRun<Policy>(state, POLICY);
  const hashes = openKeptByRun<readonly string[]>(state, EARLIER);
  const earlier = async (run: string) => (await hashes.find(run)) ?? [];
  const acceptEarlier = async (run: string, hash: string) =>
    hashes.keep(run, [...new Set([...(await earlier(run)), hash])].slice(-MAX_EARLIER));
  return {
    ...policies,
    earlier,
    acceptEarlier,
    async keep(run, policy) {
      const before = await policies.find(run);
      const hash = before && hashOfPolicy(before);
      if (hash !== null && hash !== hashOfPolicy(policy)) await acceptEarlier(run, hash);
      await policies.keep(run, policy);
    },
    async forget(run) {
      await policies.forget(run);
      await hashes.forget(run);
    },
  };
}
