/** Work for the loop, and what must be so after it however often the loop was killed. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { parse } from "yaml";
import { MARK } from "../../src/adapters/agents/mark.ts";
import { type BloomOptions, type BloomProject, bloomProject, type Ran } from "./bloom-project.ts";
import { PullRequestServer } from "./pull-request-server.ts";
import { mergePull, shop } from "./pull-request-shop.ts";
import { hangs } from "./until.ts";

export interface Scenario extends BloomOptions {
  /** What is there before the first run. */
  readonly prepare?: (project: BloomProject) => void;
  /** What a person does once the loop rests; false: nothing is left for them. */
  readonly person?: (project: BloomProject) => boolean;
  /** What the forge's checks find at a run's end; false: nothing. */
  readonly checks?: (forge: PullRequestServer) => boolean;
  /** With a forge, whose repository is the project's remote, and on which a person merges what is open at a run's end. */
  readonly forge?: true;
}

/** The same work behind the wall, where its steps can still tell when they begin and are done. */
export function behindWall(scenario: Scenario): Scenario {
  const { project } = scenario;
  return { ...scenario, project: { ...project, sandbox: { kind: "bwrap", write: ["../ran.txt"] } } };
}

/** A step that says when it begins, does its work once, and says when it was marked. */
const step = (id: string, work: string) => `  - id: ${id}
    instruction: |
      RUN: echo begin ${id} >> "$PAWL_PROJECT/../ran.txt"
      RUN: ${work}; git add -A; git diff --cached --quiet || git commit -qm ${id}
      RUN: bloom step done ${id} && echo done ${id} >> "$PAWL_PROJECT/../ran.txt"
`;
const ONCE = "git add -A; git diff --cached --quiet || git commit -qm";

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  dependent: {
    tasks: `# Ours
git: {push_to_remote: true, auto_cleanup_merged: true}
tasks:
- id: T1
  title: Build # it
  repo: .
  branch: feat/x
  merge_into: main
  verify: ["test -f a.txt"]
  steps:
${step("s1", "echo a > a.txt")}${step("s2", "echo b > b.txt")}- id: T2
  title: Then this
  repo: .
  merge_into: main
  depends_on: [T1]
  steps:
${step("s3", "cp b.txt c.txt")}${step("s4", "echo d > d.txt")}`,
  },
  "pull-request": {
    forge: true,
    tasks: `git: {push_to_remote: true, auto_cleanup_merged: true}
tasks:
- id: T1
  title: Add it
  repo: .
  branch: feat/x
  base_branch: main
  open_pr: true
  steps:
${step("s1", "echo a > a.txt")}`,
  },
  "comes-back": {
    forge: true,
    checks(forge) {
      const sha = forge.heads("feat/x") ?? "";
      if (forge.checks.length > 0) return false;
      forge.checks.push({ id: 1, name: "lint", sha, conclusion: "failure", app: "lint" });
      return true;
    },
    tasks: `git: {push_to_remote: true, auto_cleanup_merged: true}
tasks:
- id: T1
  title: Add it
  repo: .
  branch: feat/x
  base_branch: main
  open_pr: true
  verify: ["test -s a.txt"]
  steps:
${step("s1", "test -f a.txt || echo a > a.txt")}`,
    answers: { "## Your pull request came back": `RUN: echo b > a.txt; ${ONCE} mended` },
  },
  conflict: {
    prepare: (project) => void project.git("branch", "old"),
    tasks: `git: {push_to_remote: true, auto_cleanup_merged: true}
tasks:
- id: T1
  title: One
  repo: .
  merge_into: main
  steps:
${step("s1", "echo one > same.txt")}- id: T2
  title: Two
  repo: .
  base_branch: old
  merge_into: main
  depends_on: [T1]
  verify: ["grep -q two same.txt"]
  steps:
${step("s2", "git cat-file -e HEAD:same.txt 2>/dev/null || echo two > same.txt")}`,
    answers: {
      "## Conflicts with main": `RUN: printf 'one\\ntwo\\n' > same.txt; git add -A; test ! -f "$(git rev-parse --git-dir)/MERGE_HEAD" || git commit -qm resolved`,
    },
  },
  repair: {
    tasks: `git: {push_to_remote: true}
tasks:
- id: T1
  title: Answer
  repo: .
  merge_into: main
  verify: ["grep -q right a.txt"]
  steps:
${step("s1", "test -f a.txt || echo wrong > a.txt")}${step("s2", "echo b > b.txt")}`,
    answers: { "## A check failed": `RUN: echo right > a.txt; ${ONCE} repaired` },
  },
  get environment() {
    return ENVIRONMENT;
  },
  get "target-red"() {
    return RED_TARGET;
  },
};

