/**
 * A whole run of a template with real agents in its rows: claude writes, codex reviews behind the wall and may only read, claude mends in
 * its session, and a person decides.
 */
import { strict as assert } from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parseTemplate } from "../../src/workflows/custom/gallery.ts";
import { openModelServer } from "../rig/model/server.ts";
import { atTerminal } from "../rig/terminal.ts";
import { trustAsItIs } from "../rig/trust.ts";
import { follow, freshFolder, linesOf, PAWL } from "./agent-project.ts";
import { tellOf } from "./proofs.ts";
import { BOTH, type TeamStage } from "./team.ts";

export const OWN =
  "in the template two-model-review, claude writes, codex reviews, claude mends, and a person decides";

const TEMPLATE = "two-model-review";
const PAGE = resolve(import.meta.dirname, `../../src/workflows/custom/templates/${TEMPLATE}.md`);
const RUN = `${TEMPLATE}:T`;

/** What the scripted model does besides, at the end of the template's own prompts. */
const DOES: Readonly<Record<string, string>> = {
  "write.md": `RUN: echo "round {{ kept.round }}, told: {{ said.reviewer.points }}" >> text.md
SAY: {"next": "written", "summary": "I wrote it."}
`,
  "review.md": `RUN: cat text.md
RUN: echo spoiled > text.md
{% if kept.round == 1 %}SAY: I looked. {"verdict": "flawed", "points": "Say more."}{% else %}SAY: {"verdict": "sound", "points": ""}{% endif %}
`,
};

/** Throws where it does not hold. */
export async function ownWork({ binaries, environment }: TeamStage): Promise<string> {
  const folder = freshFolder("own");
  const model = await openModelServer();
  const root = join(folder, "project");
  try {
    for (const each of [TEMPLATE, "wishes"]) mkdirSync(join(root, each), { recursive: true });
    const home = join(folder, "home");
    const own = Object.assign({}, ...BOTH.map((driven) => driven.environment(home, model.url)));
    const env = { PATH: process.env.PATH ?? "", HOME: home, LANG: "C.UTF-8", ...own, ...environment };
    const agents = BOTH.map((driven) => [driven.name, driven.settings(binaries.get(driven.program) ?? "")]);
    const settings = { workflows: [`./${TEMPLATE}.yaml`], agents: Object.fromEntries(agents) };
    writeFileSync(join(root, "pawl.yaml"), JSON.stringify(settings));
    const { files } = parseTemplate(readFileSync(PAGE, "utf8"));
    for (const [path, text] of Object.entries(files))
      writeFileSync(
        join(root, path),
        `${text.replace("author: { agent: claude,", "author: { agent: claude, permission: all,")}${DOES[basename(path)] ?? ""}`,
      );
    writeFileSync(join(root, "wishes/T.md"), "A text.\n");
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: root, stdio: "pipe" });
    git("init", "-q");
    git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "Begin", "--allow-empty");
    trustAsItIs(root, env);
    const pawl = (...words: readonly string[]) =>
      follow(spawn(process.execPath, [PAWL, ...words], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] }))
        .ended;
    const person = (...words: readonly string[]) =>
      atTerminal([process.execPath, PAWL, ...words], { cwd: root, env, answer: "y\n" });
    const begun = await person("cast", RUN, "begin");
    assert.equal(begun.code, 0, begun.screen);
    const ran = await pawl("run", "--once", "--json");
    const told = tellOf(ran);
    assert.equal(ran.code, 3, told);
    const events = linesOf((await pawl("log", "--json")).out);
    const started = events.filter(({ type }) => type === "agent:started");
    assert.deepEqual(
      started.map(({ agent, purpose, resumed }) => [purpose, agent, resumed]),
      [
        ["author", "claude", false],
        ["reviewer", "codex", false],
        ["author", "claude", true],
        ["reviewer", "codex", false],
      ],
      told,
    );
    const { said, state } = JSON.parse(readFileSync(join(root, `.pawl/runs/${TEMPLATE}/T.json`), "utf8"));
    assert.deepEqual(
      [state, said.author, said.reviewer],
      ["deciding", { summary: "I wrote it." }, { points: "" }],
      told,
    );
    assert.equal(
      readFileSync(join(root, "text.md"), "utf8"),
      "round 1, told: \nround 2, told: Say more.\n",
      told,
    );
    const ends = events.filter(({ type }) => type === "agent:ended");
    assert.ok(
      ends.every(({ outcome, outputTokens }) => outcome === "succeeded" && Number(outputTokens) > 0),
      told,
    );
    const approved = await person("approve", RUN);
    assert.match(approved.out, /is accepted/, approved.screen);
    return `${started.length} runs, each counted`;
  } finally {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
