import type { Environment } from "../process/environment.ts";
import type { ApiSetup, ForgeApi } from "./forge-api.ts";
import { type Checkout, NO_CHECKOUT, readCheckout } from "./remotes.ts";
import {
  ADDRESS_VARIABLES,
  askKind,
  type ForgeKind,
  type ForgeServer,
  howToName,
  type Lacking,
  pathOn,
  serversIn,
} from "./servers.ts";

/** A remote that is a repository on a forge. */
export interface ForgeRemote {
  readonly name: string;
  readonly server: ForgeServer;
  /** `acme/app`, on GitLab `acme/team/app` too. */
  readonly path: string;
}

export interface Forges extends Pick<Checkout, "branch" | "pushedAs"> {
  /** `origin` comes first. */
  readonly remotes: readonly [ForgeRemote, ...ForgeRemote[]];
}

/** The forges of a checkout's remotes. */
export async function findForges(folder: string, environment: Environment): Promise<Forges | Lacking> {
  const { faults, servers } = serversIn(environment);
  const checkout = await readCheckout(folder, environment).catch(() => null);
  if (checkout === null) return NO_CHECKOUT;
  const [first, ...others] = checkout.remotes.flatMap(({ addresses, name }): readonly ForgeRemote[] => {
    for (const server of servers)
      for (const address of addresses) {
        const path = pathOn(server, address);
        if (path !== null) return [{ name, server, path }];
      }
    return [];
  });
  if (first === undefined) return faults[0] ?? noForge(checkout, environment);
  const { branch, pushedAs } = checkout;
  return { branch, pushedAs, remotes: [first, ...others] };
}

/** Queries each host once. */
const kinds = new Map<string, Promise<ForgeKind | null>>();

async function noForge({ remotes }: Checkout, environment: Environment): Promise<Lacking> {
  const [address] = remotes[0]?.addresses ?? [];
  if (address) {
    const kindRequest = kinds.get(address.origin) ?? askKind(address.origin, environment);
    kinds.set(address.origin, kindRequest);
    const kind = await kindRequest;
    // Forgotten, so that a later call queries it again.
    if (kind === null) kinds.delete(address.origin);
    else
      return {
        detail: `${address.host} is a server without a known token: no variable names it.`,
        help: howToName(kind, address.origin),
      };
  }
  return {
    detail: "No remote of the repository is on GitHub, GitLab, Gitea or Forgejo.",
    help: `Add the repository there as a remote. For a server of your own, name it in one of ${ADDRESS_VARIABLES}.`,
  };
}

const OPENERS: Readonly<Record<ForgeKind, () => Promise<(setup: ApiSetup) => ForgeApi>>> = {
  github: async () => (await import("./github-pulls.ts")).openGithub,
  gitlab: async () => (await import("./gitlab-pulls.ts")).openGitlab,
  gitea: async () => (await import("./gitea-pulls.ts")).openGitea,
  forgejo: async () => (await import("./gitea-pulls.ts")).openGitea,
};

export async function openForge(setup: ApiSetup): Promise<ForgeApi> {
  const open = await OPENERS[setup.server.kind]();
  return open(setup);
}
