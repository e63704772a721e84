import { describe, expect, it } from "vitest";
import type { RunOverview } from "../../../runtime/module.ts";
import type { WorkflowOverview } from "../../../runtime/reports/overview.ts";
import { paintOf } from "../terminal/terminal.ts";
import { renderStatus } from "./status.ts";

const PAINT = paintOf(false);
const NOW = new Date("2026-11-21T12:00:00Z");

const RUN: RunOverview = {
  run: "alfred:TS-01",
  title: "Greet by name",
  state: "start_task: awaiting_human_review",
  awaits: "human",
  next: "approve or reject the git status",
  since: "2026-11-21T09:30:00.000Z",
};

const alfred = (...runs: readonly RunOverview[]): WorkflowOverview => ({
  name: "alfred",
  title: "Alfred",
  summary: "One task through gates: start, plan, implement, review, test, finalize.",
  runs,
});

const bloom = (...runs: readonly RunOverview[]): WorkflowOverview => ({
  ...{ name: "bloom", title: "Bloom", summary: "Many tasks.", begin: "write tasks.yaml" },
  runs,
});

const render = (workflows: readonly WorkflowOverview[], columns = 80) =>
  renderStatus(workflows, "/home/ada/shop", { columns, paint: PAINT }, NOW);

describe("pawl status", () => {
  it("shows where a run stands, since when, and how a person lets it go on", () => {
    expect(render([alfred(RUN)])).toBe(
      [
        "Alfred  One task through gates: start, plan, implement, review, test, finalize.",
        "  alfred:TS-01  Greet by name                                        2 hours ago",
        "    start_task: awaiting_human_review",
        "    waits for you: approve or reject the git status",
        "    pawl approve alfred:TS-01",
        "",
        "1 run, 1 waits for you.",
        "",
      ].join("\n"),
    );
  });

  it("counts what waits for a person, and says when nothing does", () => {
    const other: RunOverview = { ...RUN, run: "alfred:TS-02", awaits: "assistant" };
    expect(render([alfred(RUN, other, { ...RUN, run: "alfred:TS-03" })])).toContain(
      "3 runs, 2 wait for you.",
    );
    expect(render([alfred(other)])).toContain("1 run. Nothing waits for you.");
    expect(render([alfred(other)])).not.toContain("pawl approve");
  });

  it("says what only a person can mend in full, and never that nothing waits for them", () => {
    const next =
      "`npm test` exited with 1 in a fresh checkout of main too, without this task's work, since 0a1b2c3d4e5f";
    const target = { repo: ".", into: "main", command: "npm test", since: "0a1b2c3d4e5f" };
    const red = (id: string): RunOverview => ({
      ...{ ...RUN, run: `bloom:${id}`, state: "target_red", awaits: "nobody", next, target },
    });
    const words = "claude is refused: `claude /login` mends it";
    const rest = {
      ...{ agent: "claude", account: "a", state: "exhausted" as "exhausted" | "limited", resets_at: null },
      source: "none",
      until: null,
      words,
    } as const;
    const refused: RunOverview = {
      ...RUN,
      run: "bloom:T3",
      state: "agent_rests",
      awaits: "nobody",
      next: words,
      rest,
    };
    const text = render([bloom(red("T1"), red("T2"), refused)]);
    expect(text.replace(/\s+/g, " ")).toContain("without this task's work, since 0a1b2c3d4e5f");
    expect(text).toContain("pawl task ready T1");
    expect(text).toContain(
      "3 runs. Repair main: 2 tasks wait for that. Mend the account of claude: 1 task waits for that.",
    );
    expect(text).not.toContain("Nothing waits");
    expect(render([bloom({ ...refused, rest: { ...rest, state: "limited" } })])).toContain("Nothing waits");
  });

  it("keeps every line within the terminal, however long the texts are", () => {
    const long: RunOverview = {
      ...RUN,
      run: `alfred:${"T".repeat(60)}`,
      title: "A title that goes on ".repeat(10),
      state: "s".repeat(120),
      next: "something that must be done ".repeat(10),
    };
    const workflows = [alfred(RUN, long, { ...long, awaits: "nobody" }, { ...long, since: null })];
    for (const columns of [60, 80, 100]) {
      const wide = render(workflows, columns)
        .split("\n")
        .filter((line) => line.length > columns && !line.includes("pawl approve"));
      expect(wide).toEqual([]);
    }
  });

  it("shows the two lines of a run that cannot be read, and goes on", () => {
    const broken = { ...RUN, run: "alfred:TS-09", problem: { message: "It is broken.", fix: "Mend it." } };
    expect(render([alfred(broken, RUN)])).toMatch(
      /alfred:TS-09.*\n {4}It is broken\.\n {4}Mend it\.\n {2}alfred:TS-01/,
    );
  });

  it("lets nothing from a file move the cursor or change colours", () => {
    const hostile: RunOverview = {
      ...RUN,
      title: "\u001b[31mred\u001b[2J\u0007 \u009b31m",
      next: "a\u001b]0;b\u0007",
    };
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
    expect(render([alfred(hostile)])).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
  });

  it("says how each workflow is begun if there is no run", () => {
    const text = render([{ ...alfred(), begin: "ask your assistant" }, bloom()]);
    expect(text).toBe(
      [
        "No run has begun in /home/ada/shop. To begin one:",
        "  Alfred  ask your assistant",
        "  Bloom   write tasks.yaml",
        "",
        "`pawl init` shows how to connect your assistant.",
        "",
      ].join("\n"),
    );
    expect(render([alfred(RUN), bloom()])).toContain("\nOther workflows:\n  Bloom  write tasks.yaml\n");
  });

  it("cuts short what has not begun, and keeps what is under way", () => {
    const tasks = Array.from(
      { length: 40 },
      (_, at): RunOverview => ({
        ...{ run: `bloom:API-${at}`, title: "Do it", state: "todo", since: null },
        ...(at === 39
          ? { awaits: "human" as const, next: "see its notes", command: "pawl task ready API-39" }
          : { awaits: "agent" as const, next: "`pawl run` gives it to one" }),
      }),
    );
    const text = render([bloom(...tasks, { ...RUN, run: "bloom:API-40" })]);
    expect(text.match(/gives it to one/g)).toHaveLength(5);
    expect(text).toContain("  and 34 more not begun\n");
    expect(text).toContain("    pawl task ready API-39\n");
    expect(text).toContain("2 runs, 39 not begun, 2 wait for you.");
  });

  it("shows why a workflow cannot be used, each problem on its own line", () => {
    const message = "The workflow release has 2 problems:\n(1) release.yaml:1:1: a\n(2) release.yaml:2:1: b";
    const broken = { ...alfred(), name: "release", title: "release", warning: { message, fix: "Edit it." } };
    expect(render([broken])).toMatch(
      /^release .*\n {4}The workflow release has 2 problems:\n {4}\(1\) release.yaml:1:1: a\n {4}\(2\) .*\n {4}Edit it\.$/m,
    );
  });
});
