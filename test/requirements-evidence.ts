import type { Requirement } from "./requirements.ts";

const GIT = "src/adapters/git/hostile-config.slow.test.ts";
const PROCESS = "src/adapters/process";

/** Children, git and evidence: what an agent can neither read, run nor fool. */
export const EVIDENCE: Readonly<Record<string, Requirement>> = {
  "children.environment": {
    says: "Every child gets an allow-list of the environment; credentials reach only the git that talks to a remote elsewhere.",
    source: "docs/security.md, The environment",
    tests: [
      `${PROCESS}/environment.test.ts: a check`,
      `${PROCESS}/environment.test.ts: an agent, with its own provider's variables`,
      `${PROCESS}/environment.test.ts: the one git that talks to a remote elsewhere, with the credentials`,
    ],
  },
  "children.masked": {
    says: "Known secrets are masked in what children print, before it is kept, shown or put into a prompt.",
    source: "docs/security.md, The environment",
    tests: [
      `${PROCESS}/redact.test.ts: never comes out of a stream, and the rest always does`,
      `${PROCESS}/environment.test.ts: is masked in a check's outcome and in its file, which only its owner can read`,
      `${PROCESS}/environment.test.ts: is masked in the output of verify and of an agent, on disk and in what is told`,
      `${PROCESS}/redact.test.ts: is found by its long lines where they are indented, however few they are`,
    ],
  },
  "inputs.masked": {
    says: "Known secrets are masked in what is said to Pawl before it is used, and in what Pawl shows; nobody's own file is rewritten for that.",
    source: "docs/security.md, The environment",
    tests: [
      "test/e2e/typed-secrets.test.ts: masks what an assistant types into an artifact, a note and a review, in files, logs, prompts and answers",
      "test/e2e/typed-secrets.test.ts: masks what is typed at the command line, and leaves a person's own file as it is",
      "test/e2e/bloom-outbox.slow.test.ts: says what would come of a call, and leaves it for the loop",
    ],
  },
  "git.runs-nothing": {
    says: "Pawl's git runs nothing that a repository's configuration names, and refuses by name what it cannot override.",
    source: "docs/security.md, Git",
    tests: [
      `${GIT}: settings that name a program`,
      `${GIT}: a merge driver, where both sides changed a file`,
      `${GIT}: a filter's %s`,
      `${GIT}: the repository's hooks`,
      `${GIT}: the configuration of a repository inside it`,
      `${GIT}: a setting that came after the last look`,
    ],
  },
  "git.filters": {
    says: "A filter runs only where the configuration names it, with the commands of the person's own git configuration.",
    source: "docs/configuration.md",
    tests: [
      `${GIT}: a filter that the person trusts runs by the person's own commands, whatever the repository says`,
    ],
  },
  "evidence.tree": {
    says: "Evidence is about the tree of the files themselves, against the commit at which the task began; nothing that a repository can be told hides a change.",
    source: "docs/alfred.md, Facts, not claims",
    tests: [
      "src/adapters/git/tree.test.ts: update-ref: the base is the commit that it was, and a branch that moved is told",
      "src/adapters/git/tree.test.ts: symbolic-ref",
      "src/adapters/git/tree.test.ts: git replace",
      "src/adapters/git/tree.test.ts: core.checkStat, with times and size as they were",
      "src/adapters/git/tree.test.ts: core.worktree: it is refused by name",
      "src/adapters/git/tree.test.ts: a file that only %s hides: it is named, and no part of the tree",
      "test/e2e/alfred-hostile.slow.test.ts: hides a file from git, by a flag, a list or a filter",
    ],
  },
  "evidence.checks": {
    says: "Checks run in a fresh checkout of the submitted tree, or visibly in the working folder.",
    source: "docs/alfred.md, Facts, not claims",
    tests: [
      "test/e2e/alfred-hostile.slow.test.ts: run in a fresh checkout of what was handed in, without ignored files, which is gone afterwards",
      "test/e2e/alfred-hostile.slow.test.ts: run in the working folder where the project says so, and the weaker strength is shown",
      "src/adapters/git/tree.test.ts: does not check out what only bears a tree's name",
    ],
  },
  "evidence.again": {
    says: "At the verdict the evidence is looked at again: changed work is found and not approved where evidence is required, and what was mended no longer differs.",
    source: "docs/alfred.md, Facts, not claims",
    tests: [
      "test/e2e/alfred-hostile.slow.test.ts: names code that changed after it was handed in, and does not approve it; put back, it is approved",
      "test/e2e/alfred-hostile.slow.test.ts: a finding is looked at again at the verdict: what was mended since no longer differs",
    ],
  },
  "agents.listed-commands": {
    says: "Over ACP a listed git command runs with listed options and paths inside the worktree only, and no edit goes through a link out of it.",
    source: "docs/security.md, Permissions",
    tests: [
      "src/adapters/agents/acp-policy.test.ts: refuses %s",
      "src/adapters/agents/acp-policy.test.ts: allows %s",
      "src/adapters/agents/acp-policy.test.ts: refuses an edit of %s",
    ],
  },
  "base.process-files": {
    says: "Tests, scripts, CI, lock files and configuration are told from the work itself.",
    source: "docs/alfred.md, Facts, not claims",
    tests: [
      "src/core/process-files.test.ts: leaves the work itself alone",
      "test/e2e/alfred-hostile.slow.test.ts: process files that the work changes are named first, by their kind",
    ],
  },
};
