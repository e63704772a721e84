/**
 * Wires `pawl verify`: a repository's objects, its base's settings, and `ssh-keygen`. Needs no project, since
 * a CI clone may have none.
 */
import { openChecks } from "../adapters/checks/checks.ts";
import { newId } from "../adapters/clock/new-id.ts";
import { discover } from "../adapters/git/discover.ts";
import { type GitCall, gitLine } from "../adapters/git/git.ts";
import { openRange } from "../adapters/git/range-history.ts";
import { type Environment, openConfiguration } from "../config/config.ts";
import { PawlError } from "../core/error.ts";
import type { Approvals } from "../core/ports/approvals.ts";
import type { RangeHistory } from "../core/ports/history.ts";
import type { Settings } from "../core/settings.ts";
import type { GateProof } from "../runtime/module.ts";
import type { Workflows } from "../runtime/project.ts";
import { findLife, ownSources } from "../services/own-workflows.ts";
import type { VerifyOrder } from "../surfaces/cli/line/command.ts";
import type { Base } from "../verify/records.ts";
import type { Fault, Report } from "../verify/report.ts";
import { verifyRange } from "../verify/verify.ts";
import { openOwnWorkflows } from "../workflows/custom/module.ts";
import { lazyPort } from "./lazy-port.ts";
import { signaturesOf } from "./ports.ts";

export interface VerificationContext {
  /** The project's folder in its repository, or a bare repository. */
  readonly folder: string;
  readonly environment: Environment;
  readonly packaged: (path: string) => Promise<string | null>;
  /** The workflows that come with the program. */
  readonly shipped: Workflows;
}

export async function verify(
  context: VerificationContext,
  { forge, range, rerun }: VerifyOrder,
): Promise<Report> {
  const { environment, folder, packaged } = context;
  if (discover(folder) === null)
    throw new PawlError(
      "usage",
      `${folder} is not in a git repository.`,
      "Run the command inside a repository, or name one with --project.",
    );
  const call: GitCall = { folder, environment };
  const history = await openRange({ call, packaged }, range);
  const base = await baseOf(history, context.shipped);
  const report = await verifyRange(
    history,
    base,
    signaturesOf(environment),
    forge && { ...forge, approvals: approvalsOf(folder, environment) },
  );
  const failed = rerun ? await checkFaults(history, base.settings, { ...context, call }) : [];
  return { ...report, faults: [...report.faults, ...failed] };
}

function approvalsOf(folder: string, environment: Environment): Approvals {
  return lazyPort(async () => {
    const { openGithubApprovals } = await import("../adapters/forge/github-approvals.ts");
    return openGithubApprovals(folder, environment);
  });
}

/** The base's settings, and the tables of its own workflows. */
async function baseOf(history: RangeHistory, shipped: Workflows): Promise<Base> {
  const view = history.view(history.base);
  const { settings } = await openConfiguration()(view);
  const own = openOwnWorkflows({ sources: await ownSources(settings), view: () => view });
  const workflows: Workflows = { ...own, ...shipped };
  const find = async (name: string): Promise<GateProof | null> => {
    const module = Object.hasOwn(workflows, name) ? await workflows[name]?.() : undefined;
    if (module?.fault) throw module.fault;
    return (await module?.policy?.proof({ view, settings, lives: findLife })) ?? null;
  };
  // The same for every record of a workflow; Bloom's proves the life of each task.
  const proofs = new Map<string, Promise<GateProof | null>>();
  return {
    settings,
    proof(name) {
      const found = proofs.get(name) ?? find(name);
      proofs.set(name, found);
      return found;
    },
  };
}

const HOURS = 60 * 60_000;

/** The base's checks, each in a fresh checkout of HEAD. */
async function checkFaults(
  { head }: RangeHistory,
  { alfred, environment: names, git, setup }: Settings,
  { call, environment, folder: root }: VerificationContext & { readonly call: GitCall },
): Promise<readonly Fault[]> {
  const tree = await gitLine(call, ["rev-parse", "--verify", "--end-of-options", `${head}^{tree}`]);
  const filters = async () => git.filters;
  const patienceMilliseconds = 2 * HOURS;
  const checks = openChecks({ root, environment, names, filters, setup: setup["."], patienceMilliseconds });
  const faults: Fault[] = [];
  for (const [name, command] of Object.entries(alfred.checks)) {
    const outcome = await checks.run(`verify-${newId()}`, command, { named: command, tree });
    const end = outcome.kind === "ended" ? outcome.exitCode : null;
    if (end === 0) continue;
    const message = `The base's check ${name} (${command}) ended with ${end ?? "no exit code"} on the files of ${head.slice(0, 12)}.`;
    faults.push({ rule: "check-failed", commit: head, message });
  }
  return faults;
}
