/** Files of other tools, for an import. */
export interface Sources {
  /**
   * The file, or the files below the folder that may hold tasks. Paths are from the project's root, or else from the
   * repository or folder around. Links below a folder are not followed. Throws `import-invalid`.
   */
  read(path: string): Promise<readonly { readonly path: string; readonly text: string }[]>;
}

/** A forge's issues. Throws `forge-unconfigured` and `forge-failed`. */
export interface Issues {
  /** All of them, open and closed, as the forge's API gives them. `repository`: `owner/name`. */
  list(repository: string): Promise<readonly unknown[]>;
  read(repository: string, number: number): Promise<IssueState>;
  setState(repository: string, number: number, state: IssueState): Promise<void>;
}

export interface IssueState {
  readonly state: "open" | "closed";
  readonly reason: "completed" | "not_planned" | null;
}
