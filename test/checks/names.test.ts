/** Names that say nothing of what they hold, or that only Pawl had: no declaration has them, and no file. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const FILES = ["src", "test", "scripts", "bench", "demo"].flatMap((folder) =>
  (readdirSync(join(ROOT, folder), { recursive: true }) as string[])
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name)),
);

/** The name, and what is said in its place. */
const RETIRED: Readonly<Record<string, string>> = {
  Around: "OverviewContext, or another context",
  Asked: "what is sent: LoopbackRequest, VerdictQuestion",
  BloomHappening: "BloomEvent",
  Claims: "LeaseManager",
  Ear: "OutputReader",
  Found: "what was found: ReviewFindings, FileOnDisk",
  Ground: "ServeContext, or a project",
  Happening: "ProjectEvent",
  Known: "TaskSnapshot, or what is known",
  Place: "what is there: RepoPaths, StoredProject",
  Scene: "a context or a case",
  Seen: "what was loaded: LoadedTask, LoadedBranches",
  Served: "ServerDeps",
  Serving: "Connection",
  Sides: "the branches of a run: OwnBranches, TaskBranches",
  Sight: "Reader",
  Stands: "RecordedState",
  Strays: "OutOfScopeEdits, ScopeWatch",
  TakeInput: "AdoptInput",
  Told: "AgentLine, or what is said",
  Vault: "ProjectKey",
  advance: "runTransaction",
  besideStrays: "proposeWithOutOfScopeEdits",
  errand: "purpose",
  goesOn: "continueRun, isResumed",
  gone: "removeRun",
  ground: "context, project",
  happened: "events",
  hearLine: "onLine",
  isToldOtherwise: "wasOverruled",
  listen: "readOutput, or what is listened to",
  meant: "candidates",
  obey: "dispatch",
  obeyLine: "parseArguments",
  own: "whose it is: taskVerb, capFor",
  sight: "reader",
  Silence: "SilenceWatch",
  silence: "drained",
  stands: "recordedState",
  sides: "branches",
  strays: "outOfScopeEdits",
  take: "adopt, or what is done with what",
  takeEvent: "decideEvent",
  takeNow: "decideNow",
  takeOver: "adoptRun",
  tell: "what is written, and where: printAddress, sendNotices",
  tellActive: "interruptActive",
  tellStanding: "reportProgress",
  told: "what it returns: stepLines, resultOrError",
  turn: "applyEvent",
  turnBy: "applyDecision",
  vault: "projectKey",
};

/** Ends of types that say as little; a protected place is a word of the glossary. */
const VAGUE_TYPE = /^(?!ProtectedPlace$)[A-Z]\w+(?:Around|Look|Place|Seen)$/;

const FILE_NAMES: Readonly<Record<string, string>> = {
  around: "overview-context.ts",
  serving: "connection.ts",
  standing: "resolve-run.ts, scheduling-status.ts",
  stands: "recorded-state.ts",
  "take-over": "adopt-run.ts",
  strays: "out-of-scope-edits.ts",
  told: "what it exports",
  vault: "project-key.ts",
};

const DECLARED =
  /^\s*(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?(?:function\*?|interface|class|type|enum) (\w+)|^(?:export )?(?:const|let) (\w+)\b/gm;

function retiredIn(path: string): readonly string[] {
  const file = FILE_NAMES[basename(path).replace(/\..*$/, "")];
  const names = [...readFileSync(join(ROOT, path), "utf8").matchAll(DECLARED)].map(
    (match) => match[1] ?? match[2] ?? "",
  );
  return [
    ...(file === undefined ? [] : [`${path} is called after nothing that it holds: say ${file}`]),
    ...names.flatMap((name) =>
      Object.hasOwn(RETIRED, name)
        ? [`${path} declares ${name}: say ${RETIRED[name]}`]
        : VAGUE_TYPE.test(name)
          ? [`${path} declares ${name}: say what it holds`]
          : [],
    ),
  ];
}

it("Nothing is declared by a name that was given up", () => {
  expect(FILES.length).toBeGreaterThan(1_000);
  expect(FILES.flatMap(retiredIn)).toEqual([]);
});

/** A function that returns a PawlError, or null, with its name. */
const MAKES_ERROR =
  /^\s*(?:export )?(?:async )?function (\w+)\((?:[^()]|\([^()]*\))*\): (?:Promise<)?PawlError(?: \| null)?>? \{$/gm;

it("A function that makes an error is called after it: `missingRunError`", () => {
  const makers = FILES.filter((path) => path.startsWith("src/") && !path.includes(".test.")).flatMap((path) =>
    [...readFileSync(join(ROOT, path), "utf8").matchAll(MAKES_ERROR)].map(
      ([, name = ""]) => `${path} ${name}`,
    ),
  );
  expect(makers.length).toBeGreaterThan(100);
  expect(makers.filter((maker) => !maker.endsWith("Error"))).toEqual([]);
});
