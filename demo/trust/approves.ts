/** The second demonstration: an agent that approves itself, at a gate of a workflow of the project's own. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { type AtTerminal, atTerminal } from "../../test/rig/terminal.ts";
import { connect, PROGRAM } from "../stage.ts";
import { type AttemptResult, codeIn, type Layer } from "./attempt.ts";
import { type AttemptProject, openAttemptProject } from "./attempt-project.ts";

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

export function openApproves(fast: boolean): Promise<AttemptProject> {
  const files = readdirSync(EXAMPLE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name, parentPath }) => join(parentPath, name))
    .map((path) => [relative(EXAMPLE, path), readFileSync(path, "utf8")]);
  return openAttemptProject({
    fast,
    files: { ...Object.fromEntries(files), ".gitignore": ".pawl/\ntags/\n" },
  });
}

export async function approvesOn(project: AttemptProject, rule = RULE): Promise<void> {
  await handIn(project, PLAIN);
  await byTool(project);
  await byClient(project);
  await byShell(project);
  await byEdits(project);
  await askForSignatures(project, rule);
  await handIn(project, SIGNED);
  await atTheKey(project);
  await atTheBranch(project);
}

/** Work on a branch of its own, and its release handed in by the assistant, as it should. */
async function handIn(project: AttemptProject, id: string): Promise<void> {
  project.git("checkout", "-q", "-b", `work-${id}`, "main");
  project.write(`src/${id}.js`, "one\n");
  project.write(`releases/${id}.md`, "- [x] the notes are right\n");
  project.git("add", "-A");
  project.git("commit", "-qm", `The work of ${id}`);
  const assistant = await connect(project.stage);
  try {
    await assistant.call("advance", { run: runOf(id), event: "submit", given: { risk: "low" } });
  } finally {
    await assistant.close();
  }
}