/** Main fails its own check until a person mends it. */
const RED_TARGET: Scenario = {
  prepare(project) {
    project.write("check.sh", "test -f good || { echo good is missing; exit 1; }\n");
    project.git("add", "check.sh");
    project.git("commit", "-qm", "A check");
    project.git("push", "-q");
  },
  person(project) {
    if (project.read("good") !== null) return false;
    project.git("pull", "-q", "--ff-only");
    project.write("good", "");
    project.git("add", "good");
    project.git("commit", "-qm", "Good again");
    project.git("push", "-q");
    return true;
  },
  tasks: `git: {push_to_remote: true, auto_cleanup_merged: true}
tasks:
- id: T1
  title: One
  repo: .
  merge_into: main
  verify: ["sh check.sh"]
  steps:
${step("s1", "echo a > a.txt")}- id: T2
  title: Two
  repo: .
  merge_into: main
  verify: ["sh check.sh"]
  depends_on: [T1]
  steps:
${step("s2", "echo b > b.txt")}`,
};

/** A task's own environment: a process that holds a file, written down when it is made and when it is taken away. */
const ENVIRONMENT: Scenario = {
  project: {
    environment: {
      ports: 1,
      up: `echo "up $PAWL_NAME" >> ../made.txt; mkdir "../$PAWL_NAME"; (${hangs()}) > /dev/null 2>&1 & echo $! > "../$PAWL_NAME/pid"`,
      down: `echo "down $PAWL_NAME" >> ../made.txt; kill "$(cat "../$PAWL_NAME/pid")"; rm -r "../$PAWL_NAME"`,
    },
  },
  tasks: `git: {push_to_remote: true, auto_cleanup_merged: true}
tasks:
- id: T1
  title: One
  repo: .
  merge_into: main
  verify: ['test -d "$PAWL_PROJECT/../$PAWL_NAME" || test -n "$PAWL_PORT_1"']
  steps:
${step("s1", "echo a > a.txt")}- id: T2
  title: Two
  repo: .
  merge_into: main
  depends_on: [T1]
  steps:
${step("s2", "echo b > b.txt")}`,
};

export interface Proof extends AsyncDisposable {
  readonly project: BloomProject;
  /** What is not as after an undisturbed run. */
  faults(calm: Proof): readonly string[];
  /** Lets the person do what the work waits for; false: nothing. */
  goOn(): boolean;
  readonly end: () => object;
  readonly forge: PullRequestServer | null;
}

export async function openProof(scenario: Scenario): Promise<Proof> {
  const forge = scenario.forge ? await PullRequestServer.open("acme/shop") : null;
  const project = forge ? shop(forge, scenario) : bloomProject(scenario);
  scenario.prepare?.(project);
  project.write("../ran.txt", "");
  // Every change of a ref: a push that was made twice would show.
  project.remoteGit("config", "core.logAllRefUpdates", "always");
  const end = () => endOf(project, forge);
  return {
    project,
    forge,
    end,
    faults: (calm) => [
      ...differences(end(), calm.end()),
      ...leftBehind(project),
      ...ranAgain(project),
      ...madeUnevenly(project),
    ],
    goOn: () =>
      scenario.person?.(project) ??
      (forge === null ? false : (scenario.checks?.(forge) ?? false) || mergeThere(project, forge)),
    async [Symbol.asyncDispose]() {
      project[Symbol.dispose]();
      await forge?.[Symbol.asyncDispose]();
    },
  };
}

/** Runs to the end, a person's part included; null when `run` was ended by a signal. */
export async function runToEnd(proof: Proof, run: () => Promise<Ran>): Promise<Ran | null> {
  for (;;) {
    const ran = await run();
    if (ran.signal !== null) return null;
    if (ran.code === 0) return ran;
    if ((ran.code !== 3 && ran.code !== 1) || !proof.goOn())
      throw new Error(`the run ended with ${ran.code}: ${JSON.stringify(ran.events.at(-1))} ${ran.err}`);
  }
}

function mergeThere(project: BloomProject, forge: PullRequestServer): boolean {
  const pull = forge.pulls.find(({ state }) => state === "open");
  if (!pull) return false;
  mergePull(project, forge, pull);
  return true;
}

// ── The end ──────────────────────────────────────────────────────────────────────────────────────────────────────

function endOf(project: BloomProject, forge: PullRequestServer | null) {
  const text = (project.read("tasks.yaml") ?? "").replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
  const refs = (git: BloomProject["git"]) =>
    git("for-each-ref", "--format=%(refname)", "refs/heads").split("\n");
  return {
    tasks: parse(text),
    // The order in which keys were added may differ, the lines may not.
    lines: text.split("\n").sort(),
    tree: project.git("rev-parse", "main^{tree}"),
    history: history(project.git),
    remoteHistory: history(project.remoteGit),
    branches: refs(project.git),
    remoteBranches: refs(project.remoteGit),
    taskBranches: refs(project.hub),
    workspaces: namesIn(dirname(project.hubFolder())),
    pushes: refs(project.remoteGit).map((ref) => `${ref} ${movesOf(project, ref)}`),
    pulls: forge?.pulls.map(({ number, head, base, state }) => `${number} ${head} ${base} ${state}`),
    opened: forge?.opened,
    completed: project
      .stored()
      .flatMap(({ type, taskId, stepId }) =>
        ["step:completed", "merge:completed", "git:pr_opened", "git:pr_merged", "task:completed"].includes(
          type,
        )
          ? [`${type} ${taskId} ${stepId ?? ""}`]
          : [],
      ),
  };
}

