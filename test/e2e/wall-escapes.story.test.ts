/**
 * The wall with real bubblewrap: what an agent tries from inside, each way a row. The agent is the scripted one, so that
 * what it tries is the same each time; what counts is the state outside, looked at afterwards.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { stateFolder } from "../../src/config/state-home.ts";
import { type BloomProject, bloomProject, type Ran } from "../rig/bloom-project.ts";
import { promise } from "../rig/promise.ts";
import { makeKeyOf, stateHome } from "../rig/state-home.ts";
import { NO_WALL } from "../rig/wall.ts";

const LONG = 120_000;
/** What stands in each file that an agent must not read. */
const SECRET = "TOP-SECRET";

interface Escape {
  /** What it tries, in the words of the row's name. */
  readonly tries: string;
  /** `$OUT`: a folder outside of the project. `$OTHER`: another task's workspace. `$HUB`: the project's. `$VICTIM`: a process. */
  readonly command: string;
  /** What it gets to hear, by which a failure is told from a try that never came to pass. */
  readonly says?: RegExp;
}

const ESCAPES: readonly Escape[] = [
  { tries: "to approve for a person", command: "pawl approve T9", says: /\[[a-z-]+\]/ },
  {
    tries: "to approve at a terminal that it makes itself",
    command: "script -qec 'pawl approve T9 --yes' /dev/null < /dev/null",
  },
  { tries: "to edit pawl.yaml", command: "sed -i s/edits/all/ $PAWL_PROJECT/pawl.yaml", says: /Read-only/ },
  { tries: "to write tasks.yaml", command: 'echo "# mine" >> $BLOOM_TASKS_FILE', says: /Read-only/ },
  { tries: "to replace tasks.yaml", command: "mv a.txt $BLOOM_TASKS_FILE", says: /Read-only|cannot move/ },
  {
    tries: "to configure the person's git",
    command: "git -C $PAWL_PROJECT config core.fsmonitor ./evil",
    says: /could not lock|Read-only/,
  },
  { tries: "to configure git for the person", command: "git config --global core.fsmonitor ./evil; true" },
  {
    tries: "to have a program of its own run outside, by its repository",
    command:
      "for k in core.fsmonitor core.pager core.editor filter.x.clean diff.x.textconv gpg.program core.sshCommand; do git config $k 'touch $OUT/mine #'; done; echo '* filter=x diff=x' > .git/info/attributes; git config core.hooksPath .; printf '#!/bin/sh\\ntouch $OUT/mine' > post-index-change; chmod +x post-index-change; echo told",
    says: /told/,
  },
  {
    tries: "to have a file outside written, through a link in its repository",
    command: "ln -sf $PAWL_PROJECT/pawl.yaml .git/MERGE_MSG; ln -sf $OUT/mine .git/ORIG_HEAD; echo linked",
    says: /linked/,
  },
  {
    tries: "to plant a hook for the person",
    command: "echo evil > $PAWL_PROJECT/.git/hooks/pre-push",
    says: /Read-only/,
  },
  {
    tries: "to move the person's main",
    command: "git -C $PAWL_PROJECT update-ref refs/heads/main $(git rev-parse HEAD)",
    says: /Read-only|cannot lock|couldn't/,
  },
  {
    tries: "to move main and another task's branch, and make a tag, in its own repository",
    command:
      "git update-ref refs/heads/main HEAD; git update-ref refs/heads/bloom/T9 HEAD; git tag mine; echo moved",
    says: /moved/,
  },
  {
    tries: "to move a branch of the hub",
    command: "git --git-dir $HUB update-ref refs/heads/bloom/T9 $(git rev-parse HEAD)",
    says: /Read-only|cannot lock|couldn't/,
  },
  {
    tries: "to remove the hub's objects",
    command: "chmod -R u+w $HUB; rm -rf $HUB/objects",
    says: /Read-only/,
  },
  {
    tries: "to point HEAD of the person's checkout elsewhere",
    command: "git -C $PAWL_PROJECT symbolic-ref HEAD refs/heads/x",
    says: /Read-only|unable|cannot lock/,
  },
  { tries: "to read ~/.ssh", command: "cat ~/.ssh/id_ed25519", says: /No such file/ },
  { tries: "to read ~/.aws", command: "cat ~/.aws/credentials", says: /No such file/ },
  {
    tries: "to write the person's HOME",
    command: "echo evil > ~/.bashrc; mkdir -p ~/.ssh; echo k > ~/.ssh/authorized_keys",
  },
  {
    tries: "to see another task's workspace",
    command: "cat $OTHER/secret.txt; ls $OTHER",
    says: /No such file/,
  },
  {
    tries: "to write another task's workspace",
    command: "echo evil > $OTHER/secret.txt",
    says: /No such file/,
  },
  {
    tries: "to see another process",
    command: "kill -0 $VICTIM && echo SEEN; ls /proc/$VICTIM",
    says: /No such/,
  },
  { tries: "to signal another process", command: "kill -9 $VICTIM", says: /No such process/ },
  { tries: "to read Pawl's logs", command: "ls $PAWL_PROJECT/.pawl/log", says: /No such file/ },
  { tries: "to read Pawl's journal", command: "ls $PAWL_PROJECT/.pawl/journal", says: /No such file/ },
  { tries: "to write below .pawl", command: "echo x > $PAWL_PROJECT/.pawl/mine", says: /Read-only/ },
  {
    tries: "to replace the programs that agents call",
    command: "echo x > $PAWL_PROJECT/.pawl/bin/bloom",
    says: /Read-only/,
  },
  {
    tries: "to write the folder of its run",
    command: "echo x > $PAWL_OUTBOX/../call.json",
    says: /Read-only/,
  },
  {
    tries: "to read what Pawl keeps outside",
    command: "cat $XDG_STATE_HOME/pawl/projects/*/key",
    says: /No such file/,
  },
  {
    tries: "to write what Pawl keeps outside",
    command: "echo x > $XDG_STATE_HOME/pawl/mine",
    says: /Read-only/,
  },
  {
    tries: "to reach a socket below /run",
    command: "ls -A /run | grep -v pawl; test -S $SOCKET",
    says: /^$/,
  },
  { tries: "to write outside of its folder", command: "echo x > $OUT/mine" },
  {
    tries: "to write the system",
    command: "echo x > /etc/pawl-mine; echo x > /usr/local/bin/git",
    says: /Read-only/,
  },
  {
    tries: "to change the kernel's settings",
    command: "echo wall.test > /proc/sys/kernel/domainname",
    says: /Read-only|denied/i,
  },
  {
    tries: "to take the wall down",
    command: "mount -o remount,rw /; umount $HOME; umount $PAWL_PROJECT/.pawl",
    says: /must be|denied|permitted/i,
  },
  {
    tries: "to leave a process behind",
    command: "(setsid sh -c 'sleep 3; exec sleep 987654' >/dev/null 2>&1 &)",
  },
  {
    tries: "to leave a process behind without a trace of its run",
    command: "env -i setsid sh -c 'setsid sleep 987653 &' >/dev/null 2>&1",
  },
];