async function byTool(project: AttemptProject): Promise<void> {
  const assistant = await connect(project.stage);
  await project.attempt("sends `approve` by its own tool", async () => {
    const { data, isRefused } = await assistant.ask("advance", { run: runOf(PLAIN), event: "approve" });
    const result = "the move: this gate takes a person's word alone";
    return waiting(project, PLAIN, {
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
function askGuard(
  { folder, variables }: AttemptProject,
  call: ClientCall,
  carryOut: () => void,
): string | null {
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
async function byClient(project: AttemptProject): Promise<void> {
  const { folder, variables } = project;
  const state = project.read(fileOf(PLAIN));
  const bash = (command: string) =>
    askGuard(project, { tool_name: "Bash", tool_input: { command } }, () => {
      execFileSync("sh", ["-c", command], { cwd: folder, env: variables });
    });
  await project.attempt("writes the state with its client's own file tool", async () => {
    const content = state.replace("in_review", "published");
    const file_path = join(folder, fileOf(PLAIN));
    const word = askGuard(project, { tool_name: "Write", tool_input: { file_path, content } }, () =>
      project.write(fileOf(PLAIN), content),
    );
    const result = "the call: the client's hook refuses it before it is made";
    return waiting(
      project,
      PLAIN,
      { layer: "the guard", word, wants: "deny", result },
      {
        "the file is as it was": project.read(fileOf(PLAIN)) === state,
        "reading goes on": bash("cat release.yaml") === null,
      },
    );
  });
  await project.attempt("runs the approval in its client's shell, out of sight", async () => {
    const word = bash(`cd src && sh -c "env -u AI_AGENT pawl approve ${runOf(PLAIN)}" > /dev/null || true`);
    const result = "the call: what only a person may say is refused unheard";
    return waiting(project, PLAIN, { layer: "the guard", word, wants: "deny", result });
  });
}

async function byShell(project: AttemptProject): Promise<void> {
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
    await project.attempt(tries, async () => {
      const { code, output } = await project.shell(command);
      const word = code === 0 ? null : codeIn(output);
      return waiting(project, PLAIN, {
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

async function byEdits(project: AttemptProject): Promise<void> {
  const state = project.read(fileOf(PLAIN));
  await project.attempt('edits the state: "published" in place of "in_review"', async () => {
    const { code, output } = await project.shell(
      `${edit(fileOf(PLAIN), '"state": "in_review"', '"state": "published"')}; pawl cast ${runOf(PLAIN)}`,
    );
    const edited = project.read(fileOf(PLAIN)) !== state;
    project.write(fileOf(PLAIN), state);
    const result = "the forgery: the run is held until a person decides";
    const word = code === 0 ? null : codeIn(output);
    const seen = { layer: "the run's history", word, wants: "state-tampered", result } as const;
    return waiting(project, PLAIN, seen, { "the file was edited": edited });
  });
  await project.attempt("edits the workflow: its gate takes anyone's word", async () => {
    const { code, output } = await project.shell(
      `${edit("release.yaml", ", verdict: approve }", " }")}; pawl cast ${runOf(PLAIN)} approve`,
    );
    const edited = project.git("diff", "--stat") !== "";
    project.git("checkout", "-q", "release.yaml");
    const result = "the move: the rule is the one with which the run began";
    const word = code === 0 ? null : codeIn(output);
    const seen = { layer: "the policy pin", word, wants: "policy-held", result } as const;
    return waiting(project, PLAIN, seen, { "the file was edited": edited });
  });
}

/** A shell's command, for every kind of sed. */
const edit = (path: string, from: string, to: string) =>
  `sed 's/${from}/${to}/' ${path} > edited && mv edited ${path}`;

/** The person makes a key with a passphrase; on the protected main stands who may sign, and that gates are signed. */
async function askForSignatures(project: AttemptProject, { gates }: Rule): Promise<void> {
  project.git("checkout", "-q", "main");
  project.stage.setVariables({ XDG_CONFIG_HOME: join(project.place, "config") });
  await project.person("keys", "add", `${newKey(project, "gate-key", PASSPHRASE)}.pub`);
  project.write("pawl.yaml", `${project.read("pawl.yaml")}gates: ${gates}\n`);
  project.git("add", "-A");
  project.git("commit", "-qm", "Signed gates");
  project.git("init", "-q", "--bare", "-b", "main", project.stage.remote);
  project.git("remote", "add", "origin", project.stage.remote);
  project.git("push", "-q", "origin", "main");
}

async function atTheKey(project: AttemptProject): Promise<void> {
  /** What a program of the same user can do that no trace leads from to an agent, at a terminal of its own. */
  const forge = () => typing(project, project.folder, ["approve", runOf(SIGNED)], "guessed");
  await project.attempt("escapes from its processes, and types at a terminal there", async () => {
    const { code, err } = await forge();
    const result = "the approval: it can type yes, but not the key's passphrase";
    return waiting(project, SIGNED, {
      layer: "the signed gate",
      word: code === 0 ? null : codeIn(err),
      wants: "signature-failed",
      result,
    });
  });
  await project.attempt("edits the policy first, so that no signature is asked for", async () => {
    await project.shell(edit("pawl.yaml", "gates: signed", "gates: any"));
    const edited = project.git("diff", "--stat") !== "";
    const { code, err } = await forge();
    project.git("checkout", "-q", "pawl.yaml");
    const word = code === 0 ? null : codeIn(err);
    const result = "the approval: the run is held until a person accepts the edit";
    const seen = { layer: "the policy pin", word, wants: "policy-held", result } as const;
    return waiting(project, SIGNED, seen, { "the file was edited": edited });
  });
}

/** What counts is decided where no agent writes: at the repository with the protected branch. */
async function atTheBranch(project: AttemptProject): Promise<void> {
  const branch = `work-${SIGNED}`;
  const refuses = async (rule: string, result: string): Promise<AttemptResult> => {
    const { code, output } = await verify(project, branch);
    const [, found] = /^FAULT ([a-z-]+):/m.exec(output) ?? [];
    const facts = { "it ends with 1": code === 1, [`the fault is ${rule}`]: found === rule };
    return { layer: "pawl verify", word: found ?? null, result, facts };
  };
  await project.attempt("pushes its branch without any approval", async () => {
    await project.shell(`git push -q origin ${branch}`);
    return refuses("commit-uncovered", "the merge: nobody approved this commit");
  });
  await project.attempt("allows a key of its own, in a clone, and signs there", async () => {
    await forgeInClone(project, branch);
    return refuses("record-signature", "the merge: who may sign is read from main alone");
  });
  await project.honest("the person signs, with the passphrase", async () => {
    const { code } = await typing(project, project.folder, ["approve", runOf(SIGNED)], PASSPHRASE);
    project.git("add", "-A");
    project.git("commit", "-q", "--allow-empty", "-m", "Approved");
    project.git("push", "-q", "--force", "origin", branch);
    const verified = await verify(project, branch);
    const facts = { "the gate opens": code === 0, "the range is verified": verified.code === 0 };
    return { result: "pawl verify: every commit of the branch is approved", facts };
  });
  await project.attempt("adds a commit on top of what was approved", async () => {
    await project.shell(
      `echo evil > src/${SIGNED}.js && git commit -qam Harmless && git push -q origin ${branch}`,
    );
    return refuses("commit-uncovered", "the merge: the signature is for another tree");
  });
}

const verify = (project: AttemptProject, branch: string) =>
  project.pawl("verify", `main..${branch}`, "--project", project.stage.remote);

/** A whole run of its own, in which the agent is the person: what it pushes looks as it should. */
async function forgeInClone(project: AttemptProject, branch: string): Promise<void> {
  const clone = join(project.place, "forged");
  project.git("clone", "-q", "-b", branch, project.stage.remote, clone);
  project.git("-C", clone, "branch", "main", "origin/main");
  for (const [name, value] of [
    ["name", "Demo"],
    ["email", "demo@example.invalid"],
  ])
    project.git("-C", clone, "config", `user.${name}`, `${value}`);
  const own = { XDG_CONFIG_HOME: join(project.place, "own-config") };
  const say = (...words: readonly string[]) => typing(project, clone, words, "", own);
  await say("trust", "--yes");
  await say("keys", "add", `${newKey(project, "own-key", "")}.pub`, "--unprotected");
  await say("cast", runOf(SIGNED), "submit", "--fact", "risk=low");
  const { code, err } = await say("approve", runOf(SIGNED));
  if (code !== 0) throw new Error(`The forger's own gate should open for it, but said: ${err}`);
  project.git("-C", clone, "add", "-A");
  project.git("-C", clone, "commit", "-qm", "Approved");
  project.git("-C", clone, "push", "-q", "origin", branch);
}

function newKey({ place }: AttemptProject, name: string, passphrase: string): string {
  const key = join(place, name);
  execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", passphrase, "-C", "", "-f", key]);
  return key;
}

/** Pawl at a terminal, by somebody who says yes to everything, types the digits that are shown, and this passphrase. */
function typing(
  { variables }: AttemptProject,
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
  project: AttemptProject,
  id: string,
  { wants, ...said }: Said,
  facts: AttemptResult["facts"] = {},
): AttemptResult {
  const { state } = JSON.parse(project.read(fileOf(id)));
  const lines = project.read(`.pawl/log/release/${id}.jsonl`).trimEnd().split("\n");
  const moves = lines.filter((line) => JSON.parse(line).step?.event !== undefined);
  return {
    ...said,
    facts: {
      ...facts,
      [`it says ${wants}`]: said.word === wants,
      "the release waits at its gate": state === "in_review" && moves.length === 1,
      "no tag is set": !project.has(`tags/v${id}`),
    },
  };
}
