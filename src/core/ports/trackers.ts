/** Trackers: where tasks may live. */

export interface Trackers {
  /** Throws `tracker-unconfigured` where the environment does not say how to reach it. */
  open(provider: "jira" | "linear"): Promise<Tracker>;
}

/** Every method throws `tracker-failed` where the tracker cannot be reached or refuses. */
export interface Tracker {
  /** The open tasks of a project or team; null: the person's own. */
  list(project: string | null): Promise<readonly TrackedTask[]>;
  read(id: string): Promise<TrackedTask | null>;
  /** Looks first: nothing happens where the task has the status. */
  setStatus(id: string, name: string): Promise<void>;
  /** Looks first: nothing happens where a comment with the mark is there. */
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
