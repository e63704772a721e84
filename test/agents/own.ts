/**
 * A workflow of one's own with real agents in its rows: claude writes, codex reviews behind the wall and may only read, claude mends in
 * its session, and a person decides.
 */
import { strict as assert } from "node:assert";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openModelServer } from "../rig/model/server.ts";
import { REVIEW } from "../rig/own-agents.ts";
import { trustAsItIs } from "../rig/trust.ts";
import { follow, freshFolder, linesOf, PAWL } from "./agent-project.ts";
import { tellOf } from "./proofs.ts";
import { BOTH, type TeamStage } from "./team.ts";

export const OWN =
  "in a workflow of one's own, claude writes, codex reviews, claude mends, and a person decides";

const TEXTS = {
  moved: "It is {{ state }}.\n",
  "not-now": "Not now.\n",
  write: `Write the text, round {{ kept.rounds }}.
RUN: echo "round {{ kept.rounds }}, told: {{ said.reviewer.points }}" >> text.md
SAY: {"next": "written"}
`,
  look: `Look at it, round {{ kept.rounds }}.
RUN: cat text.md
RUN: echo spoiled > text.md
{% if kept.rounds == 0 %}SAY: I looked. {"verdict": "bad", "points": "Say more."}{% else %}SAY: {"verdict": "good", "points": "Fine."}{% endif %}
`,
} as const;

/** Throws where it does not hold. */
export async function ownWork({ binaries, environment }: TeamStage): Promise<string> {
  const folder = freshFolder("own");
  const model = await openModelServer();
  const root = join(folder, "project");
  try {
    mkdirSync(join(root, "review"), { recursive: true });
    const home = join(folder, "home");
    const own = Object.assign({}, ...BOTH.map((driven) => driven.environment(home, model.url)));
    const env = { PATH: process.env.PATH ?? "", HOME: home, LANG: "C.UTF-8", ...own, ...environment };
    const agents = BOTH.map((driven) => [driven.name, driven.settings(binaries.get(driven.program) ?? "")]);
    const settings = { workflows: ["./review.yaml"], agents: Object.fromEntries(agents) };
    writeFileSync(join(root, "pawl.yaml"), JSON.stringify(settings));
    const table = REVIEW.replace("writer: { session", "writer: { agent: claude, permission: all, session");
    writeFileSync(join(root, "review.yaml"), table.replace("reviewer: {", "reviewer: { agent: codex,"));
    for (const [name, text] of Object.entries(TEXTS)) writeFileSync(join(root, "review", `${name}.md`), text);
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: root, stdio: "pipe" });
    git("init", "-q");
    git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "Begin", "--allow-empty");
    trustAsItIs(root, env);
    const pawl = (...words: readonly string[]) =>
      follow(spawn(process.execPath, [PAWL, ...words], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] }))
        .ended;
    assert.equal((await pawl("cast", "review:T", "start")).code, 0);
    const ran = await pawl("run", "--once", "--json");
    const told = tellOf(ran);
    assert.equal(ran.code, 0, told);
    const events = linesOf((await pawl("log", "--json")).out);
    const started = events.filter(({ type }) => type === "agent:started");
    assert.deepEqual(
      started.map(({ agent, purpose, resumed }) => [purpose, agent, resumed]),
      [
        ["writer", "claude", false],
        ["reviewer", "codex", false],
        ["writer", "claude", true],
        ["reviewer", "codex", false],
      ],
      told,
    );
    const { state, said } = JSON.parse(readFileSync(join(root, ".pawl/runs/review/T.json"), "utf8"));
    assert.deepEqual([state, said.reviewer], ["deciding", { points: "Fine." }], told);
    assert.equal(
      readFileSync(join(root, "text.md"), "utf8"),
      "round 0, told: \nround 1, told: Say more.\n",
      told,
    );
    const ends = events.filter(({ type }) => type === "agent:ended");
    assert.ok(
      ends.every(({ outcome, outputTokens }) => outcome === "succeeded" && Number(outputTokens) > 0),
      told,
    );
    return `${started.length} runs, each counted`;
  } finally {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
