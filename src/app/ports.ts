/** The adapters behind `Outside`. Each is loaded on first use. */

import type { GitCall } from "../adapters/git/git.ts";
import { type Environment, withoutOwnSecrets } from "../config/config.ts";
import { openStateHome } from "../config/state-home.ts";
import type { Git } from "../core/ports/git.ts";
import type { Outside } from "../core/ports/outside.ts";
import type { Policies } from "../core/ports/policies.ts";
import type { Signatures } from "../core/ports/signatures.ts";
import type { Repo } from "../core/ports/worktrees.ts";
import type { Settings } from "../core/settings.ts";
import type { Trust } from "../runtime/project.ts";
import { lazyPort } from "./lazy-port.ts";
import { wallSetup } from "./wall.ts";

export function openOutside(
  root: string,
  environment: Environment,
  settings: () => Promise<Settings>,
  trust: Pick<Trust, "checkCommand" | "checkLoop">,
  { isShared = false }: { readonly isShared?: boolean } = {},
): Outside {
  const lacking: Lacking = async (from, objects) => {
    if (!isShared) return;
    const { bring } = await import("../adapters/git/bring.ts");
    await bring(from, (await settings()).git.fence, objects);
  };
  const place = { folder: root, environment, filters: async () => (await settings()).git.filters };
  return {
    git: {
      ...lateGit(root, place, lacking, "."),
      async in(repo) {
        const { checkoutOf, checkRepository } = await import("../adapters/git/workspace/worktree-paths.ts");
        await checkRepository(root, repo, place);
        return lateGit(root, { ...place, folder: checkoutOf(root, repo) }, lacking, repo);
      },
    },
    files: {
      missing: async (paths) => (await import("../adapters/files/missing.ts")).missing(root, paths),
    },
    leases: {
      list: async () => (await import("../adapters/files/leases.ts")).listLeases(root),
    },
    trackers: {
      async open(provider, tracker) {
        const { openTrackers } = await import("../adapters/trackers/trackers.ts");
        return openTrackers(environment, root).open(provider, tracker);
      },
    },
    signatures: signaturesOf(environment),
    policies: policiesOf(root, environment),
    checks: {
      async run(key, command, on, waiting) {
        await trust.checkCommand(on?.named ?? command);
        const { openChecks } = await import("../adapters/checks/checks.ts");
        const now = await settings();
        const { environment: names, git, setup } = now;
        const filters = async () => git.filters;
        if (on?.tree && setup["."]) await trust.checkLoop();
        const { openWall } = await import("../adapters/wall/wall.ts");
        const wall =
          openWall(wallSetup({ root, environment, settings: now, programs: [] })).wall ?? undefined;
        const own = withoutOwnSecrets(environment, now);
        const checks = openChecks({ root, environment: own, names, filters, setup: setup["."], wall });
        return checks.run(key, command, on, waiting);
      },
      async recorded(key, command, on) {
        const { openChecks } = await import("../adapters/checks/checks.ts");
        return (await openChecks({ root, environment }).recorded?.(key, command, on)) ?? null;
      },
    },
    references: {
      async fetch(reference) {
        const { openReferences } = await import("../adapters/trackers/references.ts");
        return openReferences(environment).fetch(reference);
      },
    },
    reviews: {
      async fetch(order) {
        const { openReviews } = await import("../adapters/forge/reviews.ts");
        return openReviews({ folder: root, environment }).fetch(order);
      },
    },
  };
}

/** Fetches objects of other machines before they are needed; does nothing if there are no other machines. */
type Lacking = (place: GitCall, objects: readonly string[]) => Promise<void>;

function lateGit(root: string, place: GitCall, lacking: Lacking, repo: Repo): Git {
  // Includes work that is only in the hub.
  const withHub = async (): Promise<GitCall> => {
    const [{ objectsOf }, { workFolder }] = await Promise.all([
      import("../adapters/git/hub.ts"),
      import("../adapters/process/work-folder.ts"),
    ]);
    const objects = objectsOf({ projectRoot: root, work: workFolder(root, place.environment) }, repo);
    return objects === undefined ? place : { ...place, objects };
  };
  return {
    state: async () => (await import("../adapters/git/status.ts")).loadState(place),
    pin: async (work) => (await import("../adapters/git/tree.ts")).pin(place, work),
    snapshot: async (order) => (await import("../adapters/git/tree.ts")).snapshot(place, order),
    async diff(order) {
      await lacking(place, [order.from, order.to]);
      return (await import("../adapters/git/diff.ts")).diff(await withHub(), order);
    },
    async between(one, other) {
      await lacking(place, [one, other]);
      return (await import("../adapters/git/tree.ts")).between(await withHub(), one, other);
    },
    async shapes(from, to) {
      await lacking(place, [from, to]);
      return (await import("../adapters/git/shapes.ts")).shapes(await withHub(), from, to);
    },
    async blob(order) {
      await lacking(place, [order.object]);
      return (await import("../adapters/git/shapes.ts")).blob(await withHub(), order);
    },
    async committed(order) {
      await lacking(place, [order.commit]);
      return (await import("../adapters/git/workspace/stripped-tree.ts")).committed(await withHub(), order);
    },
    async commits(base, head) {
      await lacking(place, [head]);
      return (await import("../adapters/git/changes.ts")).commits(await withHub(), base, head);
    },
  };
}

export function signaturesOf(environment: Environment): Signatures {
  return lazyPort(async () => {
    const [{ openSignatures }, { configFolder }] = await Promise.all([
      import("../adapters/signatures/signatures.ts"),
      import("../adapters/signatures/keys.ts"),
    ]);
    return openSignatures(environment, configFolder(environment));
  });
}

/** Kept outside the project. */
function policiesOf(root: string, environment: Environment): Policies {
  const state = openStateHome(root, environment);
  return lazyPort(async () => {
    const { openPolicies } = await import("../adapters/policies/policies.ts");
    return openPolicies(state);
  });
}
