/** The hooks of the project's repository that call the guard before a commit and a push. */

export const GUARDED_HOOKS = ["pre-commit", "pre-push"] as const;
export type GuardedHook = (typeof GUARDED_HOOKS)[number];

export interface GitHooks {
  /** Where they are, and whether they call the guard. */
  inspect(): Promise<GitHooksState>;
  /** Puts the guard into each hook, before the hook's own work. */
  install(): Promise<GitHooksChange>;
  /** Removes what `install` added. */
  uninstall(): Promise<GitHooksChange>;
}

export type GitHooksState =
  | {
      readonly kind: "found";
      /** Absolute. */
      readonly folder: string;
      readonly hooks: readonly HookState[];
    }
  /** Pawl leaves the hooks alone. `reason`: one sentence. */
  | { readonly kind: "left"; readonly reason: string };

export interface HookState {
  readonly name: GuardedHook;
  /** Absolute. */
  readonly path: string;
  /** Null: there is none. */
  readonly text: string | null;
  /**
   * `whole`: it begins with exactly the lines that Pawl writes here. `differs`: it has other lines of the
   * guard.
   */
  readonly guard: "whole" | "differs" | "none";
  /** A hook of only these lines. */
  readonly script: string;
}

export type GitHooksChange =
  | {
      readonly kind: "done";
      readonly folder: string;
      readonly changed: readonly string[];
      /** Hooks that Pawl moved aside and does not move back, because they have been changed since. */
      readonly left: readonly string[];
    }
  | { readonly kind: "left"; readonly reason: string };
