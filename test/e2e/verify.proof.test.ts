/** `pawl verify`: what was approved passes, and nothing that was forged does. One fault for each rule. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { newRecords } from "../../src/runtime/run-log/team-records.ts";
import type { Rule } from "../../src/verify/report.ts";
import { pawlInside } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { RUN, type SignedRepository, signedRepository } from "../rig/signed-repository.ts";
import { personWithKey } from "../rig/signing.ts";
import { chainOf } from "../rig/steps.ts";

let approved: SignedRepository;
beforeAll(async () => {
  approved = await signedRepository();
}, 60_000);
afterAll(() => {
  approved[Symbol.dispose]();
  approved.person[Symbol.dispose]();
});

type Plant = (repository: SignedRepository) => void;

/** The tree of a commit, put on another one. */
const onto = (repository: SignedRepository, parents: readonly string[], tree = "HEAD^{tree}") => {
  const id = repository.git("rev-parse", tree);
  const commit = repository.git(
    "commit-tree",
    id,
    ...parents.flatMap((each) => ["-p", each]),
    "-m",
    "Forged",
  );
  repository.git("reset", "-q", "--hard", commit);
};
const advanceMain = (repository: SignedRepository) => {
  repository.git("checkout", "-q", "main");
  repository.write("other.txt", "another's work\n");
  repository.commit("Another's work");
  repository.git("checkout", "-q", "work");
};
const signedByEve = (repository: SignedRepository, change = {}) => {
  using eve = personWithKey();
  repository.resign(2, change, eve);
  return execFileSync("cat", [`${eve.key}.pub`], { encoding: "utf8" })
    .split(" ")
    .slice(0, 2)
    .join(" ");
};

