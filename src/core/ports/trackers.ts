/** Trackers: services with tasks. */
import type { TrackerSettings } from "../settings.ts";

export interface Trackers {
  /** Throws `tracker-unconfigured` if the environment lacks the tracker's address or credentials. */
  open(
    provider: "jira" | "linear" | "github",
    settings: Pick<TrackerSettings, "project" | "statuses">,
  ): Promise<Tracker>;
}

/** Every method throws `tracker-failed` if the tracker cannot be reached or refuses. */
export interface Tracker {
  /** The open tasks of a project or team; null: the person's own. */
  list(project: string | null): Promise<readonly TrackedTask[]>;
  read(id: string): Promise<TrackedTask | null>;
  /** Does nothing if the task already has the status. */
  setStatus(id: string, name: string): Promise<void>;
  /** Does nothing if a comment with the mark exists. */
  comment(id: string, mark: string, text: string): Promise<void>;
}

export interface TrackedTask {
  readonly id: string;
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  readonly status: string;
  readonly isDone: boolean;
  readonly priority: "critical" | "high" | "medium" | "low" | null;
  readonly dependencies: readonly string[];
  readonly url: string;
}