const STEP = (commands: readonly string[]) => `tasks:
- id: T9
  title: Another, which waits for a person
  repo: .
  status: blocked
  instructions: Nothing
- id: T1
  title: One
  repo: .
  merge_into: main
  instructions: |
${commands.map((command) => `    RUN: ${command}`).join("\n")}
`;

interface EscapeProject {
  readonly project: BloomProject;
  readonly place: string;
  readonly victim: ChildProcess;
  readonly socket: Server;
  readonly ran: Ran;
  readonly before: object;
  /** What each try got to hear, in order. */
  readonly heard: readonly string[];
}

let tried: EscapeProject;

/** All that must be as it was, whatever an agent tries. */
function outside(project: BloomProject, place: string): object {
  const tree = (folder: string) =>
    readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => [
        join(entry.parentPath, entry.name),
        readFileSync(join(entry.parentPath, entry.name), "utf8"),
      ])
      .sort();
  const refs = project.git("for-each-ref", "--format=%(objectname) %(refname)").split("\n");
  return {
    settings: project.read("pawl.yaml"),
    config: project.read(".git/config"),
    hooks: readdirSync(join(project.root, ".git/hooks")),
    head: project.read(".git/HEAD"),
    refs: refs.filter((ref) => !/refs\/heads\/main$/.test(ref)),
    whole: project.git("fsck", "--strict", "--no-dangling"),
    home: tree(join(place, "home")),
    out: readdirSync(join(place, "out")),
    other: tree(project.workspace("bloom/T9")),
    hub: existsSync(project.hubFolder()) ? project.hub("fsck", "--strict", "--no-dangling") : "",
    state: readFileSync(join(stateFolder(project.root, stateHome()), "key"), "base64"),
    system: existsSync("/etc/pawl-mine"),
  };
}

