/** Files of other tools, for an import. */
export interface Sources {
  /**
   * The file, or the files below the folder that may hold tasks. Paths are from the project's root, or
   * otherwise from the nearest repository or folder above. Links below a folder are not followed. Throws
   * `import-invalid`.
   */
  read(path: string): Promise<readonly { readonly path: string; readonly text: string }[]>;
}

/** A forge's issues. Throws `forge-unconfigured` and `forge-failed`. */
export interface Issues {
  /**
   * All of them, open and closed, in the form of the forge's API; an open one that others block has them in
   * `blockedBy`. `repository`: `owner/name`.
   */
  list(repository: string): Promise<readonly unknown[]>;
  read(repository: string, number: number): Promise<IssueState>;
  setState(repository: string, number: number, state: IssueState): Promise<void>;
}

export interface IssueState {
  readonly state: "open" | "closed";
  readonly reason: "completed" | "not_planned" | null;
}
