/**
 * Evidence is always that of the task's own tree, whatever the person's checkout holds besides: what tools leave
 * there, what lies beside and above it, and settings of git that surprise programs.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { type BloomProject, bloomProject } from "../rig/bloom-project.ts";
import { promise } from "../rig/promise.ts";
import { NO_WALL } from "../rig/wall.ts";

/** What a check looks at, and where the person has it. `inTree`: a task may commit it. */
interface Look {
  readonly check: string;
  /** From the project's root. */
  readonly path: string;
  readonly text: string;
  readonly inTree: boolean;
}

const NODE = process.execPath;
const LOOKS: Readonly<Record<string, Look>> = {
  dependency: {
    check: `${NODE} -e 'require("dep")'`,
    path: "node_modules/dep/index.js",
    text: "module.exports = 1;\n",
    inTree: true,
  },
  above: {
    check: `${NODE} -e 'require("up")'`,
    path: "../node_modules/up/index.js",
    text: "module.exports = 1;\n",
    inTree: false,
  },
  built: {
    check: `${NODE} -e 'require("./dist/out.js")'`,
    path: "dist/out.js",
    text: "module.exports = 1;\n",
    inTree: true,
  },
  variables: { check: "grep -q ok .env", path: ".env", text: "WORD=ok\n", inTree: true },
  cached: { check: "grep -q ok .cache/last", path: ".cache/last", text: "ok\n", inTree: true },
  sibling: {
    check: `${NODE} -e 'require("../sibling/lib.js")'`,
    path: "../sibling/lib.js",
    text: "module.exports = 1;\n",
    inTree: false,
  },
  edited: { check: "grep -q ok code.txt", path: "code.txt", text: "ok\n", inTree: true },
  staged: { check: "grep -q ok staged.txt", path: "staged.txt", text: "ok\n", inTree: true },
};
const NAMES = Object.keys(LOOKS);

/** Of the person's own git; none of them may change what a check sees or what Pawl reads. */
const SETTINGS = [
  ["color.ui", "always"],
  ["status.showUntrackedFiles", "no"],
  ["status.relativePaths", "false"],
  ["log.showSignature", "true"],
  ["log.decorate", "full"],
  ["format.pretty", "fuller"],
  ["core.abbrev", "5"],
  ["core.quotePath", "false"],
  ["core.fileMode", "false"],
  ["core.untrackedCache", "true"],
  ["core.fsmonitor", "/nowhere/fsmonitor"],
  ["diff.external", "/nowhere/diff"],
  ["diff.noprefix", "true"],
  ["diff.renames", "copies"],
  ["merge.ff", "only"],
  ["merge.renames", "false"],
  ["pull.rebase", "true"],
  ["rerere.enabled", "true"],
  ["submodule.recurse", "true"],
  ["init.defaultBranch", "trunk"],
  ["fetch.prune", "true"],
  ["alias.status", "log"],
  ["grep.patternType", "perl"],
] as const;

interface World {
  readonly sandbox: "none" | "bwrap";
  /** What the person's checkout has, and what the tasks commit. */
  readonly planted: readonly string[];
  readonly committed: readonly string[];
  readonly settings: readonly (readonly [string, string])[];
}

const world: fc.Arbitrary<World> = fc.record({
  sandbox: fc.constantFrom<World["sandbox"]>(
    ...(NO_WALL ? (["none"] as const) : (["none", "bwrap"] as const)),
  ),
  planted: fc.subarray(NAMES, { minLength: 4 }),
  committed: fc.subarray(NAMES.filter((name) => LOOKS[name]?.inTree)),
  settings: fc.subarray([...SETTINGS], { minLength: 8 }),
});

/** Each task has one check, so that none hides another's result. */
function taskOf(name: string, { committed }: World): string {
  const { check, path, text } = LOOKS[name] as Look;
  const adds = `mkdir -p ${dirname(path)} && printf '${text.replaceAll("\n", "\\n")}' > ${path} && git add -f ${path}`;
  return `- id: ${name}
  title: ${name}
  repo: .
  merge_into: main
  verify: [${JSON.stringify(check)}]
  instructions: |
${committed.includes(name) ? `    RUN: ${adds}\n` : ""}    RUN: echo work > ${name}-work.txt && git add ${name}-work.txt && git commit -qm ${name}
    RUN: bloom done ${name}
`;
}

function opened(given: World): BloomProject {
  const project = bloomProject({
    tasks: `tasks:\n${NAMES.map((name) => taskOf(name, given)).join("")}`,
    settings: { tries: 1, agents: 2 },
    project: { sandbox: given.sandbox },
  });
  project.write(".gitignore", ".pawl/\ntasks.yaml\nnode_modules/\ndist/\n.env\n.cache/\n");
  project.write("code.txt", "no\n");
  project.git("add", "-A");
  project.git("commit", "-qm", "Code");
  // On a branch of their own, so that no edit is in the way of a merge.
  project.git("switch", "-qc", "person");
  for (const name of given.planted) {
    const { path, text } = LOOKS[name] as Look;
    mkdirSync(dirname(join(project.root, path)), { recursive: true });
    writeFileSync(join(project.root, path), text);
  }
  if (given.planted.includes("staged")) project.git("add", "staged.txt");
  const sections = given.settings.map(([key, value]) => {
    const [section, name] = key.split(".");
    return `[${section}]\n\t${name} = ${value}\n`;
  });
  writeFileSync(project.environment.GIT_CONFIG_GLOBAL, sections.join(""));
  return project;
}

/** Whether the check passes in a plain clone of the branch, somewhere else, with nobody's settings. */
function passesAlone(project: BloomProject, branch: string, check: string): boolean {
  const place = mkdtempSync(join(tmpdir(), "pawl-alone-"));
  const env = { PATH: process.env.PATH ?? "", HOME: place, GIT_CONFIG_GLOBAL: "/dev/null" };
  try {
    const clone = ["clone", "-q", "--no-local", "-b", branch, project.hubFolder(), join(place, "a/b/clone")];
    execFileSync("git", clone, { env, stdio: "pipe" });
    return spawnSync("bash", ["-c", check], { cwd: join(place, "a/b/clone"), env }).status === 0;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

it("a check is green or red by the tree of the task alone, and so is what is merged", {
  timeout: 240_000,
}, async () => {
  promise("bloom.honest-evidence");
  await fc.assert(
    fc.asyncProperty(world, async (given) => {
      using project = opened(given);
      const ran = await project.run();
      const failed = new Set(ran.of("check:failed").map(({ taskId }) => taskId));
      const merged = new Set(ran.of("merge:completed").map(({ taskId }) => taskId));
      for (const [name, { check }] of Object.entries(LOOKS)) {
        const isGreen = passesAlone(project, `bloom/${name}`, check);
        expect([name, failed.has(name), merged.has(name)], ran.err).toEqual([name, !isGreen, isGreen]);
      }
      // Both occur.
      expect(failed.size).toBeGreaterThan(0);
      expect(merged.size).toBe(given.committed.length);
    }),
    { numRuns: 2, endOnFailure: true },
  );
});
