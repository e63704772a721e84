import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WORKFLOWS } from "../../workflows/index.ts";
import type { CommandSpec, Host } from "./command.ts";
import { obeyLine } from "./command-line.ts";
import { COMMANDS } from "./commands.ts";
import { plainCall } from "./plain-call.ts";
import { verbCommands } from "./verb.ts";

const SPECS = [...COMMANDS, ...(await verbCommands(WORKFLOWS))];
const OWN = [
  "--json",
  "--project",
  "--project=p",
  "--file",
  "-f",
  "-h",
  "--help",
  "-V",
  "--",
  "-",
  "--no-such",
];
const WORDS = ["a", "T1", "T1-a", "", "-1", "0", "todo", "a b", "ai", "--x=1"];

const host = { name: "pawl", version: "0", terminal: { columns: 80, out: () => true } } as unknown as Host;

/** What the full parser makes of it; null: it calls no command. */
async function fully(argv: readonly string[], spec: CommandSpec) {
  let called: unknown = null;
  await obeyLine(argv, {
    meant: [spec],
    specs: SPECS,
    host,
    act: async (meant, input) => {
      called = { spec: meant, input };
    },
  }).catch(() => {});
  return called;
}

/** Lines for a command: its words first or among others, its options in each spelling, values that it takes and others. */
function linesFor({ name, options, arguments: given }: CommandSpec) {
  const spellings = options.flatMap(({ flags }) => flags.match(/--?[\w-]+/g) ?? []);
  const choices = [...options, ...given].flatMap((each) => each.choices ?? []);
  const word = fc.constantFrom(...WORDS, ...choices, ...spellings, ...spellings, ...OWN);
  const words = name.split(" ");
  return fc.oneof(
    fc.array(word, { maxLength: 5 }).map((rest) => [...words, ...rest]),
    fc.array(fc.oneof(word, fc.constantFrom(...words)), { maxLength: 6 }),
    fc
      .tuple(
        fc.constantFrom(["--json"], ["-f", "t.yaml"], ["--project", "p"]),
        fc.array(word, { maxLength: 3 }),
      )
      .map(([own, rest]) => [...own, ...words, ...rest]),
  );
}

describe("A plain command line", () => {
  it("means what the full parser makes of it, for every command", async () => {
    let plain = 0;
    for (const spec of SPECS)
      await fc.assert(
        fc.asyncProperty(linesFor(spec), async (argv) => {
          const found = plainCall(argv, [spec]);
          if (!found) return;
          plain += 1;
          expect(found).toEqual(await fully(argv, spec));
        }),
        { numRuns: 60 },
      );
    expect(plain).toBeGreaterThan(SPECS.length * 5);
  });

  it.each([
    ["status"],
    ["status --json"],
    ["--project p list"],
    ["log T7"],
    ["step done T0-a"],
    ["lumos --file=t.yaml"],
  ])("is found plain, if it is short of an equals sign: %s", (line) => {
    const argv = line.split(" ");
    const words = argv.filter((word) => !word.startsWith("-") && word !== "p");
    const named = SPECS.filter(({ name }) => `${words.join(" ")} `.startsWith(`${name} `));
    expect(plainCall(argv, named.slice(-1)) !== null).toBe(!line.includes("="));
  });
});
