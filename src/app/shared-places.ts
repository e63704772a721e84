/** Which paths and runs of a project belong to Bloom, and so to the database if pawl.yaml puts them there. */
import type { Routes } from "../adapters/routed/store.ts";
import { GATES_FOLDER } from "../core/gate-record.ts";
import { LOOP_DONE, LOOP_RUNS } from "../core/loop-record.ts";
import { RECORDS } from "../runtime/run-log/team-records.ts";
import { ACCOUNTS } from "../workflows/bloom/agent-rest.ts";
import { ENVIRONMENTS } from "../workflows/bloom/environment.ts";
import { PLANS } from "../workflows/bloom/proposal/take-proposal.ts";
import { INBOX, QUESTIONS } from "../workflows/bloom/question.ts";

const GATES = `${GATES_FOLDER}/bloom`;
const FOLDERS = [LOOP_DONE, ENVIRONMENTS, QUESTIONS, INBOX, ".pawl/heads/bloom", `${RECORDS}/bloom`, GATES];

export function bloomsRoutes(tasksFile: string): Routes {
  const isBelow = (path: string) => FOLDERS.some((folder) => path.startsWith(`${folder}/`));
  return {
    isShared: (path) => path === tasksFile || path === ACCOUNTS || isRun(path) || isBelow(path),
    isSharedRun: (run) => run.startsWith("bloom:"),
    leadsToShared: (folder) => folder === LOOP_RUNS || FOLDERS.includes(folder) || isBelow(folder),
    // An accepted proposal is of no more use.
    mayFollow: (change) => change.type === "remove" && change.path.startsWith(`${PLANS}/`),
    // A person commits signed gates to git, with the work that they sign.
    isCopied: (path) => path.startsWith(`${GATES}/`),
  };
}

/** Own workflows have a folder each there. */
function isRun(path: string): boolean {
  return path.startsWith(`${LOOP_RUNS}/`) && /^[^/]+\.json$/.test(path.slice(LOOP_RUNS.length + 1));
}
