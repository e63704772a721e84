import type { Requirement } from "./requirements.ts";

/** Whose commits count, and what they may touch. */
export const TRUSTED_COMMITS = {
  "commit.foreign-journal": {
    says: "A journal that this project did not write is never applied: it is set aside and told once, and reading, committing and MCP go on.",
    source: "docs/internals/commit.md, Whose commits count",
  },
  "commit.accept": {
    says: "A person at a terminal, and nobody else, may take over what a foreign journal would write, after seeing each file that changes; never a path outside, git's or the store's own.",
    source: "docs/internals/commit.md, Whose commits count",
  },
  "commit.chain": {
    says: "Records of a journal cannot be left out, reordered, appended to by others, or brought back after it was trimmed.",
    source: "docs/internals/commit.md, Whose commits count",
  },
  "commit.key": {
    says: "The project's key is made once, outside the project, for this user only; where it cannot be kept, nothing is committed.",
    source: "docs/internals/commit.md, Whose commits count",
  },
  "commit.paths": {
    says: "No record and no change names git's folder, in any spelling that some file system takes for it, or lends more than permission to read, write and run.",
    source: "docs/internals/commit.md, Whose commits count",
  },
  "commit.own-files": {
    says: "No link at .pawl or at anything in it is followed by anybody who writes there; the error names the link.",
    source: "docs/security.md, Links in Pawl's own folder",
  },
  "commit.cache": {
    says: "What Pawl parsed of the settings and of tasks.yaml is kept outside of the project, for exactly the text it was parsed from; whatever is wrong with it costs time only.",
    source: "docs/security.md, A planted cache",
  },
  "commit.after-commit-logged": {
    says: "What fails after a commit, and so cannot fail the call, is said in the reply and logged in .pawl/failures.log.",
    source: "docs/internals/commit.md, What is in .pawl/",
  },
  "commit.one-way": {
    says: "Every event goes one way: checked with the lawful events in the refusal, only what its rules mention observed, decided again where what was read has changed, told by one run:advanced.",
    source: "docs/internals/architecture.md, One event",
  },
  "commit.untracked": {
    says: "A repository that tracks files of .pawl/ is only read; a branch whose commits hold some, in any spelling, is not merged.",
    source: "docs/security.md, Pawl's folder in a repository",
  },
  "state-home.unreadable": {
    says: "What is kept outside the project and cannot be read, or is not what was kept, is an error that names the file, never taken for nothing.",
    source: "docs/trust.md, What governs a run",
  },
  "project.repository": {
    says: "A folder's repository is the one that git finds: a `.git` that is none, an empty one say, is passed over.",
    source: "git, repository layout",
  },
} satisfies Record<string, Requirement>;
