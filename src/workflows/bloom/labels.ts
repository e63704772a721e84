/**
 * Which tasks a worker serves. With `repo:PATH` or `agent:NAME` labels, it serves only those repositories or
 * agents. Every other label names a capability of the worker: a repository that requires labels is served
 * only by workers that have all of them.
 */
import { PawlError } from "../../core/error.ts";
import type { BloomSettings } from "../../core/settings.ts";
import type { Task } from "../../tasks-file/task.ts";
import { repoOf } from "./execution-context.ts";

export type Labels = readonly string[];

type Asking = Pick<BloomSettings, "agent" | "labels">;

const KINDS = ["repo", "agent"] as const;
const LABEL = /^(?:(?<kind>[^:]*):)?(?<name>[A-Za-z0-9._][A-Za-z0-9._/-]{0,99})$/;

/** Parses comma-separated labels, without duplicates. Throws `usage`. */
export function parseLabels(text: string): Labels {
  const labels = text
    .split(",")
    .map((each) => each.trim().replace(/^repo:\.\//, "repo:"))
    .filter((each) => each !== "");
  for (const label of labels) {
    const { kind } = LABEL.exec(label)?.groups ?? { kind: "" };
    if (kind === undefined || KINDS.some((each) => each === kind)) continue;
    throw new PawlError(
      "usage",
      `--labels: ${JSON.stringify(label)} is not a label; expected repo:PATH, agent:NAME, or a word such as gpu.`,
      "Put commas between labels: --labels repo:api,agent:claude,gpu.",
    );
  }
  return [...new Set(labels)].sort();
}

/** Of a worker whose machine cannot start the agent: it is one of its labels. */
export function without(agent: string): string {
  return `-agent:${agent}`;
}

/** The labels that the task needs and the worker lacks; empty: the worker serves the task. */
export function lackOf(labels: Labels, task: Task, settings: Asking): Labels {
  const required = asks(task, settings);
  return [
    ...required.kinds.filter((label) => {
      if (labels.includes(`-${label}`)) return true;
      const kind = label.slice(0, label.indexOf(":") + 1);
      return labels.some((each) => each.startsWith(kind)) && !labels.includes(label);
    }),
    ...required.words.filter((word) => !labels.includes(word)),
  ];
}

export function serves(labels: Labels | undefined, task: Task, settings: Asking): boolean {
  return labels === undefined || lackOf(labels, task, settings).length === 0;
}

/** Why no worker takes the task, in words; null: one does. */
export function whyUnserved(workers: readonly Labels[], task: Task, settings: Asking): string | null {
  if (workers.length === 0)
    return "there is no worker: `pawl worker` starts one, and `pawl run` takes it, too";
  if (workers.some((labels) => serves(labels, task, settings))) return null;
  const { kinds, words } = asks(task, settings);
  return `no worker serves ${[...kinds, ...words].join(" with ")}: \`pawl worker list\` lists them`;
}

/** A task without a repository works in the project's root, which every worker has. */
function asks(task: Task, settings: Asking): { readonly kinds: Labels; readonly words: Labels } {
  const repo = repoOf(task);
  const words = repo !== null && Object.hasOwn(settings.labels, repo) ? settings.labels[repo] : undefined;
  return {
    kinds: [...(repo === null ? [] : [`repo:${repo}`]), `agent:${task.agent ?? settings.agent}`],
    words: words ?? [],
  };
}