/** What somebody with the whole repository in their hands, but without the key, may try; and a person's slips. */
const FAULTS: readonly (readonly [string, Rule, Plant])[] = [
  [
    "a commit that nobody approved",
    "commit-uncovered",
    (it) => {
      it.write("src/evil.js", "evil\n");
      it.commit("Harmless");
    },
  ],
  [
    "a tree that was changed after it was approved",
    "commit-uncovered",
    (it) => {
      it.git("reset", "-q", "--soft", "HEAD~1");
      it.write("src/b.js", "evil\n");
      it.commit("The work");
    },
  ],
  [
    "an approval whose work is not there",
    "approval-unused",
    (it) => {
      const head = it.git("rev-parse", "HEAD");
      it.git("checkout", "-q", "-B", "work", "main");
      it.git("checkout", "-q", head, "--", ".alfred/gates");
    },
  ],
  [
    "an edited record",
    "record-signature",
    (it) => it.write(`${RUN}/0002.json`, it.read(`${RUN}/0002.json`).replace('"notes": ""', '"notes": "ok"')),
  ],
  [
    "a record in another layout",
    "record-form",
    (it) => it.write(`${RUN}/0002.json`, JSON.stringify(it.record(2))),
  ],
  [
    "a record with a key twice",
    "record-form",
    (it) =>
      it.write(
        `${RUN}/0002.json`,
        it.read(`${RUN}/0002.json`).replace('"verdict": ', '"verdict": "reject",\n  "verdict": '),
      ),
  ],
  ["a record that is missing", "record-missing", (it) => void it.git("rm", "-q", `${RUN}/0001.json`)],
  [
    "a record with a number far ahead",
    "record-missing",
    (it) => it.write(`${RUN}/999999999.json`, it.read(`${RUN}/0002.json`)),
  ],
  ["a record that was removed", "record-changed", (it) => void it.git("rm", "-q", `${RUN}/0001.json`)],
  ["a signature that is missing", "record-signature", (it) => void it.git("rm", "-q", `${RUN}/0002.sig`)],
  ["an unknown signer", "record-signature", (it) => void signedByEve(it)],
  [
    "an unknown signer under a name of their own",
    "record-signature",
    (it) => void signedByEve(it, { signer: "eve@example.com" }),
  ],
  [
    "a signer who allowed themselves in HEAD",
    "record-signature",
    (it) => {
      const key = signedByEve(it, { signer: "eve@example.com" });
      const before = it.read(".alfred/allowed_signers");
      it.write(".alfred/allowed_signers", `${before}eve@example.com ${key}\n`);
    },
  ],
  ["a signature for another namespace", "record-signature", (it) => it.resign(2, {}, undefined, "file")],
  [
    "a signature over another record",
    "record-signature",
    (it) => it.write(`${RUN}/0002.sig`, it.read(`${RUN}/0001.sig`)),
  ],
  ["a record of another project", "record-project", (it) => it.resign(2, { project: "f".repeat(32) })],
  ["a record of another run", "record-form", (it) => it.resign(2, { run: "release:1.1.0" })],
  [
    "a record of a workflow that the base lacks",
    "record-workflow",
    (it) => {
      for (const end of ["json", "sig"]) {
        it.write(`.alfred/gates/other/1/0001.${end}`, it.read(`${RUN}/0001.${end}`));
      }
    },
  ],
  [
    "a round that is replayed",
    "record-chain",
    (it) => {
      it.write(`${RUN}/0003.json`, it.read(`${RUN}/0002.json`));
      it.resign(3, { seq: 3 });
    },
  ],
  ["records in another order", "record-chain", (it) => it.resign(2, { time: "2020-01-01T00:00:00.000Z" })],
  ["a record that is made on another", "record-chain", (it) => it.resign(2, { prev: "0".repeat(64) })],
  ["a policy that is not the base's", "record-policy", (it) => it.resign(2, { policy: "0".repeat(64) })],
  ["tables that are not the base's", "record-workflow", (it) => it.resign(2, { workflow: "0".repeat(64) })],
  [
    "steps in another order",
    "record-steps",
    (it) => it.resign(2, { steps: [...it.record(2).steps].reverse() }),
  ],
  ["an event that cannot be", "record-steps", (it) => it.resign(2, { from: "draft" })],
  ["a beginning that cannot be", "record-steps", (it) => it.resign(1, { start: { forged: true } })],
  [
    "a gate that was passed without a record",
    "record-steps",
    (it) => {
      const { steps } = it.record(2);
      const [first = {}, second = {}] = steps;
      it.resign(2, { steps: [first, second, first, second] });
    },
  ],
  ["a verdict that its move is not", "record-steps", (it) => it.resign(2, { verdict: "reject" })],
  [
    "a base that has moved",
    "base-moved",
    (it) => {
      advanceMain(it);
      onto(it, ["main"]);
    },
  ],
  [
    "a base that nobody approved",
    "commit-uncovered",
    (it) =>
      it.resign(2, { base_commit: it.git("rev-parse", "HEAD~2"), process_files: it.record(2).process_files }),
  ],
  [
    "a base that is the approved work itself",
    "base-moved",
    (it) => {
      it.resign(2, { base_commit: it.git("rev-parse", "HEAD~1") });
      it.commit("Signed against itself");
      const signed = it.git("rev-parse", "HEAD");
      it.git("checkout", "-q", "-B", "records", "main");
      it.git("checkout", "-q", signed, "--", ".alfred/gates");
      it.commit("Records alone");
      it.git("checkout", "-q", "-B", "work", `${signed}~2`);
      it.git("merge", "-q", "--no-ff", "-m", "Merge", "records");
    },
  ],
  [
    "Pawl's folder in a commit in between",
    "pawl-folder",
    (it) => {
      it.write(".pawl/evil", "evil\n");
      it.git("add", "-f", ".pawl/evil");
      it.commit("In between");
      it.git("rm", "-q", ".pawl/evil");
      it.commit("And out again");
    },
  ],
  [
    "a process file that the gate does not name",
    "process-files",
    (it) => it.resign(2, { process_files: [] }),
  ],
  [
    "a merge that is more than its parents",
    "commit-uncovered",
    (it) => {
      advanceMain(it);
      it.git("merge", "-q", "--no-ff", "--no-commit", "main");
      it.write("src/evil.js", "evil\n");
      it.commit("Merge main");
    },
  ],
  [
    "a signature without a touch where the base wants one",
    "record-strength",
    (it) => {
      it.git("checkout", "-q", "main");
      it.write("pawl.yaml", it.read("pawl.yaml").replace("gates: signed", "gates: touch"));
      it.commit("Touch");
      it.git("checkout", "-q", "work");
    },
  ],
  [
    "gates that are lowered in HEAD",
    "commit-uncovered",
    (it) => {
      it.write("pawl.yaml", it.read("pawl.yaml").replace("gates: signed", "gates: any"));
      it.write("src/evil.js", "evil\n");
      it.commit("No gates");
    },
  ],
  [
    "a file among the records of a task that is no record",
    "record-artifact",
    (it) => it.write(".alfred/records/TS-09/01-plan_task-20261122T084501123Z.json", "{}\n"),
  ],
  [
    "a sound record for a task of Alfred's that no gate is about",
    "record-artifact",
    (it) => {
      const steps = chainOf("alfred:TS-09", ["submit_work"]);
      for (const change of newRecords("alfred:TS-09", steps, 0, { task_status: "planning", finished: {} }))
        if (change.type === "write") it.write(change.path, change.text);
    },
  ],
  [
    "a link in the place of the records",
    "commit-uncovered",
    (it) => {
      rmSync(join(it.root, ".alfred/records"), { recursive: true, force: true });
      symlinkSync("../..", join(it.root, ".alfred/records"));
    },
  ],
  [
    "a link among the records of a run that is approved",
    "commit-uncovered",
    (it) => {
      mkdirSync(join(it.root, ".alfred/records/release/1.2.0"), { recursive: true });
      symlinkSync("../../../..", join(it.root, ".alfred/records/release/1.2.0/up"));
    },
  ],
  [
    "a repository among the records",
    "pawl-folder",
    (it) => {
      const head = it.git("rev-parse", "HEAD");
      it.git("update-index", "--add", "--cacheinfo", `160000,${head},.alfred/records/release/lib`);
      it.git("commit", "-q", "-m", "Harmless");
    },
  ],
  [
    "a file in the place of the records",
    "commit-uncovered",
    (it) => {
      rmSync(join(it.root, ".alfred/records"), { recursive: true, force: true });
      it.write(".alfred/records", "evil\n");
    },
  ],
  [
    "a file among the records that is none",
    "record-form",
    (it) => it.write(".alfred/gates/run.sh", "evil\n"),
  ],
];

