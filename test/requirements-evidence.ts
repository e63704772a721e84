import type { Requirement } from "./requirements.ts";

/** Children, git and evidence: what an agent can neither read, run nor fool. */
export const EVIDENCE = {
  "children.environment": {
    says: "Every child gets an allow-list of the environment; credentials reach only the git that talks to a remote elsewhere.",
    source: "docs/security.md, Tokens in a child's environment",
  },
  "programs.found-once": {
    says: "Git, shells, agents and helpers are found once, outside of projects and of folders that others may write, and started by their absolute path.",
    source: "docs/security.md, A planted program",
  },
  "children.masked": {
    says: "Known secrets are masked in what children print, before it is kept, shown or put into a prompt.",
    source: "docs/security.md, Tokens in output",
  },
  "inputs.masked": {
    says: "Known secrets are masked in what is said to Pawl before it is used, and in what Pawl shows; nobody's own file is rewritten for that.",
    source: "docs/security.md, Tokens in output",
  },
  "git.runs-nothing": {
    says: "Pawl's git runs nothing that a repository's configuration names, and refuses by name what it cannot override.",
    source: "docs/security.md, Git runs what an agent configured",
  },
  "git.filters": {
    says: "A filter runs only where the configuration names it, with the commands of the person's own git configuration.",
    source: "docs/configuration.md",
  },
  "evidence.tree": {
    says: "Evidence is about the tree of the files themselves, against the commit at which the task began; nothing that a repository can be told hides a change.",
    source: "docs/alfred.md, Facts, not claims",
  },
  "evidence.checks": {
    says: "Checks run in a fresh checkout of the submitted tree, or visibly in the working folder.",
    source: "docs/alfred.md, Facts, not claims",
  },
  "evidence.again": {
    says: "At the verdict the evidence is looked at again: changed work is found and not approved where evidence is required, and what was mended no longer differs.",
    source: "docs/alfred.md, Facts, not claims",
  },
  "agents.listed-commands": {
    says: "Over ACP a listed git command runs with listed options and paths inside the workspace only, and no edit goes through a link out of it.",
    source: "docs/security.md, An allowed command does more",
  },
  "base.process-files": {
    says: "Tests, scripts, CI, lock files and configuration are told from the work itself.",
    source: "docs/alfred.md, Facts, not claims",
  },
} satisfies Record<string, Requirement>;