/** How often the remote's branch was moved. */
function movesOf(project: BloomProject, ref: string): number {
  const log = join(project.root, "../remote.git/logs", ref);
  return existsSync(log) ? readFileSync(log, "utf8").trim().split("\n").length : 0;
}

/** Each commit of main by its subject and those of its parents. */
function history(git: BloomProject["git"]): readonly string[] {
  const commits = git("log", "--topo-order", "--format=%H\t%P\t%s", "main")
    .split("\n")
    .map((line) => line.split("\t"));
  const subjects = new Map(commits.map(([hash = "", , subject]) => [hash, subject]));
  const parents = (hashes = "") => hashes.split(" ").map((hash) => subjects.get(hash) ?? "");
  return commits.map(([, hashes, subject]) => `${subject} <- ${parents(hashes).join(" + ")}`);
}

function differences(found: object, expected: object): readonly string[] {
  return Object.entries(expected).flatMap(([key, value]) => {
    const own = (found as Record<string, unknown>)[key];
    return isDeepStrictEqual(own, value)
      ? []
      : [`${key}: expected ${JSON.stringify(value)}, found ${JSON.stringify(own)}`];
  });
}

// ── What must not be there ───────────────────────────────────────────────────────────────────────────────────────

export function leftBehind(project: BloomProject): readonly string[] {
  const names = (folder: string) => namesIn(join(project.root, folder));
  const hub = project.hubFolder();
  const gitLocks = [join(project.root, ".git"), join(project.root, "../remote.git"), hub].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".lock")),
  );
  const packs = namesIn(hub).filter((name) => name.startsWith("incoming-"));
  return [
    ...names(".pawl/claims").map((name) => `claim left behind: ${name}`),
    ...names(".pawl/environments").map((name) => `environment left behind: ${name}`),
    ...names(".pawl/runs").map((name) => `run left behind: ${name}`),
    ...gitLocks.map((name) => `lock left behind: ${name}`),
    ...packs.map((name) => `pack left behind: ${name}`),
    ...orphans(project.root).map((each) => `process left behind: ${each}`),
  ];
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : [];
}

/** Processes that bear a mark of the project. */
export function orphans(root: string): readonly string[] {
  const mark = createHash("sha256").update(root).digest("hex").slice(0, 16);
  return readdirSync("/proc").flatMap((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
      if (!environment.includes(`${MARK}=`) || !environment.includes(`${mark}.`)) return [];
      return [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ")];
    } catch {
      // No process, or gone meanwhile.
      return [];
    }
  });
}

/** Environments that were made and not taken away before the next, or taken away twice. */
function madeUnevenly(project: BloomProject): readonly string[] {
  const last = new Map<string, string>();
  const faults: string[] = [];
  for (const line of (project.read("../made.txt") ?? "").trim().split("\n")) {
    const [word = "", name = ""] = line.split(" ");
    if (name !== "" && (last.get(name) ?? "down") === word) faults.push(`${name} is ${word} twice in a row`);
    last.set(name, word);
  }
  for (const [name, word] of last) if (word === "up") faults.push(`${name} is left`);
  return faults;
}

/** Steps that began again after they were marked. */
function ranAgain(project: BloomProject): readonly string[] {
  const done = new Set<string>();
  const again: string[] = [];
  for (const line of (project.read("../ran.txt") ?? "").trim().split("\n")) {
    const [word = "", id = ""] = line.split(" ");
    if (word === "done") done.add(id);
    else if (done.has(id)) again.push(`step ${id} ran again after it was done`);
  }
  if (done.size === 0) again.push("no step ran");
  return again;
}

// ── Kills ────────────────────────────────────────────────────────────────────────────────────────────────────────

export type Side = "before" | "after";

/** Kills every run at its nth move, with 1 so that the runs together are killed at each. Tells how many there were. */
export async function killAtMoves(proof: Proof, side: Side, n: number): Promise<number> {
  const { project } = proof;
  for (let kills = 0; kills < 200; kills++) {
    const run = () => project.runKilledAt(n, side);
    if ((await runToEnd(proof, run)) !== null) return kills;
    // Killed before it, the move is still ahead: one run makes it, and is killed after it.
    if (side === "before") await runToEnd(proof, () => project.runKilledAt(1, "after"));
  }
  throw new Error("it never came to an end");
}

/** Kills a run at each of git's commands that write, once. */
export async function killAtEachGit(proof: Proof, side: Side): Promise<number> {
  for (let kills = 0; kills < 200; kills++)
    if ((await runToEnd(proof, () => proof.project.runStruck({ side }))) !== null) return kills;
  throw new Error("it never came to an end");
}

/** Kills one run at its nth commit, then lets one go on. False: there are fewer. */
export async function killAtCommit(proof: Proof, n: number, side: Side): Promise<boolean> {
  const struck = (await runToEnd(proof, () => proof.project.runKilledAt(n, side, "commit"))) === null;
  if (struck) await runToEnd(proof, () => proof.project.run());
  return struck;
}
