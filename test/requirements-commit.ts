import type { Requirement } from "./requirements.ts";

const STORE = "src/adapters/files";
const RUN_EVENT = "src/runtime/run-event.test.ts";
const LINKS = "test/links.test.ts";
const FOREIGN = "test/e2e/foreign-journal.test.ts";

/** Whose commits count, and what they may touch. */
export const TRUSTED_COMMITS: Readonly<Record<string, Requirement>> = {
  "commit.foreign-journal": {
    says: "A journal that this project did not write is never applied: it is set aside and told once, and reading, committing and MCP go on.",
    source: "docs/commit.md, Whose commits count",
    tests: [
      `${FOREIGN}: is not applied by a command that only reads, which leaves it there and says so`,
      `${FOREIGN}: is not applied by serving MCP, which works as ever`,
      `${FOREIGN}: is set aside by the first commit, told of once, and never replayed`,
      `${FOREIGN}: is shown by \`pawl repair\`, with what it would write`,
      `${FOREIGN}: of another checkout, copied byte for byte, is not applied`,
      `${FOREIGN}: of a project that was moved is set aside, and shown by \`pawl repair\``,
    ],
  },
  "commit.accept": {
    says: "A person at a terminal, and nobody else, may take over what a foreign journal would write, after seeing each file that changes; never a path outside, git's or the store's own.",
    source: "docs/commit.md, Whose commits count",
    tests: [
      `${FOREIGN}: is accepted by a person at a terminal, who sees which files it changes, and how`,
      `${FOREIGN}: is accepted by nobody else: no agent, no script, no person who says no`,
      `${FOREIGN}: is accepted by nobody where it names %s, not even its other files`,
      `${FOREIGN}: writes nothing through a link that stands on its way`,
    ],
  },
  "commit.chain": {
    says: "Records of a journal cannot be left out, reordered, appended to by others, or brought back after it was trimmed.",
    source: "docs/commit.md, Whose commits count",
    tests: [
      `${STORE}/record.test.ts: cannot be made of own ones by leaving one out, by another order, or by mixing two journals`,
      `${STORE}/record.test.ts: from an earlier journal of the same project are foreign`,
      `${FOREIGN}: of the same project, brought back after it was settled, is not applied`,
      `${FOREIGN}: that others appended to counts as far as it is this project's own`,
    ],
  },
  "commit.key": {
    says: "The project's key is made once, outside the project, for this user only; where it cannot be kept, nothing is committed.",
    source: "docs/commit.md, Whose commits count",
    tests: [
      `${STORE}/vault-between-processes.test.ts: is one, however many processes make it at once`,
      `${STORE}/vault.test.ts: is whole or absent, wherever its maker dies, the power is cut or the disk refuses`,
      `${STORE}/vault.test.ts: that is damaged is an error, and stays as it is`,
      `${FOREIGN}: holds a key that only this user can read`,
      `${FOREIGN}: that cannot be written stops a commit before anything is written, and says what to do`,
      `${FOREIGN}: in which this user may not write stops a commit and the keeping of trust, and nothing that only reads`,
    ],
  },
  "commit.paths": {
    says: "No record and no change names git's folder, in any spelling that some file system takes for it, or lends more than permission to read, write and run.",
    source: "docs/commit.md, Whose commits count",
    tests: [
      "src/core/path.test.ts: refuses %j and says why",
      `${STORE}/record.test.ts: that name %s with mode %s are never good, whatever their MAC`,
    ],
  },
  "commit.own-files": {
    says: "No link at .pawl or at anything in it is followed by anybody who writes there; the error names the link.",
    source: "docs/security.md, Files that a clone brings",
    tests: [
      `${LINKS}: %s is refused by its name (writer %i), and nothing is written behind it`,
      `${LINKS}: as an agent's output or the loop's program is not written through`,
      `${LINKS}: of the journal, and of what is kept, stops the commit`,
    ],
  },
  "commit.cache": {
    says: "What Pawl parsed of the settings and of tasks.yaml is kept outside of the project, for exactly the text it was parsed from; whatever is wrong with it costs time only.",
    source: "docs/threats.md, A planted cache",
    tests: [
      `${STORE}/cache.test.ts: gives back what was worked out of exactly this text, in another process's place too`,
      `${STORE}/cache.test.ts: takes a file that was cut short for none`,
      `${STORE}/cache.test.ts: is written by a process that ends, though its time has not come`,
      "src/config/config.test.ts: is parsed once for all commands, until a file or the program changes",
      "test/e2e/bloom-tasks.test.ts: reads a file that a person saved since as it is, whatever the cache holds",
      "test/e2e/bloom-tasks.test.ts: believes no cache that came with the project",
    ],
  },
  "commit.after-commit-logged": {
    says: "What fails after a commit, and so cannot fail the call, is said in the reply and logged in .pawl/failures.log.",
    source: "docs/commit.md, What lies in .pawl",
    tests: [
      "src/runtime/run-transaction.test.ts: stands when what follows the commit fails, and says and logs why",
      `${RUN_EVENT}: has moved the run whatever becomes of it; that it failed is in the reply and in the log`,
    ],
  },
  "commit.one-way": {
    says: "Every event goes one way: checked with the lawful events in the refusal, only what its rules mention observed, decided again where what was read has changed, told by one run:advanced.",
    source: "docs/architecture.md, One event",
    tests: [
      `${RUN_EVENT}: moves the run, and is told by one event in the same commit`,
      `${RUN_EVENT}: observes only what a rule for it mentions`,
      `${RUN_EVENT}: is refused before anything is observed where %s`,
      `${RUN_EVENT}: is refused with the events that the run does take, and whose they are`,
      `${RUN_EVENT}: is decided again where what was read has changed by the commit`,
      `${RUN_EVENT}: of many at once is decided %s`,
      "test/architecture.test.ts: makes run:advanced in one place, for every workflow",
      `${RUN_EVENT}: sends what is called for after the commit, and answers with that`,
    ],
  },
  "commit.untracked": {
    says: "A repository that tracks files of .pawl/ is only read; a branch whose commits hold some, in any spelling, is not merged.",
    source: "docs/security.md, Files that a clone brings",
    tests: [
      `${FOREIGN}: (%s, index version %s) is read with a warning, and nothing is committed in it`,
      "src/adapters/git/worktrees.test.ts: is not merged where a commit of it holds %s, be it only in between",
      "src/adapters/git/worktrees.test.ts: is not merged where a repository inside is a bare link; a submodule is",
    ],
  },
  "state-home.unreadable": {
    says: "What is kept outside the project and cannot be read, or is not what was kept, is an error that names the file, never taken for nothing.",
    source: "docs/trust.md, What governs a run",
    tests: [
      "src/adapters/policies/policies.test.ts: and %s is an error that names its file and what to do, never none",
      "test/e2e/policy.slow.test.ts: is held where the policy that was kept %s",
      "src/adapters/git/discover.test.ts: whose index cannot be read is asked of git, not taken for one without such files",
    ],
  },
  "project.repository": {
    says: "A folder's repository is the one that git finds: a `.git` that is none, an empty one say, is passed over.",
    source: "git, repository layout",
    tests: [
      "src/adapters/git/discover.test.ts: is the one that git finds, where %s stands in .git",
      "src/adapters/git/discover.test.ts: is the one whose index tells that files of .pawl/ are tracked, past an empty .git",
      "src/config/project-root.test.ts: is the repository around for who may make one, past a folder .git that is no repository",
    ],
  },
};
