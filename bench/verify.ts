/**
 * `pawl verify` of a repository with three merged tasks of 50 commits each, every one approved at a signed gate, without
 * running checks again. Target: 2 s.
 *
 * Measured: the whole process, on a bare clone, against `node -e 0` of the same run.
 * Not measured: a repository whose trees are large, checks (`--rerun`), the clone itself.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type GateRecord, renderRecord } from "../src/core/gate-record.ts";
import { hashOf } from "../src/core/hash.ts";
import type { ProjectPath } from "../src/core/path.ts";
import type { View } from "../src/core/ports/store.ts";
import { DEFAULT_SETTINGS } from "../src/core/settings.ts";
import { fileSource } from "../src/workflows/custom/load.ts";
import { openProof } from "../src/workflows/custom/proof.ts";
import { emptyFolder, MAIN, ms, show, takeTurns, timeToEnd } from "./measure.ts";

const ROUNDS = Number(process.argv[2] ?? 15);
const TASKS = 3;
const COMMITS = 50;
const SIGNER = "ada@example.com";

const root = emptyFolder("verify");
const bare = emptyFolder("verify-bare");
cpSync(resolve(import.meta.dirname, "../examples/release-project"), root, { recursive: true });
const key = join(root, "..", "verify-key");
rmSync(key, { force: true });
rmSync(`${key}.pub`, { force: true });
execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "", "-f", key]);
const run = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};
const commit = (message: string) => {
  run("add", "-A");
  run("commit", "-qm", message);
};

const project = "a".repeat(32);
const yaml = readFileSync(join(root, "pawl.yaml"), "utf8");
write("pawl.yaml", `${yaml}project_id: ${project}\ngates: signed\n`);
write(
  ".alfred/allowed_signers",
  `${SIGNER} namespaces="pawl-gate-v1" ${readFileSync(`${key}.pub`, "utf8").trim()}\n`,
);
run("init", "-q", "-b", "main");
run("config", "user.email", SIGNER);
run("config", "user.name", "Ada");
commit("Begin");
run("tag", "base");

const view = {
  read: async (path: ProjectPath) => readFileSync(join(root, path), "utf8"),
  list: async (folder: ProjectPath) =>
    readdirSync(join(root, folder)).map((name) => ({ name, kind: "file" as const })),
} as unknown as View;
const proof = openProof(await fileSource("release", "release.yaml" as ProjectPath).load(view));
const policy = await proof.policy({ ...DEFAULT_SETTINGS, gates: { default: "signed" } });

for (let task = 1; task <= TASKS; task++) {
  const base = run("rev-parse", "main");
  run("checkout", "-q", "-b", `task-${task}`, "main");
  for (let number = 1; number <= COMMITS; number++) {
    write(`src/task-${task}/${number}.js`, `${number}\n`);
    commit(`Task ${task}, ${number}`);
  }
  await approve(task, base);
  commit(`Task ${task}, approved`);
  run("checkout", "-q", "main");
  run("merge", "-q", "--no-ff", "-m", `Merge task ${task}`, `task-${task}`);
}
execFileSync("git", ["clone", "-q", "--bare", root, bare]);

/** The record that a person's approval leaves, as `pawl approve` writes it. */
async function approve(task: number, base_commit: string): Promise<void> {
  // The work's tree is that of the commit without the records of the tasks before.
  run("rm", "-q", "-r", "--cached", "--ignore-unmatch", ".alfred/gates");
  const tree = run("write-tree");
  run("reset", "-q");
  const time = "2026-01-01T00:00:00.000Z";
  const record: GateRecord = {
    ...{ v: 1, project, run: `release:${task}`, gate: "release.in_review", round: 1, verdict: "approve" },
    ...{ machine: "release", event: "approve", rule: "approved", from: "in_review", to: "tagging" },
    ...{ artifact: null, tree, base_commit, process_files: [], policy, workflow: proof.tables, checks: [] },
    ...{
      evidence: await hashOf("[]"),
      notes: "",
      start: { rounds: 0 },
      seq: 1,
      prev: null,
      time,
      signer: SIGNER,
    },
    steps: [{ time, event: "submit", rule: "submitted", from: "drafting", to: "in_review" }],
  };
  const text = renderRecord(record);
  write(`.alfred/gates/release/${task}/0001.json`, text);
  const signature = execFileSync("ssh-keygen", ["-Y", "sign", "-n", "pawl-gate-v1", "-f", key], {
    input: text,
    encoding: "utf8",
    stdio: ["pipe", "pipe", "ignore"],
  });
  write(`.alfred/gates/release/${task}/0001.sig`, signature);
}

const { node, verify } = await takeTurns(ROUNDS, {
  node: () => timeToEnd(["-e", "0"], bare),
  verify: () => timeToEnd([MAIN, "verify", "base..main"], bare),
});
show("node -e 0", ms(node.median));
show(`pawl verify, ${TASKS} tasks, ${TASKS * (COMMITS + 2)} commits`, ms(verify.median), {
  text: "2 s",
  met: verify.median <= 2000,
});
show("against node -e 0", `${(verify.median / node.median).toFixed(1)} x`);
