/** The guard on calls as clients make them: recorded ones, in a project of the test's own. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { withProject } from "../../src/app/with-project.ts";
import type { GuardedClient } from "../../src/guard/clients.ts";
import { guard } from "../../src/services/guard/guard.ts";
import type { Output } from "../../src/surfaces/hooks/dialect.ts";
import { stateHome } from "./state-home.ts";

const RECORDED = resolve(import.meta.dirname, "../fixtures/hooks");
const HOME = resolve(import.meta.dirname, "../../src");

export type Recorded = Record<string, unknown>;

/** A recorded call, in this project; `more` replaces some of it. */
export function recorded(client: string, name: string, root: string, more: Recorded = {}): Recorded {
  const text = readFileSync(resolve(RECORDED, client, `${name}.json`), "utf8");
  // Inside a text that is JSON itself, too.
  return { ...JSON.parse(text.replaceAll("/project", JSON.stringify(root).slice(1, -1))), ...more };
}

export interface GuardCall {
  /** Of the process; default: the project's root. */
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly event?: string;
  /** Of the client; default: unknown, so that nothing keeps its shell from writing. */
  readonly version?: string;
}

/** What the guard answers in this process to a text on its standard input. */
export function guardOn(
  client: GuardedClient,
  text: string,
  root: string,
  asked: GuardCall = {},
): Promise<Output> {
  return guard({
    client,
    event: asked.event,
    home: HOME,
    withProject,
    program: "/usr/lib/node_modules/pawl/dist/main.js",
    read: () => text,
    environment: { HOME: "/home/dev", ...stateHome(), ...asked.environment },
    cwd: asked.cwd ?? root,
    version: asked.version ?? null,
  });
}

/** The same for a call. */
export function ask(
  client: GuardedClient,
  call: Recorded,
  root: string,
  asked: GuardCall = {},
): Promise<Output> {
  return guardOn(client, JSON.stringify(call), root, asked);
}