describe("pawl verify", () => {
  it("passes what was approved, and says who approved it and which commit it covers", async () => {
    promise("verify.passes");
    const report = await approved.verify();
    expect(report.faults).toEqual([]);
    expect(report).toMatchObject({
      verified: true,
      commits: 3,
      records: [
        { run: "release:1.2.0", seq: 1, verdict: "reject", signer: approved.person.name, covers: null },
        { seq: 2, verdict: "approve", strength: "signed", covers: approved.git("rev-parse", "HEAD") },
      ],
    });
    const { code, out } = await approved.run("main..HEAD");
    expect([code, out]).toEqual([0, expect.stringContaining("Verified: every commit of")]);
  });

  it.each(FAULTS)("names %s: %s", async (_, rule, plant) => {
    promise("verify.faults");
    using repository = approved.copy();
    plant(repository);
    if (repository.git("status", "--porcelain") !== "") repository.commit("Forged");
    const { code, faults, verified } = await repository.verify();
    expect([code, verified]).toEqual([1, false]);
    expect(faults.map((fault) => fault.rule)).toContain(rule);
  });

  it("passes a merge that git makes by itself of approved work and a base that went on", async () => {
    promise("verify.passes");
    using repository = approved.copy();
    advanceMain(repository);
    repository.git("checkout", "-q", "-b", "merged", "main");
    repository.git("merge", "-q", "--no-ff", "-m", "Merge", "work");
    expect((await repository.verify("main..merged")).faults).toEqual([]);
    expect((await repository.verify("main..work")).faults).toEqual([]);
  });

  it("works on a bare clone without any state of Pawl's, and wherever it is called", async () => {
    promise("verify.passes");
    const bare = mkdtempSync(join(tmpdir(), "pawl-bare-"));
    try {
      execFileSync("git", ["clone", "-q", "--bare", approved.root, bare]);
      const inside = await pawlInside(bare, ["verify", "main..work", "--json"], { DOOR_ONLY: "" });
      expect(JSON.parse(inside.out)).toMatchObject({ verified: true, commits: 3 });
      const named = await pawlInside("/", ["verify", "main..work", "--project", bare], { DOOR_ONLY: "" });
      expect([named.code, named.err]).toEqual([0, ""]);
    } finally {
      rmSync(bare, { recursive: true, force: true });
    }
  });

  it("verifies nothing by a base that asks for no signature", async () => {
    promise("verify.faults");
    using repository = approved.copy();
    repository.git("checkout", "-q", "main");
    repository.write("pawl.yaml", repository.read("pawl.yaml").replace("gates: signed", "gates: terminal"));
    repository.commit("No keys");
    repository.git("checkout", "-q", "work");
    expect((await repository.verify()).faults.map(({ rule }) => rule)).toContain("gates-unsigned");
  });

  it("runs the base's checks on HEAD's files if it is asked to", async () => {
    promise("verify.machines");
    using repository = approved.copy();
    const checks = (command: string) => {
      repository.git("checkout", "-q", "main");
      const before = repository.read("pawl.yaml").replace(/^alfred: .*\n/m, "");
      repository.write("pawl.yaml", `${before}alfred: {checks: {test: ${JSON.stringify(command)}}}\n`);
      repository.commit("A check");
      repository.git("checkout", "-q", "work");
    };
    checks("test -f src/a.js");
    expect((await repository.verify("main..HEAD", "--rerun")).faults).toEqual([]);
    checks("test -f src/none.js");
    const failed = await repository.verify("main..HEAD", "--rerun");
    expect(failed.faults.map(({ rule }) => rule)).toEqual(["check-failed"]);
  });

  it("reports each fault to machines, in SARIF and JUnit", async () => {
    promise("verify.machines");
    using repository = approved.copy();
    repository.write("src/<evil>.js", "evil\n");
    repository.commit("Harmless </failure>");
    const sarif = await repository.run("main..HEAD", "--format", "sarif");
    expect(JSON.parse(sarif.out).runs[0].results).toEqual([
      expect.objectContaining({ ruleId: "commit-uncovered", level: "error" }),
    ]);
    const junit = await repository.run("main..HEAD", "--format", "junit");
    expect(junit.out).toContain('failures="1"');
    expect(junit.out).not.toContain("Harmless </failure>");
    expect([sarif.code, junit.code]).toEqual([1, 1]);
  });

  it("ends with a usage error if the range is none, or is not there", async () => {
    promise("verify.faults");
    for (const range of ["HEAD", "none..HEAD", "-x..HEAD"]) {
      const { code, err } = await approved.run(range);
      expect([code, err]).toEqual([2, expect.stringContaining("[usage]")]);
    }
  });
});