async function tryAll(): Promise<EscapeProject> {
  const project = bloomProject({
    project: { sandbox: "bwrap" },
    tasks: STEP([]),
    settings: { permission: "edits" },
  });
  const place = dirname(project.root);
  for (const folder of ["home/.ssh", "home/.aws", "out"]) mkdirSync(join(place, folder), { recursive: true });
  writeFileSync(join(place, "home/.ssh/id_ed25519"), SECRET);
  writeFileSync(join(place, "home/.aws/credentials"), SECRET);
  const other = project.workspace("bloom/T9");
  mkdirSync(other, { recursive: true });
  writeFileSync(join(other, "secret.txt"), SECRET);
  const socket = createServer();
  await new Promise<void>((done) => socket.listen(SOCKET, done));
  const victim = spawn("sleep", ["100"]);
  const named = {
    OUT: join(place, "out"),
    OTHER: other,
    HUB: project.hubFolder(),
    VICTIM: String(victim.pid),
    SOCKET,
  };
  const commands = ESCAPES.map(({ command }) =>
    command.replace(/\$(OUT|OTHER|HUB|VICTIM|SOCKET)\b/g, (_, name: keyof typeof named) => named[name]),
  );
  project.write(
    "tasks.yaml",
    STEP([
      "echo a > a.txt; git add -A; git commit -qm begun",
      ...commands,
      "git config --unset core.hooksPath; rm -f .git/MERGE_MSG post-index-change; git checkout -q bloom/T1; git add -A; git commit -qm work",
      "bloom done T1",
    ]),
  );
  const environment = { HOME: join(place, "home") };
  makeKeyOf(project.root);
  const before = outside(project, place);
  const ran = await project.runWith(environment);
  const heard = resultsIn(project.read(".pawl/agents/T1.1/output.jsonl") ?? "").slice(1);
  return { project, place, victim, socket, ran, before, heard };
}

const SOCKET = `/run/pawl-test-${process.pid}.sock`;

function resultsIn(output: string): readonly string[] {
  return output.split("\n").flatMap((line) => {
    const content = line.startsWith("{") ? JSON.parse(line).message?.content?.[0] : undefined;
    return content?.type === "tool_result" ? [String(content.content)] : [];
  });
}

beforeAll(async () => {
  if (!NO_WALL) tried = await tryAll();
}, LONG);

afterAll(() => {
  tried?.victim.kill();
  tried?.socket.close();
  tried?.project[Symbol.dispose]();
});

for (const [index, { tries, says }] of ESCAPES.entries())
  it.skipIf(NO_WALL)(`behind the wall an agent fails ${tries}`, () => {
    promise("wall.holds");
    const heard = tried.heard[index];
    expect(heard).toBeDefined();
    expect(heard).not.toContain(SECRET);
    if (says) expect(heard?.trim()).toMatch(says);
  });

it.skipIf(NO_WALL)("everything outside of its worktree and branch is as it was", () => {
  promise("wall.holds");
  expect(outside(tried.project, tried.place)).toEqual(tried.before);
  expect(tried.victim.exitCode ?? tried.victim.signalCode).toBeNull();
});

it.skipIf(NO_WALL)("no process of the run is left", () => {
  promise("wall.holds");
  const left = readdirSync("/proc").filter((pid) => {
    try {
      return /^sleep 98765[34] $/.test(readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " "));
    } catch {
      return false;
    }
  });
  expect(left).toEqual([]);
});

it.skipIf(NO_WALL)("what it did on its own branch is merged, and the task is done", () => {
  promise("wall.lets-work");
  expect(tried.ran.err).toBe("");
  expect(tried.ran.of("task:completed").map(({ taskId }) => taskId)).toEqual(["T1"]);
  expect(tried.project.git("show", "main:a.txt")).toBe("a");
  expect(tried.ran.of("agent:strayed")).toEqual([]);
  expect(tried.ran.of("git:branch_moved")).toEqual([]);
});
