/**
 * The library: what a program needs to define a workflow, prove it, and run it. A line added here becomes public.
 */
export { ERROR_CODES, type ErrorCode, PawlError } from "./base/error.ts";
export type { Caller, EditKept, Happening, PawlEvent, RunAdvanced } from "./base/event.ts";
export { checkId, isId } from "./base/id.ts";
export { type ProjectPath, projectPath } from "./base/path.ts";
export type { Change, Editor, Entry, Git, GitLook, Outside, Store, View } from "./base/ports.ts";
export { type AlfredSettings, DEFAULT_SETTINGS, type Reviewer, type Settings } from "./base/settings.ts";
export { type Checkable, type CheckCounts, type CheckReport, check } from "./engine/check.ts";
export { decide } from "./engine/decide.ts";
export type { Violation, ViolationKind } from "./engine/violation.ts";
export type {
  Box,
  Command,
  Decision,
  EventDefinition,
  Fact,
  Facts,
  FactValue,
  Outcome,
  Position,
  Row,
  Setting,
  State,
  Workflow,
} from "./engine/workflow.ts";
export { advance, type Runtime } from "./runtime/advance.ts";
export type {
  Advance,
  Context,
  GateInput,
  HumanQuestion,
  LogLine,
  Moment,
  Prepared,
  Reply,
  Resource,
  RunOverview,
  Table,
  Tool,
  UserPrompt,
  Verb,
  VerbArgument,
  VerbOption,
  WorkflowModule,
} from "./workflows/module.ts";
