/** `pawl watch` on a real terminal: what waits is seen, sent back and approved by keys, while others go on beside it. */
import { describe, expect, it } from "vitest";
import { stringWidth } from "../../src/surfaces/cli/terminal/wide-text.ts";
import { bloomProject } from "../rig/bloom-project.ts";
import { reviewProject, runOf } from "../rig/own-agents.ts";
import { end, MAIN, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { releaseReady } from "../rig/release-project.ts";
import { HAS_TMUX, openScreen, type Screen } from "../rig/tmux.ts";
import { hangs, until } from "../rig/until.ts";

const LONG = { timeout: 120_000 };
const RUN = "release:1.2.0";
const has =
  (...texts: readonly string[]) =>
  (lines: readonly string[]) =>
    texts.every((text) => lines.some((line) => line.includes(text)));
// What the commands before have written stays on the screen that the list is drawn over.
const last = (text: string) => (lines: readonly string[]) => lines.at(-1)?.startsWith(text) === true;

const EVIL = "漢字🚀 \\e]0;owned\\a\\e[31mred ";
const ASKED =
  "Which of the two databases shall the service use, the old one or the new one that the others use? A migration takes a week.";
const TASKS = `tasks:
- id: ASK
  title: "${EVIL}Ask which database"
  instructions: |
    RUN: bloom ask ASK "${ASKED}" --blocking
- id: BAD
  title: Fails its check
  verify: ["echo the last words; exit 3"]
  instructions: "RUN: bloom done BAD"
- id: GATE
  title: Wait for a yes
  checkpoint: true
  instructions: "RUN: bloom done GATE"
`;

const FAILS = (id: string, title: string) => `- id: ${id}
  title: ${title}
  repo: .
  verify: ["exit 3"]
  instructions: "RUN: bloom done ${id}"
`;
const HANGS = (id: string, title: string) => `- id: ${id}
  title: ${title}
  repo: .
  instructions: "RUN: ${hangs()}"
`;
const KEYS = `tasks:
${FAILS("HINT", "Hint it")}${FAILS("TAKE", "Take it")}${FAILS("DROP", "Cancel it")}${HANGS("TELL", "Tell it")}${HANGS("STOP", "Stop it")}`;

describe("The screen of pawl watch", () => {
  it.skipIf(!HAS_TMUX)(
    "sends work back and approves it by one key each, and shows what others do",
    LONG,
    async () => {
      using project = releaseReady();
      const submit = async () =>
        expect((await project.pawl("cast", RUN, "submit", "--fact", "risk=low")).err).toBe("");
      const state = () => JSON.parse(project.read(".pawl/runs/release/1.2.0.json") ?? "{}").state;
      await submit();
      using screen = openScreen(`${process.execPath} ${MAIN} watch`, project.root, testEnvironment());
      const confirm = async () => {
        await screen.seen(last("Yes or no? [y/N]"));
        screen.type("y");
        screen.press("Enter");
        await screen.seen(last("Enter: back to the list."));
      };
      const first = await screen.seen(has("1 waits for you", "Waits for you", ">", "q quit"));
      expect(first.at(-1)).toContain("Enter detail · a approve · r reject");

      screen.press("Enter");
      await screen.seen(has("the changes are not known", "a approve", `or type: pawl review ${RUN}`));
      screen.press("r");
      await screen.seen(last("Why? (Enter alone: without a reason): _"));
      screen.type("Name the unit.");
      screen.press("Enter");
      await confirm();
      expect(state()).toBe("drafting");
      expect((await project.pawl("show", RUN)).out).toContain("Name the unit.");
      screen.press("Enter");
      await screen.seen(has("0 wait for you", "reject: in_review → drafting"));

      await submit();
      await screen.seen(has("1 waits for you", "a approve"));
      screen.press("a");
      await confirm();
      expect(state()).toBe("published");
      screen.press("Enter");
      await screen.seen(has("0 wait for you", "published"));
      screen.press("q");
      expect(await screen.seen(last("exit "))).toContain("exit 0");
    },
  );

  it.skipIf(!HAS_TMUX)(
    "shows whole questions in a window of any size, takes answers, tries again, and leaves the terminal as it was",
    LONG,
    async () => {
      promise("cli.watch");
      using project = bloomProject({ tasks: TASKS, settings: { tries: 1 } });
      await project.bloom("run", "--once");
      const command = `stty -a > before; ${process.execPath} ${MAIN} watch; code=$?; stty -a > after; (exit $code)`;
      using screen = openScreen(command, project.root, { ...project.environment, NO_COLOR: "1" });
      const within = async (columns: number, rows: number, holds: Parameters<Screen["seen"]>[0]) => {
        screen.resize(columns, rows);
        const seen = await screen.seen(holds);
        expect(seen.length).toBeLessThanOrEqual(rows);
        for (const line of seen) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
        return seen;
      };
      await screen.seen(has("3 wait for you", "failed     Fails its check", "q quit"));
      screen.type("/which");
      await screen.seen(has("1 of 1", "/which_"));
      screen.press("Enter", "Enter");
      const words = (lines: readonly string[]) => lines.join(" ").replace(/ +/g, " ");
      for (const [columns, rows] of [
        [80, 24],
        [40, 40],
        [140, 24],
      ] as const) {
        const seen = await within(columns, rows, (lines) => words(lines.map(detailPart)).includes(ASKED));
        expect(seen.join("\n")).not.toContain("owned");
      }
      const isTop = (lines: readonly string[]) =>
        has("more lines: Space", "q quit")(lines) && !lines.join(" ").includes("week.");
      let shown = (await within(40, 10, isTop)).join("\n");
      const page = async (key: string) => {
        const before = shown;
        screen.type(key);
        shown = (await screen.seen((lines) => lines.join("\n") !== before)).join("\n");
      };
      while (!shown.includes("week.")) await page(" ");
      while (shown.includes("week.")) await page("b");
      screen.press("w");
      await screen.seen(last("Your answer: _"));
      screen.type("the new one");
      screen.press("Enter");
      await within(80, 24, has("Answered q1", "2 wait for you"));
      screen.type("/fails");
      screen.press("Enter");
      await screen.seen(has("failed (exit 3): echo the last words", "│ the last words", "t try again"));
      screen.press("t");
      await screen.seen(has("BAD is ready_for_agent.", "1 waits for you, 0 working"));
      screen.press("C-c");
      expect(await screen.seen(last("exit "))).toContain("exit 130");
      expect(project.read("after")).toBe(project.read("before"));
    },
  );

  it.skipIf(!HAS_TMUX)("answers an agent of an own workflow, and lets it try again", LONG, async () => {
    promise("board.order");
    using project = reviewProject({
      answers: { "Write the text": "SAY: Which of the two?", "The first.": "SAY: It is done." },
    });
    await project.bloom("cast", "review:T", "start");
    await project.run();
    const command = `${process.execPath} ${MAIN} watch`;
    using screen = openScreen(command, project.root, { ...project.environment, NO_COLOR: "1" });
    await screen.seen(has("your turn  Review T"));
    screen.press("Enter");
    await screen.seen(has("the agent writer asks: Which of the two?", "w answer"));
    screen.type("w");
    await screen.seen(last("Your answer: _"));
    screen.type("The first.");
    screen.press("Enter");
    await screen.seen(has("The agent writer tries review:T again, with what you said"));
    expect(runOf(project).pending.work).toMatchObject({ hint: "The first." });
    await project.run();
    await screen.seen(has("its answer was refused twice", "t try again"));
    screen.press("t");
    await until(() => runOf(project).pending.work.held === undefined);
  });

  it.skipIf(!HAS_TMUX)(
    "gives a hint, takes over, cancels, speaks to an agent and stops it, and shows history and log, by one key each",
    LONG,
    async () => {
      promise("cli.watch");
      using project = bloomProject({
        tasks: KEYS,
        settings: { tries: 1 },
        answers: { "Use port 8081": "RUN: git commit -q --allow-empty -m Port; bloom done TELL" },
      });
      const loop = project.start("--agents", "3");
      try {
        const command = `${process.execPath} ${MAIN} watch`;
        using screen = openScreen(command, project.root, { ...project.environment, NO_COLOR: "1" });
        await screen.seen(has("3 wait for you, 2 working", "q quit"));
        // What came since the screen opened.
        screen.type("n");
        await screen.seen(has(" of 5"));
        const taskOf = (id: string) => project.tasks().find((task) => task.id === id);
        const at = async (words: string) => {
          screen.type(`/${words}`);
          screen.press("Enter");
          await screen.seen(has(`/${words}`, "1 of 1"));
        };
        const says = async (key: string, asks: string, words: string) => {
          if (key !== "") screen.type(key);
          await screen.seen(last(asks));
          screen.type(words);
          screen.press("Enter");
        };

        await at("hint it");
        await says("h", "What the agent should know: _", "Mind the tests.");
        await screen.seen(has("HINT is ready_for_agent."));
        await until(() => project.runs().some(({ prompt }) => prompt.includes("hint: Mind the tests.")));

        await at("take it");
        screen.type("o");
        await screen.seen(has("TAKE is in_progress."));
        expect(taskOf("TAKE")?.status).toBe("in_progress");

        await at("cancel it");
        // Without a reason it is not cancelled.
        screen.type("c");
        await screen.seen(last("Why it will not be done: _"));
        screen.press("Enter");
        await screen.seen((lines) => lines.at(-1)?.includes("q quit") === true);
        expect(taskOf("DROP")?.status).toBe("blocked");
        await says("c", "Why it will not be done: _", "Nobody needs it.");
        await says("", "Yes or no? [y/N]", "y");
        await screen.seen(has("DROP: cancelled."));
        expect(taskOf("DROP")).toMatchObject({ status: "cancelled", cancel_reason: "Nobody needs it." });

        await at("tell it");
        await says("i", "The agent reads this before its next step: _", "Use port 8081.");
        await until(() => taskOf("TELL")?.status === "done");
        expect(project.runs().findLast(({ run }) => run === "TELL.2")).toMatchObject({
          resumed: true,
          prompt: expect.stringContaining("A person says:\n\nUse port 8081."),
        });

        await at("stop it");
        await says("s", "stop: really? [y/N] _", "n");
        await screen.seen((lines) => lines.at(-1)?.includes("s stop") === true);
        expect(taskOf("STOP")?.status).toBe("in_progress");
        await says("s", "stop: really? [y/N] _", "y");
        await screen.seen(has("STOP is blocked."));
        expect(taskOf("STOP")).toMatchObject({
          status: "blocked",
          ai_notes: [expect.stringContaining("stopped by a person")],
        });

        for (const [key, shown] of [
          ["v", "STOP  blocked  Stop it"],
          ["l", "bloom:STOP  in_progress → blocked"],
        ] as const) {
          screen.type(key);
          // The screen that comes back first is the one of the key before.
          await screen.seen((lines) => last("Enter: back to the list.")(lines) && has(shown)(lines));
          screen.press("Enter");
          await screen.seen(has("/stop it", "1 of 1"));
        }
        screen.press("Escape");
        await screen.seen((lines) => !lines.some((line) => line.includes("/stop it")));
        screen.type("n");
        screen.press("Home");
        const listed = await screen.seen(has("1 of "));
        const count = Number(/ 1 of (\d+)/.exec(listed[0] ?? "")?.[1]);
        expect(count).toBeGreaterThan(2);
        for (const [key, place] of [
          ["End", count],
          ["Home", 1],
          ["j", 2],
          ["Down", 3],
          ["k", 2],
          ["Up", 1],
          ["PageDown", count],
          ["PageUp", 1],
        ] as const) {
          screen.press(key);
          await screen.seen(has(`${place} of ${count}`));
        }
        screen.press("Escape");
        expect(await screen.seen(last("exit "))).toContain("exit 0");
      } finally {
        loop.kill();
        await end(loop);
      }
    },
  );
});

/** The detail stands to the right of the list where both are shown. */
function detailPart(line: string): string {
  return line.includes(" │") && !line.startsWith("│") ? line.slice(line.indexOf("│") + 1).trim() : line;
}
