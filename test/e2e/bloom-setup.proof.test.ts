/** What a checkout needs before work and checks: `setup` in pawl.yaml, for worktrees and for merges. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { bloomProject } from "../rig/bloom-project.ts";
import { promise } from "../rig/promise.ts";

const place = mkdtempSync(join(tmpdir(), "pawl-setup-"));
afterAll(() => rmSync(place, { recursive: true }));
const INSTALLS = join(place, "installs");
/** The file besides is one that git does not ignore. */
const INSTALL = `mkdir -p deps && cat lock > deps/tool && cp lock made.lock && echo x >> ${INSTALLS}`;
const setup = { ".": { run: [INSTALL], inputs: ["lock"], cache: ["deps"] } };

const task = (id: string, verify: string, ...lines: readonly string[]) => `  - id: ${id}
    title: Build ${id}
    repo: .
    merge_into: main
    verify: ["${verify}"]
    instructions: |
${lines.map((line) => `      RUN: ${line}`).join("\n")}
      RUN: bloom done ${id}
`;
const commits = (id: string) => `echo ${id} > ${id}.txt; git add -A; git commit -qm ${id}`;

function project(tasks: string) {
  const made = bloomProject({ tasks: `tasks:\n${tasks}`, project: { setup } });
  made.write(".gitignore", ".pawl/\ntasks.yaml\ndeps/\n");
  made.write("lock", "v1\n");
  made.git("add", "-A");
  made.git("commit", "-qm", "Locked");
  return made;
}

test("a verify command finds what git ignores, in the worktree and on the merged result", {
  timeout: 60_000,
}, async () => {
  promise("bloom.setup", "bloom.setup-left-out");
  using made = project(
    task("T1", "cmp deps/tool lock", "test -f deps/tool", commits("T1")) +
      task("T2", "cmp deps/tool lock", "echo v2 > lock", commits("T2")),
  );
  const ran = await made.run();
  expect(ran.of("merge:failed")).toEqual([]);
  expect(ran.code).toBe(0);
  expect(made.git("show", "main:lock")).toBe("v2");
  expect(made.git("ls-tree", "-r", "--name-only", "main")).not.toContain("made.lock");
  // Once for v1, kept for the others; twice for v2, whose folder an agent had worked in.
  expect(readFileSync(INSTALLS, "utf8")).toBe("x\nx\nx\n");
});

test("a check that fails on the target alone too blames the target, and no agent is asked to mend it", {
  timeout: 60_000,
}, async () => {
  promise("bloom.setup");
  // Somebody breaks the target while the task is at work.
  const breaks = 'cd "$PAWL_PROJECT" && touch broken.txt && git add broken.txt && git commit -qm broken';
  using made = project(task("T1", "test ! -f broken.txt", `${commits("T1")}; ${breaks}`));
  const ran = await made.run();
  expect(ran.code).toBe(1);
  expect(made.runs()).toHaveLength(1);
  expect(ran.of("target:red").at(-1)?.reason).toContain(
    "in a fresh checkout of main too, without this task's work",
  );
  expect(made.tasks()[0]?.status).toBe("done_pending_merge");
});

test("a setup that fails is tried again, and then blocks with the command and the end of what it printed", {
  timeout: 60_000,
}, async () => {
  using made = bloomProject({
    tasks: `tasks:\n${task("T1", "true", commits("T1"))}`,
    project: { setup: { ".": { run: ["echo no such registry; exit 7"] } } },
  });
  const ran = await made.run();
  expect(ran.code).toBe(1);
  expect(made.runs()).toEqual([]);
  expect(ran.of("task:blocked")[0]?.reason).toMatch(/exited with 7; its output ends: no such registry/);
});
