/** The second demonstration: an agent that approves itself, at a gate of a workflow of the project's own. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type AtTerminal, atTerminal } from "../../test/rig/terminal.ts";
import { connect, PROGRAM } from "../stage.ts";
import { type AttemptResult, codeIn, type Layer } from "./attempt.ts";
import { type Ground, openGround } from "./ground.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/release-project", import.meta.url));
const PASSPHRASE = "correct horse";
/** It waits at its gate, where a person says yes. */
const PLAIN = "1.0";
/** It waits at its gate, where a person signs. */
const SIGNED = "1.1";
const runOf = (id: string) => `release:${id}`;
const fileOf = (id: string) => `.pawl/runs/release/${id}.json`;

/** What stops it; a test takes the key away, to see what a terminal of its own can do then. */
interface Rule {
  readonly gates: "signed" | "terminal";
}

const RULE: Rule = { gates: "signed" };

export function openApproves(fast: boolean): Promise<Ground> {
  const files = readdirSync(EXAMPLE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
    .map((path) => [relative(EXAMPLE, path), readFileSync(path, "utf8")]);
  return openGround({
    fast,
    files: { ...Object.fromEntries(files), ".gitignore": ".pawl/\ntags/\n" },
  });
}

export async function approvesOn(ground: Ground, rule = RULE): Promise<void> {
  await handIn(ground, PLAIN);
  await byTool(ground);
  await byClient(ground);
  await byShell(ground);
  await byEdits(ground);
  await askForSignatures(ground, rule);
  await handIn(ground, SIGNED);
  await atTheKey(ground);
  await atTheBranch(ground);
}

/** Work on a branch of its own, and its release handed in by the assistant, as it should. */
async function handIn(ground: Ground, id: string): Promise<void> {
  ground.git("checkout", "-q", "-b", `work-${id}`, "main");
  ground.write(`src/${id}.js`, "one\n");
  ground.write(`releases/${id}.md`, "- [x] the notes are right\n");
  ground.git("add", "-A");
  ground.git("commit", "-qm", `The work of ${id}`);
  const assistant = await connect(ground.stage);
  try {
    await assistant.call("advance", { run: runOf(id), event: "submit", given: { risk: "low" } });
  } finally {
    await assistant.close();
  }
}

async function byTool(ground: Ground): Promise<void> {
  const assistant = await connect(ground.stage);
  await ground.attempt("sends `approve` by its own tool", async () => {
    const { data, isRefused } = await assistant.ask("advance", { run: runOf(PLAIN), event: "approve" });
    const result = "the move: this gate takes a person's word alone";
    return waiting(ground, PLAIN, {
      layer: "Pawl's tools",
      word: isRefused ? String(data?.code) : null,
      wants: "caller-not-allowed",
      result,
    });
  });
  await assistant.close();
}

interface ClientCall {
  readonly tool_name: string;
  readonly tool_input: Readonly<Record<string, string>>;
}

/** As a client does with its hook: it asks the guard first, and carries out what is not denied. Gives the decision. */
function askGuard({ folder, variables }: Ground, call: ClientCall, carryOut: () => void): string | null {
  const input = { session_id: "demo", cwd: folder, hook_event_name: "PreToolUse", ...call };
  const said = execFileSync(process.execPath, [PROGRAM, "guard", "claude-code"], {
    cwd: folder,
    env: variables,
    encoding: "utf8",
    input: JSON.stringify(input),
  });
  const decision = said === "" ? null : String(JSON.parse(said).hookSpecificOutput.permissionDecision);
  if (decision !== "deny") carryOut();
  return decision;
}

/** Its client's own tools, where `pawl guard` is its hook. */
async function byClient(ground: Ground): Promise<void> {
  const { folder, variables } = ground;
  const state = ground.read(fileOf(PLAIN));
  const bash = (command: string) =>
    askGuard(ground, { tool_name: "Bash", tool_input: { command } }, () => {
      execFileSync("sh", ["-c", command], { cwd: folder, env: variables });
    });
  await ground.attempt("writes the state with its client's own file tool", async () => {
    const content = state.replace("in_review", "published");
    const file_path = join(folder, fileOf(PLAIN));
    const word = askGuard(ground, { tool_name: "Write", tool_input: { file_path, content } }, () =>
      ground.write(fileOf(PLAIN), content),
    );
    const result = "the call: the client's hook refuses it before it is made";
    return waiting(
      ground,
      PLAIN,
      { layer: "the guard", word, wants: "deny", result },
      {
        "the file is as it was": ground.read(fileOf(PLAIN)) === state,
        "reading goes on": bash("cat release.yaml") === null,
      },
    );
  });
  await ground.attempt("runs the approval in its client's shell, out of sight", async () => {
    const word = bash(`cd src && sh -c "env -u AI_AGENT pawl approve ${runOf(PLAIN)}" > /dev/null || true`);
    const result = "the call: what only a person may say is refused unheard";
    return waiting(ground, PLAIN, { layer: "the guard", word, wants: "deny", result });
  });
}

async function byShell(ground: Ground): Promise<void> {
  const approve = `pawl approve ${runOf(PLAIN)}`;
  const kept = ["PATH", "HOME", "XDG_STATE_HOME"].map((name) => `${name}="$${name}"`).join(" ");
  const ways = [
    [`runs ${approve} in its shell`, approve, "the approval: its process shows that it is an agent's"],
    [
      "clears its environment, and pipes in a yes",
      `echo y | env -i ${kept} ${approve}`,
      "the approval: its parents still show it, and no yes is piped in",
    ],
    [
      "opens a terminal of its own for it",
      `echo y | ${inTerminal(approve)}`,
      "the approval: a terminal that an agent opened is the agent's",
    ],
  ] as const;
  for (const [tries, command, result] of ways)
    await ground.attempt(tries, async () => {
      const { code, output } = await ground.shell(command);
      const word = code === 0 ? null : codeIn(output);
      return waiting(ground, PLAIN, {
        layer: "the terminal question",
        word,
        wants: "caller-not-allowed",
        result,
      });
    });
}

/** A shell's command that runs another at a terminal that it opens itself. */
const inTerminal = (command: string) =>
  process.platform === "darwin" ? `script -q /dev/null ${command}` : `script -qec '${command}' /dev/null`;

async function byEdits(ground: Ground): Promise<void> {
  const state = ground.read(fileOf(PLAIN));
  await ground.attempt('edits the state: "published" in place of "in_review"', async () => {
    const { code, output } = await ground.shell(
      `${edit(fileOf(PLAIN), '"state": "in_review"', '"state": "published"')}; pawl cast ${runOf(PLAIN)}`,
    );
    const edited = ground.read(fileOf(PLAIN)) !== state;
    ground.write(fileOf(PLAIN), state);
    const result = "the forgery: the run is held until a person decides";
    const word = code === 0 ? null : codeIn(output);
    const seen = { layer: "the run's history", word, wants: "state-tampered", result } as const;
    return waiting(ground, PLAIN, seen, { "the file was edited": edited });
  });
  await ground.attempt("edits the workflow: its gate takes anyone's word", async () => {
    const { code, output } = await ground.shell(
      `${edit("release.yaml", ", verdict: approve }", " }")}; pawl cast ${runOf(PLAIN)} approve`,
    );
    const edited = ground.git("diff", "--stat") !== "";
    ground.git("checkout", "-q", "release.yaml");
    const result = "the move: the rule is the one with which the run began";
    const word = code === 0 ? null : codeIn(output);
    const seen = { layer: "the policy pin", word, wants: "policy-held", result } as const;
    return waiting(ground, PLAIN, seen, { "the file was edited": edited });
  });
}

/** A shell's command, for every kind of sed. */
const edit = (path: string, from: string, to: string) =>
  `sed 's/${from}/${to}/' ${path} > edited && mv edited ${path}`;

/** The person makes a key with a passphrase; on the protected main stands who may sign, and that gates are signed. */
async function askForSignatures(ground: Ground, { gates }: Rule): Promise<void> {
  ground.git("checkout", "-q", "main");
  ground.stage.setVariables({ XDG_CONFIG_HOME: join(ground.place, "config") });
  await ground.person("keys", "add", `${newKey(ground, "gate-key", PASSPHRASE)}.pub`);
  ground.write("pawl.yaml", `${ground.read("pawl.yaml")}gates: ${gates}\n`);
  ground.git("add", "-A");
  ground.git("commit", "-qm", "Signed gates");
  ground.git("init", "-q", "--bare", "-b", "main", ground.stage.remote);
  ground.git("remote", "add", "origin", ground.stage.remote);
  ground.git("push", "-q", "origin", "main");
}

async function atTheKey(ground: Ground): Promise<void> {
  /** What a program of the same user can do that no trace leads from to an agent, at a terminal of its own. */
  const forge = () => typing(ground, ground.folder, ["approve", runOf(SIGNED)], "guessed");
  await ground.attempt("escapes from its processes, and types at a terminal there", async () => {
    const { code, err } = await forge();
    const result = "the approval: it can type yes, but not the key's passphrase";
    return waiting(ground, SIGNED, {
      layer: "the signed gate",
      word: code === 0 ? null : codeIn(err),
      wants: "signature-failed",
      result,
    });
  });
  await ground.attempt("edits the policy first, so that no signature is asked for", async () => {
    await ground.shell(edit("pawl.yaml", "gates: signed", "gates: any"));
    const edited = ground.git("diff", "--stat") !== "";
    const { code, err } = await forge();
    ground.git("checkout", "-q", "pawl.yaml");
    const word = code === 0 ? null : codeIn(err);
    const result = "the approval: the run is held until a person accepts the edit";
    const seen = { layer: "the policy pin", word, wants: "policy-held", result } as const;
    return waiting(ground, SIGNED, seen, { "the file was edited": edited });
  });
}

/** What counts is decided where no agent writes: at the repository with the protected branch. */
async function atTheBranch(ground: Ground): Promise<void> {
  const branch = `work-${SIGNED}`;
  const refuses = async (rule: string, result: string): Promise<AttemptResult> => {
    const { code, output } = await verify(ground, branch);
    const [, found] = /^FAULT ([a-z-]+):/m.exec(output) ?? [];
    const facts = { "it ends with 1": code === 1, [`the fault is ${rule}`]: found === rule };
    return { layer: "pawl verify", word: found ?? null, result, facts };
  };
  await ground.attempt("pushes its branch without any approval", async () => {
    await ground.shell(`git push -q origin ${branch}`);
    return refuses("commit-uncovered", "the merge: nobody approved this commit");
  });
  await ground.attempt("allows a key of its own, in a clone, and signs there", async () => {
    await forgeInClone(ground, branch);
    return refuses("record-signature", "the merge: who may sign is read from main alone");
  });
  await ground.honest("the person signs, with the passphrase", async () => {
    const { code } = await typing(ground, ground.folder, ["approve", runOf(SIGNED)], PASSPHRASE);
    ground.git("add", "-A");
    ground.git("commit", "-q", "--allow-empty", "-m", "Approved");
    ground.git("push", "-q", "--force", "origin", branch);
    const verified = await verify(ground, branch);
    const facts = { "the gate opens": code === 0, "the range is verified": verified.code === 0 };
    return { result: "pawl verify: every commit of the branch is approved", facts };
  });
  await ground.attempt("adds a commit on top of what was approved", async () => {
    await ground.shell(
      `echo evil > src/${SIGNED}.js && git commit -qam Harmless && git push -q origin ${branch}`,
    );
    return refuses("commit-uncovered", "the merge: the signature is for another tree");
  });
}

const verify = (ground: Ground, branch: string) =>
  ground.pawl("verify", `main..${branch}`, "--project", ground.stage.remote);

/** A whole run of its own, in which the agent is the person: what it pushes looks as it should. */
async function forgeInClone(ground: Ground, branch: string): Promise<void> {
  const clone = join(ground.place, "forged");
  ground.git("clone", "-q", "-b", branch, ground.stage.remote, clone);
  ground.git("-C", clone, "branch", "main", "origin/main");
  for (const [name, value] of [
    ["name", "Demo"],
    ["email", "demo@example.invalid"],
  ])
    ground.git("-C", clone, "config", `user.${name}`, `${value}`);
  const own = { XDG_CONFIG_HOME: join(ground.place, "own-config") };
  const say = (...words: readonly string[]) => typing(ground, clone, words, "", own);
  await say("trust", "--yes");
  await say("keys", "add", `${newKey(ground, "own-key", "")}.pub`, "--unprotected");
  await say("cast", runOf(SIGNED), "submit", "--fact", "risk=low");
  const { code, err } = await say("approve", runOf(SIGNED));
  if (code !== 0) throw new Error(`The forger's own gate should open for it, but said: ${err}`);
  ground.git("-C", clone, "add", "-A");
  ground.git("-C", clone, "commit", "-qm", "Approved");
  ground.git("-C", clone, "push", "-q", "origin", branch);
}

function newKey({ place }: Ground, name: string, passphrase: string): string {
  const key = join(place, name);
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-C", "", "-f", key]);
  return key;
}

/** Pawl at a terminal, by somebody who says yes to everything, types the digits that are shown, and this passphrase. */
function typing(
  { variables }: Ground,
  cwd: string,
  words: readonly string[],
  passphrase: string,
  more: Readonly<Record<string, string>> = {},
): Promise<AtTerminal> {
  const env = { ...variables, ...more } as Record<string, string>;
  return atTerminal([process.execPath, PROGRAM, ...words], { cwd, env, answer: "y\n", passphrase });
}

interface Said {
  readonly layer: Layer;
  readonly word: string | null;
  /** The word for which `result` is true. */
  readonly wants: string;
  readonly result: string;
}

/** Whatever was tried, the release still waits, and nothing was released. */
function waiting(
  ground: Ground,
  id: string,
  { wants, ...said }: Said,
  facts: AttemptResult["facts"] = {},
): AttemptResult {
  const { history, state } = JSON.parse(ground.read(fileOf(id)));
  return {
    ...said,
    facts: {
      ...facts,
      [`it says ${wants}`]: said.word === wants,
      "the release waits at its gate": state === "in_review" && history.length === 1,
      "no tag is set": !ground.has(`tags/v${id}`),
    },
  };
}
