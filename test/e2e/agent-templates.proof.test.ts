/** The templates of the gallery whose rows start agents: each from its beginning to its goal, with a scripted agent. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type BloomProject, ranOf } from "../rig/bloom-project.ts";
import { runOfTemplate, templateProject } from "../rig/own-agents.ts";
import { does } from "../rig/own-begins.ts";
import { promise } from "../rig/promise.ts";
import { shellUntil, until } from "../rig/until.ts";

const LONG = { timeout: 120_000 };

/** What happens in a loop until it has nothing more to do; agents by their names. */
async function happensIn(project: BloomProject): Promise<readonly unknown[]> {
  const { events } = await project.run();
  return events.flatMap(({ event, purpose, resumed, type }) => {
    if (type === "agent:started") return [resumed ? `${purpose} again` : purpose];
    return type === "run:advanced" ? [event] : [];
  });
}

/** Programs in a folder outside of the project, for its PATH. */
function toolsFolder(programs: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), "pawl-tools-"));
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return {
    folder,
    write: (name: string, text: string) => writeFileSync(join(folder, name), text),
    remove: (name: string) => rmSync(join(folder, name)),
    read: (name: string) => readFileSync(join(folder, name), "utf8"),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

describe("A template whose rows start agents", () => {
  it("two-model-review is sent back by the reviewer and by a person, and then accepted", LONG, async () => {
    promise("workflow.gallery-agents");
    const RUN = "two-model-review:shout";
    using project = templateProject("two-model-review", {
      "Do what `wishes/shout.md` asks": 'SAY: {"next": "written", "summary": "I wrote it."}',
      "Round 1 of 3": 'SAY: {"verdict": "flawed", "points": "It does not shout."}',
      "Round 2 of 3": 'SAY: {"verdict": "sound", "points": ""}',
      "A person says:\n\n> Louder.": "RUN: touch heard",
    });
    expect((await project.person("cast", RUN, "begin")).out).toContain("Write `wishes/shout.md`");
    project.write("wishes/shout.md", "A text that shouts.\n");
    await project.person("cast", RUN, "begin");
    const round = ["written", "reviewer", "flawed", "author again", "written", "reviewer", "sound"];
    expect(await happensIn(project)).toEqual(["author", ...round]);
    const [, first, mending, second] = project.runs();
    expect(first?.prompt).toContain("Its author says:\n\n> I wrote it.");
    expect(mending?.prompt).toContain("A reviewer read what you changed and says:\n\n> It does not shout.");
    expect(second?.prompt).toContain("See first whether it is mended:\n\n> It does not shout.");

    const shown = (await project.bloom("review", RUN)).out;
    expect(shown).toContain("The agent author");
    expect(shown).toContain("I wrote it.");
    // What an agent answers is no check.
    expect(shown).not.toContain("passed");
    await project.person("reject", RUN, "-m", "Louder.");
    expect(await happensIn(project)).toEqual(["author again", ...round]);
    // Their words hold in each later order.
    expect(
      project
        .runs()
        .slice(4)
        .map(({ prompt }) => prompt.includes("> Louder.")),
    ).toEqual([true, true, true, true]);
    const approved = await project.person("approve", RUN);
    expect(approved.screen).toContain("The agent author");
    expect(approved.out).toContain("is accepted. Its changes are not committed yet.");
    expect(runOfTemplate(project, RUN)).toMatchObject({ state: "accepted" });
  });

  it("two-model-review comes to a person with the points after three rounds", LONG, async () => {
    promise("workflow.gallery-agents");
    const RUN = "two-model-review:shout";
    using project = templateProject("two-model-review", {
      "Do what `wishes/shout.md` asks": 'SAY: {"next": "written", "summary": "I wrote it."}',
      "Review what somebody else changed": 'SAY: {"verdict": "flawed", "points": "It is too long."}',
    });
    project.write("wishes/shout.md", "A text that shouts.\n");
    await project.person("cast", RUN, "begin");
    const happened = await happensIn(project);
    expect(happened.filter((each) => each === "flawed")).toHaveLength(3);
    expect(runOfTemplate(project, RUN)).toMatchObject({ state: "deciding", awaits: "human" });
    expect((await project.bloom("review", RUN)).out).toContain("It is too long.");
  });

  it("until-green works in fresh sessions until its tests pass and its list is done", LONG, async () => {
    promise("workflow.gallery-agents");
    const RUN = "until-green:login";
    using project = templateProject("until-green", {
      // The first pass does one of two entries, the second breaks the tests, and the third mends them.
      "this is pass 1 of 8":
        'RUN: sed -i "0,/\\[ \\]/s//[x]/" lists/login.md\nSAY: {"next": "worked", "learnt": "One is left."}',
      "this is pass 2 of 8":
        'RUN: touch broken; sed -i "s/\\[ \\]/[x]/" lists/login.md\nSAY: {"next": "worked", "learnt": "It broke."}',
      "this is pass 3 of 8": 'RUN: rm -f broken\nSAY: {"next": "worked", "learnt": "It is mended."}',
    });
    project.write("package.json", '{ "scripts": { "test": "echo looks; test ! -e broken" } }');
    expect((await project.person("cast", RUN, "begin")).out).toContain("Write `lists/login.md`");
    project.write("lists/login.md", "- [ ] the form\n- [ ] the session\n");
    await project.person("cast", RUN, "begin");
    const pass = ["worker", "worked"];
    expect(await happensIn(project)).toEqual([...pass, "green", ...pass, "red", ...pass, "green"]);
    const [first, second, third] = project.runs();
    expect(first?.prompt).not.toContain("The tests printed");
    expect(second?.prompt).toContain("The pass before you leaves you this:\n\n> One is left.");
    expect(third?.prompt).toMatch(/The tests printed last:\n\n```\n[^`]*looks/);
    expect(runOfTemplate(project, RUN)).toMatchObject({ state: "deciding", kept: { pass: 3 } });
    expect((await project.bloom("review", RUN)).out).toMatch(/passed +npm test/);
    expect((await project.person("approve", RUN)).code).toBe(0);
    expect(runOfTemplate(project, RUN)).toMatchObject({ state: "done" });
  });

  it(
    "until-green comes to a person after eight passes, and the next loop takes up a command that a dead one left",
    LONG,
    async () => {
      promise("workflow.gallery-agents");
      const RUN = "until-green:login";
      using project = templateProject("until-green", {
        "is a list of what is to be done": 'SAY: {"next": "worked", "learnt": "I cannot."}',
      });
      project.write("lists/login.md", "- [x] the form\n");
      const test = `touch begun; ${shellUntil("-e go")}; exit 1`;
      project.write("package.json", JSON.stringify({ scripts: { test } }));
      await project.person("cast", RUN, "begin");
      const loop = project.start();
      const ended = ranOf(loop);
      await until(() => project.read("begun") !== null);
      loop.kill("SIGKILL");
      await ended;
      expect(runOfTemplate(project, RUN)).toMatchObject({ state: "testing", pending: { row: "tests" } });
      project.write("go", "");
      await happensIn(project);
      expect(project.runs()).toHaveLength(8);
      expect(runOfTemplate(project, RUN)).toMatchObject({ state: "stopped", kept: { pass: 8 } });
      await project.person("cast", RUN, "go_on");
      expect(runOfTemplate(project, RUN)).toMatchObject({ state: "working", kept: { pass: 1 } });
    },
  );

  it("release-with-notes compares the notes with the commits, and sets the tag with them", LONG, async () => {
    promise("workflow.gallery-agents");
    const RUN = "release-with-notes:1.2.0";
    using project = templateProject("release-with-notes", {
      "Write the notes of the release 1.2.0":
        'RUN: printf "# 1.2.0\\n\\n- It sings.\\n" > releases/1.2.0.md\nSAY: {"next": "written"}',
      "Round 1 of 2": 'SAY: {"verdict": "invented", "points": "Nothing sings."}',
      "Round 2 of 2": 'SAY: {"verdict": "faithful", "points": ""}',
    });
    // Whoever sets a tag has a name.
    project.git("config", "user.name", "Dev Example");
    project.git("config", "user.email", "dev@example.org");
    project.git("tag", "v1.1.0");
    project.git("commit", "-q", "--allow-empty", "-m", "Sing");
    project.write("package.json", '{ "scripts": { "test": "test -e green" } }');
    expect((await project.person("cast", RUN, "begin")).out).toContain("The tests fail (exit code 1)");
    project.write("green", "");
    await project.person("cast", RUN, "begin");
    expect(project.read("releases/1.2.0.commits")).toMatch(/^\w+ Sing\n$/);
    const round = ["written", "checker", "invented", "writer again", "written", "checker", "faithful"];
    expect(await happensIn(project)).toEqual(["writer", ...round]);
    expect(project.runs()[2]?.prompt).toContain("> Nothing sings.");
    expect(runOfTemplate(project, RUN)).toMatchObject({ state: "in_review" });
    await project.person("approve", RUN);
    expect(runOfTemplate(project, RUN)).toMatchObject({ state: "published" });
    expect(project.git("tag", "-l", "--format=%(contents)", "v1.2.0")).toBe("# 1.2.0\n\n- It sings.");
  });

  it(
    "issue-triage has a bug mended once a person agrees, and posts the answer that a person read",
    LONG,
    async () => {
      promise("workflow.gallery-agents");
      const RUN = "issue-triage:7";
      using tools = toolsFolder({
        gh: 'case "$2" in view) test ! -e "$0.away" && echo \'{"title": "It crashes"}\';; *) cat "$5" > "$0.posted";; esac',
      });
      const task = { id: "crash", title: "Mend the crash", instructions: "Mend it in app.txt." };
      using project = templateProject(
        "issue-triage",
        {
          "has an issue that somebody filed": `SAY: ${JSON.stringify({ kind: "is_bug", answer: "It is mended.", tasks: [task] })}`,
          "Mend it in app.txt": does("app.txt"),
        },
        { environment: { PATH: `${tools.folder}:${process.env.PATH}` } },
      );
      tools.write("gh.away", "");
      expect((await project.person("cast", RUN, "take")).out).toContain("failed (exit code 1)");
      tools.remove("gh.away");
      await project.person("cast", RUN, "take");
      expect(project.read("triage/7.json")).toContain("It crashes");
      expect(await happensIn(project)).toEqual(["sorter", "is_bug"]);
      const shown = (await project.bloom("review", RUN)).out.replaceAll(/\s+/g, " ");
      expect(shown).toContain("crash: Mend the crash Mend it in app.txt.");
      expect(project.read("tasks.yaml")).toBeNull();

      await project.person("approve", RUN);
      await project.run();
      const [begun] = project.tasks();
      expect(begun).toMatchObject({ merge_into: "main", checkpoint: true });
      // A person also looks at what comes of it.
      expect(runOfTemplate(project, RUN)).toMatchObject({ state: "mending" });
      await project.person("approve", begun?.id ?? "");
      expect(await happensIn(project)).toContain("gathered");
      expect(runOfTemplate(project, RUN)).toMatchObject({ state: "answering" });
      expect(project.git("show", "main:app.txt")).toBe("x");
      await project.person("approve", RUN);
      expect(runOfTemplate(project, RUN)).toMatchObject({ state: "closed" });
      expect(tools.read("gh.posted")).toBe("It is mended.");
    },
  );

  it(
    "upgrade-everywhere tries one package, then the others, and tries again those that failed",
    LONG,
    async () => {
      promise("workflow.gallery-agents");
      const RUN = "upgrade-everywhere:lodash";
      const answers = {
        "is to be upgraded in this project": 'SAY: {"verdict": "worth_it", "advice": "Call it otherwise."}',
        "Upgrade `lodash` in `a/package.json`": does("a/done"),
        "Upgrade `lodash` in `b/package.json`": "FAIL: no network",
        "Upgrade `lodash` in `c/package.json`": does("c/done"),
      };
      using project = templateProject("upgrade-everywhere", answers, { settings: { tries: 1 } });
      expect((await project.person("cast", RUN, "begin")).out).toContain("No file has `lodash`");
      for (const name of ["a", "b", "c", "d"]) {
        mkdirSync(join(project.root, name));
        project.write(
          `${name}/package.json`,
          name === "d" ? "{}" : '{ "dependencies": { "lodash": "4" } }\n',
        );
      }
      project.git("add", "a", "b", "c", "d");
      project.git("commit", "-qm", "Packages");
      await project.person("cast", RUN, "begin");
      const happened = await happensIn(project);
      expect(happened.slice(0, 2)).toEqual(["reader", "worth_it"]);
      expect(happened.filter((each) => each === "gathered")).toHaveLength(2);
      const titles = () => project.tasks().map(({ status, title }) => [title, status]);
      const tried = [
        ["a/package.json", "done"],
        ["b/package.json", "blocked"],
        ["c/package.json", "done"],
      ];
      expect(titles()).toEqual(tried);
      expect(project.tasks()[1]?.instructions).toContain("> Call it otherwise.");
      expect(runOfTemplate(project, RUN)).toMatchObject({ state: "deciding" });
      expect((await project.bloom("show", RUN)).out).toContain(`- bloom:${project.tasks()[1]?.id}: failed`);

      const mended = { ...answers, "Upgrade `lodash` in `b/package.json`": does("b/done") };
      writeFileSync(project.environment.PAWL_SCRIPTED_ANSWERS ?? "", JSON.stringify(mended));
      await project.person("cast", RUN, "go_on");
      await project.run();
      expect(titles()).toEqual([...tried, ["b/package.json", "done"]]);
      expect(runOfTemplate(project, RUN)).toMatchObject({ state: "upgraded" });
      expect(project.git("ls-tree", "-r", "--name-only", "main")).toMatch(
        /a\/done[\s\S]*b\/done[\s\S]*c\/done/,
      );
    },
  );

  it(
    "wish-to-merge asks, is criticised, agreed to, built, and completed by what was missing",
    LONG,
    async () => {
      promise("workflow.gallery-agents");
      const RUN = "wish-to-merge:login";
      const says = (answer: object) => `SAY: ${JSON.stringify(answer)}`;
      const task = (id: string, more: object = {}) => ({
        id,
        title: `Make ${id}`,
        instructions: `Do ${id}.`,
        ...more,
      });
      using project = templateProject("wish-to-merge", {
        "Where the wish leaves open": says({ next: "unclear", questions: "With a password?" }),
        "A person answers your questions:\n\n> With a key.": says({ next: "specified", questions: "" }),
        "Then give the tasks": says({
          next: "planned",
          tasks: [task("page", { depends_on: ["model"] }), task("model")],
        }),
        "Round 1 of 3.\n\nIn `points`": says({ verdict: "unsound", points: "Nothing tests it." }),
        "Round 2 of 3.\n\nIn `points`": says({ verdict: "sound", points: "" }),
        "Change nothing. Round 1 of 3": says({
          verdict: "misses",
          points: "No tests.",
          tasks: [task("tests")],
        }),
        "Change nothing. Round 2 of 3": says({ verdict: "matches", points: "", tasks: [] }),
        "Do page.": does("page"),
        "Do model.": does("model"),
        "Do tests.": does("tests"),
      });
      expect((await project.person("cast", RUN, "begin")).out).toContain("Write `specs/login.md`");
      project.write("specs/login.md", "People log in.\n");
      await project.person("cast", RUN, "begin");
      expect(await happensIn(project)).toEqual(["author", "unclear"]);
      expect((await project.bloom("show", RUN)).out).toContain("With a password?");
      await project.person("cast", RUN, "explain", "-m", "With a key.");
      const round = ["author again", "planned", "critic"];
      expect(await happensIn(project)).toEqual([
        ...["author again", "specified"],
        ...[...round, "unsound"],
        ...[...round, "sound"],
      ]);
      const critic = project.runs().find(({ prompt }) => prompt.includes("Round 1 of 3"));
      expect(critic?.prompt).toContain("> - page (after model): Make page");
      const review = (await project.bloom("review", RUN)).out;
      expect(review).toContain("page (after model): Make page");
      expect(project.read("tasks.yaml")).toBeNull();

      await project.person("approve", RUN);
      const happened = await happensIn(project);
      expect(happened.filter((each) => ["gathered", "misses", "matches"].includes(String(each)))).toEqual([
        ...["gathered", "misses"],
        ...["gathered", "matches"],
      ]);
      expect(project.tasks().map(({ status, title }) => [title, status])).toEqual([
        ["Make page", "done"],
        ["Make model", "done"],
        ["Make tests", "done"],
      ]);
      expect(runOfTemplate(project, RUN)).toMatchObject({ state: "built" });
      expect(project.git("ls-tree", "-r", "--name-only", "main")).toMatch(/model[\s\S]*page[\s\S]*tests/);
    },
  );
});
