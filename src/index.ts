/**
 * The library: what a program needs to define a workflow, prove it, run it, and put something of its own in the place
 * of an agent or a tracker. A line added here becomes public.
 */

export type { AgentFunction, AgentFunctions, AgentTurn } from "./adapters/agents/function-agents.ts";
export { type MemoryStore, openMemoryStore } from "./adapters/memory/memory-store.ts";
export {
  type OpenOptions,
  type OpenProject,
  openProject,
  type RunReply,
  type SendOptions,
  type VerdictOptions,
  type WorkOptions,
} from "./app/library.ts";
export type { BloomEvent } from "./core/bloom-event.ts";
export { ERROR_CODES, type ErrorCode, PawlError } from "./core/error.ts";
export type { Caller, EditKept, PawlEvent, ProjectEvent, RunAdvanced } from "./core/event.ts";
export { checkId, isId } from "./core/id.ts";
export { type ProjectPath, projectPath } from "./core/path.ts";
export type {
  AgentEnd,
  AgentEvent,
  AgentFailure,
  AgentFound,
  AgentLimits,
  AgentOrder,
  AgentRun,
  Agents,
  AgentUsage,
  DeferredCall,
  Permission,
  PermissionQuestion,
} from "./core/ports/agents.ts";
export type { Cache } from "./core/ports/cache.ts";
export type { CheckOptions, CheckOutcome, Checks } from "./core/ports/checks.ts";
export type { Clock } from "./core/ports/clock.ts";
export type { Files } from "./core/ports/files.ts";
export type {
  ChangedFile,
  DiffOrder,
  FileDiff,
  Git,
  GitChanges,
  GitCommits,
  GitDiff,
  GitState,
  PinnedBase,
  Snapshot,
} from "./core/ports/git.ts";
export type { LoopEnd } from "./core/ports/loop-end.ts";
export type { Outside } from "./core/ports/outside.ts";
export type {
  ForgeFailure,
  PullRequestEnsured,
  PullRequestOrder,
  PullRequestState,
  PullRequests,
  WatchedPull,
} from "./core/ports/pull-requests.ts";
export type { FetchFailure, Reference, ReferenceFetch, References } from "./core/ports/references.ts";
export type {
  PullRequest,
  Remark,
  ReviewFetch,
  ReviewMissing,
  ReviewPart,
  Reviews,
} from "./core/ports/reviews.ts";
export type { Change, Editor, Entry, Store, View } from "./core/ports/store.ts";
export type { AgentFolder } from "./core/ports/worktrees.ts";
export { type AlfredSettings, DEFAULT_SETTINGS, type Reviewer, type Settings } from "./core/settings.ts";
export { type Checkable, type CheckCounts, type CheckReport, check } from "./engine/check.ts";
export { decide, initialConfiguration } from "./engine/decide.ts";
export { renderMermaid, renderTable } from "./engine/diagram.ts";
export { fillBlocked, type Guard, guard } from "./engine/guard.ts";
export { checkReachable } from "./engine/reach.ts";
export {
  type DescribedState,
  makeReviewMachine,
  type ReviewedWork,
  type ReviewMachine,
  type ReviewPlan,
  type ReviewPolicy,
} from "./engine/review.ts";
export type { Violation, ViolationKind } from "./engine/violation.ts";
export type {
  Box,
  Command,
  Configuration,
  Decision,
  EventDefinition,
  Fact,
  Facts,
  FactValue,
  GitAct,
  Outcome,
  Rule,
  Setting,
  State,
  StateScope,
  Workflow,
  Writes,
} from "./engine/workflow.ts";
export { renderXState, type XStateConfig, xstateConfig } from "./engine/xstate.ts";
export { type Runtime, runTransaction } from "./runtime/transaction/run-transaction.ts";
export type {
  AfterCommit,
  CacheEntry,
  Context,
  Elsewhere,
  HumanQuestion,
  LogLine,
  Now,
  OpenQuestion,
  Proposal,
  Reply,
  RunOverview,
  Transaction,
} from "./runtime/transaction/transaction.ts";
export { defineWorkflow } from "./workflows/custom/define.ts";
export type {
  Awaited,
  Definition,
  FactSource,
  Gate,
  RunCommand,
  StateHint,
} from "./workflows/custom/definition/definition.ts";
export type {
  Defined,
  DraftEvent,
  DraftState,
  DraftTable,
  WorkflowDraft,
} from "./workflows/custom/definition/draft.ts";
export type { FactFunction, FunctionCall, RuleFunction } from "./workflows/custom/definition/functions.ts";
