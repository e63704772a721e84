/** The help of every command, and the main screens, at a width at which words are cut easily. */
import { beforeAll, describe, expect, it } from "vitest";
import { COMMAND_GROUPS, SHOWN_COMMANDS, shownCommand } from "../../src/core/command-groups.ts";
import { COMMANDS } from "../../src/surfaces/cli/line/commands.ts";
import { EXAMPLES } from "../../src/surfaces/cli/line/examples.ts";
import { WORKFLOWS } from "../../src/workflows/index.ts";
import { temporaryProject } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

const NARROW = { COLUMNS: "60", DOOR_ONLY: "" };
const WIDE = { COLUMNS: "100", DOOR_ONLY: "" };

let names: readonly string[] = [];
beforeAll(async () => {
  const modules = await Promise.all(Object.values(WORKFLOWS).map((load) => load()));
  names = [...new Set([...COMMANDS, ...modules.flatMap(({ verbs }) => verbs)].map(({ name }) => name))];
});

/** Words that a narrow screen shows and a wide one does not: they were cut. */
function cutIn(narrow: string, wide: string): readonly string[] {
  const whole = new Set(wide.split(/\s+/));
  return narrow.split(/\s+/).filter((word) => !whole.has(word) && word !== "\\");
}

describe("the help of every command", () => {
  it("shows examples, each of which is a line of that command", async () => {
    promise("cli.help");
    using project = temporaryProject({ environment: WIDE });
    expect(names.length).toBeGreaterThan(60);
    expect(names.filter((name) => !Object.hasOwn(EXAMPLES, name))).toEqual([]);
    for (const name of names) {
      const { code, out } = await project.pawl("help", ...name.split(" "));
      expect(code, name).toBe(0);
      expect(out, name).toContain("\nExamples:\n");
      for (const example of EXAMPLES[name] ?? []) {
        expect(example.split(" ").slice(0, name.split(" ").length).join(" ")).toBe(name);
        expect(out).toContain(`  pawl ${example}\n`);
      }
    }
  });

  it("is of 30 commands in four groups, on one screen, and no command's own is longer than 40 lines", async () => {
    promise("cli.groups");
    using project = temporaryProject({ environment: { COLUMNS: "80", DOOR_ONLY: "" } });
    expect(SHOWN_COMMANDS.length).toBeLessThanOrEqual(30);
    expect(Object.keys(COMMAND_GROUPS).length).toBe(4);
    expect(
      names
        .map((name) => shownCommand(name).split(" ")[0])
        .filter((name) => !SHOWN_COMMANDS.includes(name ?? "")),
    ).toEqual([]);
    const { out } = await project.pawl("--help");
    expect(out.split("\n").length).toBeLessThanOrEqual(30);
    for (const name of ["task", ...names]) {
      const lines = (await project.pawl(...shownCommand(name).split(" "), "--help")).out
        .trimEnd()
        .split("\n");
      expect(lines.length, name).toBeLessThanOrEqual(40);
    }
  });

  it("begins with what the command does, in the imperative, and cuts no word at 60 columns", async () => {
    promise("cli.narrow");
    using narrow = temporaryProject({ environment: NARROW });
    using wide = temporaryProject({ environment: WIDE });
    for (const name of ["", ...names]) {
      const words = [...name.split(" ").filter(Boolean), "--help"];
      const [{ out }, whole] = [await narrow.pawl(...words), await wide.pawl(...words)];
      expect(cutIn(out, whole.out), name).toEqual([]);
      expect(
        out.split("\n").filter((line) => line.length > 60 && !/^ *\S+$/.test(line)),
        name,
      ).toEqual([]);
      expect(out, name).not.toMatch(
        /\n\n(?:Shows|Lists|Prints|Writes|Checks|Runs|Takes)\b[^\n]*\n\nOptions:/,
      );
    }
  });
});

describe("a screen of 60 columns", () => {
  it.each([["status"], ["check"], ["config"], ["doctor"], ["trust"], ["log"], ["uninstall", "--dry-run"]])(
    "cuts no word: pawl %s",
    async (...words) => {
      promise("cli.narrow");
      using project = temporaryProject({ environment: NARROW });
      await project.pawl("init", "--client", "cursor");
      const wide = { ...WIDE };
      const narrow = await project.pawl(...words);
      const whole = await import("../rig/project.ts").then(({ pawlInside }) =>
        pawlInside(project.root, words, wide),
      );
      expect(narrow.code).toBe(whole.code);
      const cut = cutIn(narrow.out, whole.out).filter((word) => !word.includes("…"));
      expect(cut).toEqual([]);
    },
  );
});
