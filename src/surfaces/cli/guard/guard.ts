import { PawlError } from "../../../core/error.ts";
import { GUARDED_HOOKS } from "../../../core/ports/git-hooks.ts";
import type { GitAct } from "../../../engine/workflow.ts";
import { widest } from "../../../guard/decide.ts";
import { openScopes } from "../../../runtime/reports/open-scopes.ts";
import type { Scope } from "../../../runtime/scope.ts";
import type { Host, Run } from "../line/command.ts";

/**
 * `pawl guard`. A client's hook reaches this only with other options before it; otherwise it is answered
 * before the command line is parsed.
 */
export const guard: Run = async (host, { arguments: { client, event }, options }) => {
  if (options.canary === true) return (await import("./canary.ts")).canary(host);
  if (client === "git") return gitHook(host, event);
  throw new PawlError(
    "usage",
    "`pawl guard` takes nothing but the client and its event: a client's hook calls it, with the call on standard input.",
    client === undefined
      ? "Run `pawl config guard --canary` to try the guard."
      : `Write \`pawl guard ${client}\` into the client's hook.`,
  );
};

const ACTS: Readonly<Record<(typeof GUARDED_HOOKS)[number], GitAct>> = {
  "pre-commit": "commit",
  "pre-push": "push",
};

/**
 * A git hook: lets a person's commit or push pass, and refuses an agent's if the scopes of all open runs
 * forbid it.
 */
async function gitHook(host: Host, event: unknown): Promise<undefined> {
  const hook = GUARDED_HOOKS.find((name) => name === event);
  if (hook === undefined)
    throw new PawlError(
      "usage",
      `The hook is ${JSON.stringify(event ?? null)}: expected one of ${GUARDED_HOOKS.join(", ")}.`,
      "Run `pawl init --guard`, which writes git's hooks.",
    );
  const agent = host.person.agent();
  if (agent === null) return undefined;
  const scope = widest(await scopesFor(host));
  if (!scope?.forbids.includes(ACTS[hook])) return undefined;
  throw new PawlError(
    "caller-not-allowed",
    `Pawl refuses this ${ACTS[hook]} by ${agent.agent}: ${scope.run} is in "${scope.state}", where git may not ${ACTS[hook]}. Nothing was changed.`,
    scope.next,
  );
}

/** The scopes of the project, and of the main checkout if this is a worktree of it. */
async function scopesFor(host: Host): Promise<readonly Scope[]> {
  // Without a project, as on an old branch, there is no limit.
  const project = await host.projects.open({ create: true });
  const outside = await host.machine.guard(project.root);
  if (outside.isOwnPush) return [];
  const main = outside.mainCheckout();
  const scopes = [...(await openScopes(project))];
  if (main !== null) scopes.push(...(await openScopes(await host.projects.open({ option: main }))));
  return scopes;
}
