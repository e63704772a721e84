import { PawlError } from "../../../core/error.ts";
import { GUARDED_HOOKS } from "../../../core/ports/git-hooks.ts";
import type { GitAct } from "../../../engine/workflow.ts";
import { widest } from "../../../guard/decide.ts";
import { openScopes } from "../../../runtime/reports/open-scopes.ts";
import type { Scope } from "../../../runtime/scope.ts";
import type { Host, Run } from "../line/command.ts";

/** A client's hook comes here only with other options before it: it is answered before the command line is read. */
export const guard: Run = async (host, { arguments: { client, event }, options }) => {
  if (options.canary === true) return (await import("./canary.ts")).canary(host);
  if (client === "git") return gitHook(host, event);
  throw new PawlError(
    "usage",
    "`pawl guard` takes nothing but the client and its event: a client's hook calls it, with the call on standard input.",
    client === undefined
      ? "Run `pawl guard --canary` to try the guard."
      : `Write \`pawl guard ${client}\` into the client's hook.`,
  );
};

const ACTS: Readonly<Record<(typeof GUARDED_HOOKS)[number], GitAct>> = {
  "pre-commit": "commit",
  "pre-push": "push",
};

/** A person's commit passes; an agent's is refused where no open run allows it. */
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
  const scope = widest(await scopesAround(host));
  if (!scope?.forbids.includes(ACTS[hook])) return undefined;
  throw new PawlError(
    "caller-not-allowed",
    `Pawl refuses this ${ACTS[hook]} by ${agent.agent}: ${scope.run} is in "${scope.state}", where git may not ${ACTS[hook]}. Nothing was changed.`,
    scope.next,
  );
}

/** Of the project, and of the one whose worktree it is. */
async function scopesAround(host: Host): Promise<readonly Scope[]> {
  // Where there is none, as in an old branch, nothing limits anybody.
  const project = await host.projects.open({ create: true });
  const outside = await host.machine.guard(project.root);
  if (outside.isOwnPush) return [];
  const main = outside.mainCheckout();
  const scopes = [...(await openScopes(project))];
  if (main !== null) scopes.push(...(await openScopes(await host.projects.open({ option: main }))));
  return scopes;
}
