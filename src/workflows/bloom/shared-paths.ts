/** What of Bloom's state is in the database where pawl.yaml puts its work there, beside its runs and the tasks file. */
import { GATES_FOLDER } from "../../core/gate-record.ts";
import { LIVES, LOOP_DONE } from "../../core/loop-record.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import { RECORDS } from "../../runtime/run-log/team-records.ts";
import { ACCOUNTS } from "../../scheduler/agent-rest.ts";
import { PROGRESS } from "../../tasks-file/progress.ts";
import { ENVIRONMENTS } from "./environment.ts";
import { INBOX, QUESTIONS } from "./question.ts";

export const SHARED_FILES: readonly ProjectPath[] = [PROGRESS, ACCOUNTS];

export const BLOOMS_GATES = projectPath(GATES_FOLDER, "bloom");

export const SHARED_FOLDERS: readonly ProjectPath[] = [
  ...[LOOP_DONE, LIVES, ENVIRONMENTS, QUESTIONS, INBOX, BLOOMS_GATES],
  ...[projectPath(".pawl/log/bloom"), projectPath(RECORDS, "bloom")],
];
