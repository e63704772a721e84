/**
 * The documentation, run: every shell block of every page in order, in a project of its own, with the built program; every
 * file that a page names is written there first.
 */
import { describe, expect, it } from "vitest";
import { PLAN, plan, start } from "./rig/alfred-artifacts.ts";
import { AlfredProject } from "./rig/alfred-project.ts";
import { blocksOf, blocksIn as of, PAGES, SampleProject } from "./rig/docs.ts";

/** What a page's commands find besides the sample project. */
const EXAMPLES: Readonly<Record<string, string>> = { "docs/own-workflows.md": "examples/release-project" };

/** What the scripted agent does for a piece of work. */
const commits = (file: string) =>
  `RUN: mkdir -p $(dirname ${file}) && echo done >> ${file} && git add . && git commit -qm Work`;

/** A plan whose slots are what the scripted agent can do. */
const WORKABLE = { slots: PLAN.slots.map((slot) => ({ ...slot, spec: commits(slot.location) })) };

/** What must have happened before a page's last commands. */
const BEFORE: Readonly<Record<string, (sample: SampleProject) => Promise<void>>> = {
  "docs/alfred.md": async (sample) => {
    sample.write(".alfred/config.yml", "reviews: { default: [] }\n");
    const settings = { reviews: { default: [] }, checks: { test: "npm test" } };
    const project = new AlfredProject({ root: sample.root, settings });
    await start(project, "TS-01");
    await plan(project, "TS-01", WORKABLE);
    await project.call("implement_task", { task_id: "TS-01" });
  },
  "docs/bloom.md": async (sample) => {
    sample.answer({
      "Write the handler.": commits("health.js"),
      "Write its tests.": commits("health.test.js"),
      "Say in docs/health.md": commits("health.md"),
    });
  },
};

/** What must have come of a page's commands: what a command says then. */
const AFTER: Readonly<Record<string, readonly [command: string, says: string]>> = {
  "docs/alfred.md": ["pawl status", "ready for review"],
  "docs/bloom.md": ["bloom list done", "2 tasks, 2 done."],
  "docs/library.md": ["cat shop/published.log", "1.2.0"],
  "docs/own-workflows.md": [
    "pawl cast release:1.2.0 | grep 'is in published'; cd small; pawl cast errand:milk",
    "errand:milk is in done",
  ],
  "docs/verify.md": ["cd walk; git checkout -q HEAD~1; pawl verify main..HEAD", "Verified: every commit of"],
  "docs/spells.md": ["pawl status", "GATHER_EDITING_CONTEXT"],
};

describe("every block of", () => {
  // The quickstart is played by `npm run check:first-hour`.
  const played = "docs/quickstart.md";
  const others = PAGES.filter((page) => page !== played);
  const pages = others.filter((page) => of(page, "sh", "ts", "js").some(({ mark }) => mark !== "not run"));

  it.each(pages)("%s runs, in order, in a fresh repository", async (page) => {
    using project = new SampleProject(EXAMPLES[page]);
    for (const { mark, said, body } of blocksOf(page)) if (mark === "file") project.write(said, body);
    await BEFORE[page]?.(project);
    for (const { body, mark, line } of of(page, "sh"))
      if (mark !== "not run")
        await expect(project.typed(body), `${page}:${line}`).resolves.toBeTypeOf("string");
    const [command, says = ""] = AFTER[page] ?? [];
    if (command) expect(project.sh(command), page).toContain(says);
    const code = of(page, "ts", "js").map(({ mark, said, body }) => (mark === "before" ? said : "") + body);
    if (code.length === 0) return;
    project.write("page.ts", code.join("\n"));
    expect(() => project.sh("node page.ts"), page).not.toThrow();
  });
});

describe("the configuration's page", () => {
  it("shows a pawl.yaml of which every value holds, with its place", () => {
    using project = new SampleProject();
    const [example] = of("docs/configuration.md", "yaml");
    project.write("pawl.yaml", example?.body ?? "");
    expect(project.sh("pawl config")).toContain("pawl.yaml:3:13");
  });
});
