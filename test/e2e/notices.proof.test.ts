/** Notices: what a person is told, by whom, once, and never of a project that they do not trust. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac, timingSafeEqual } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { openNoticeStore } from "../../src/adapters/notify/notice-store.ts";
import { CLEAN, taskMarkdown } from "../rig/alfred-project.ts";
import { bloomProject } from "../rig/bloom-project.ts";
import { connect } from "../rig/client.ts";
import { end, rigProgram, type TemporaryProject, temporaryProject, testEnvironment } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { Receiver, sendersDone } from "../rig/receiver.ts";
import { DONE, releaseProject } from "../rig/release-project.ts";
import { stateOf } from "../rig/state-home.ts";
import { until } from "../rig/until.ts";

const LONG = { timeout: 90_000 };
const SECRET = "whsec_c2VjcmV0IG9mIHRoZSBob29rIGl0c2VsZg==";
const WEBHOOK = { url_env: "HOOK_WEBHOOK_URL", secret_env: "HOOK_SECRET" };

interface NotifiedProject extends TemporaryProject {
  /** A release waits for its person. */
  submit(id: string): Promise<void>;
  notify(settings: object): void;
}

/** The release project with receivers that the tester has agreed to. */
function telling(
  receiver: Receiver,
  settings: object = { webhook: WEBHOOK },
  more: Readonly<Record<string, string>> = {},
): NotifiedProject {
  const project = releaseProject(secrets(receiver, more));
  const before = project.read("pawl.yaml") ?? "";
  const notify = (wanted: object) =>
    project.write("pawl.yaml", `${before}\nnotify: ${JSON.stringify(wanted)}\n`);
  notify(settings);
  project.trust();
  return {
    ...project,
    notify,
    async submit(id) {
      project.write(`releases/${id}.md`, DONE);
      const { code, err } = await project.pawl("cast", `release:${id}`, "submit", "--fact", "risk=low");
      expect([code, err]).toEqual([0, ""]);
    },
    [Symbol.dispose]: () => project[Symbol.dispose](),
  };
}

function secrets({ url }: Receiver, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    HOOK_WEBHOOK_URL: `${url}/hook`,
    HOOK_SECRET: SECRET,
    SLACK_WEBHOOK_URL: `${url}/slack`,
    DISCORD_WEBHOOK_URL: `${url}/discord`,
    ...more,
  };
}

/** As a receiver does it that shares the secret. */
function isSigned({ body, headers }: Receiver["asked"][number]): boolean {
  const key = Buffer.from(SECRET.slice("whsec_".length), "base64");
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`;
  const expected = createHmac("sha256", key).update(signed).digest();
  const [version, given = ""] = `${headers["webhook-signature"]}`.split(",");
  const isFresh = Math.abs(Date.now() / 1000 - Number(headers["webhook-timestamp"])) < 300;
  return version === "v1" && isFresh && timingSafeEqual(Buffer.from(given, "base64"), expected);
}

/** A folder for the PATH with one program in it, which adds what it gets to `got`. */
function standIn(name: string, script: string) {
  const folder = mkdtempSync(join(tmpdir(), "pawl-stand-in-"));
  writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, name), 0o755);
  return {
    folder,
    path: `${folder}:${process.env.PATH}`,
    got: () => {
      try {
        return readFileSync(join(folder, "got"), "utf8");
      } catch {
        return "";
      }
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

describe("A gate that waits", () => {
  it("is told in signed JSON: what, of which run, who acts, the command, and the board's address", async () => {
    promise("notices.causes");
    await using receiver = await Receiver.open();
    using project = telling(receiver);
    const state = stateOf(project.root);
    state.make();
    const board = { url: "http://127.0.0.1:4711/", pid: process.pid };
    writeFileSync(join(state.folder, "board.json"), JSON.stringify(board));
    await project.submit("1.2.0");
    await until(() => receiver.notices.length > 0);
    expect(receiver.notices[0]).toMatchObject({
      version: 1,
      type: "gate",
      run: "release:1.2.0",
      text: expect.stringContaining("release:1.2.0 waits for you: approve or reject the release"),
      acts: "person",
      command: expect.stringContaining("release:1.2.0"),
      board: expect.stringMatching(
        /^http:\/\/127\.0\.0\.1:4711\/#\/[0-9a-f]{12}\/review\/release%3A1\.2\.0$/,
      ),
    });
    const [asked] = receiver.asked;
    expect(asked && isSigned(asked)).toBe(true);
    expect(asked?.headers["webhook-id"]).toBe(receiver.notices[0]?.id);
    expect(asked && isSigned({ ...asked, body: asked.body.replace("release", "secret") })).toBe(false);
  });

  it("is sent once, however many processes check at the same time", LONG, async () => {
    promise("notices.once");
    await using receiver = await Receiver.open();
    using project = telling(receiver);
    await project.submit("1.0.0");
    await project.submit("1.1.0");
    const place = openNoticeStore(stateOf(project.root));
    const home = resolve(import.meta.dirname, "../../src");
    const look = (): ChildProcess => {
      place.ask();
      return spawn(process.execPath, [rigProgram("send-notices"), project.root, home], {
        env: testEnvironment(secrets(receiver)),
        stdio: "ignore",
      });
    };
    await Promise.all(Array.from({ length: 6 }, () => end(look())));
    await sendersDone(project.root);
    await end(look());
    const runs = receiver.notices.map(({ run }) => run);
    expect([...runs].sort()).toEqual(["release:1.0.0", "release:1.1.0"]);
  });

  it("is told again when it waits anew", LONG, async () => {
    promise("notices.causes");
    await using receiver = await Receiver.open();
    using project = telling(receiver);
    await project.submit("1.0.0");
    await until(() => receiver.notices.length === 1);
    expect((await project.person("reject", "1.0.0", "-m", "Name the risk")).code).toBe(0);
    await project.submit("1.0.0");
    await until(() => receiver.notices.length === 2);
    expect(receiver.notices[1]?.id).not.toBe(receiver.notices[0]?.id);
  });

  it("is not told again after its file could not be read for a while", LONG, async () => {
    promise("notices.once");
    await using receiver = await Receiver.open();
    using project = telling(receiver);
    await project.submit("1.0.0");
    await until(() => receiver.notices.length === 1);
    await sendersDone(project.root);
    const path = ".pawl/runs/release/1.0.0.json";
    const before = project.read(path) ?? "";
    project.write(path, "{");
    await project.submit("1.1.0");
    await sendersDone(project.root);
    project.write(path, before);
    await project.submit("1.2.0");
    await sendersDone(project.root);
    const runs = receiver.notices.map(({ run }) => run);
    expect(runs).toEqual(["release:1.0.0", "release:1.1.0", "release:1.2.0"]);
  });

  it("is told by the server of an assistant, too, while it serves", LONG, async () => {
    promise("notices.no-delay");
    await using receiver = await Receiver.open();
    const environment = { ...secrets(receiver), DOOR_ONLY: "" };
    using project = temporaryProject({ environment });
    project.write(
      "pawl.yaml",
      JSON.stringify({ alfred: { reviews: { default: ["human"] } }, notify: { webhook: WEBHOOK } }),
    );
    project.write(".alfred/tasks/TS-01.md", taskMarkdown("TS-01"));
    project.trust();
    await using client = await connect(project, { workflows: ["alfred"], environment });
    await client.call("start_task", { task_id: "TS-01" });
    await client.call("submit_work", { task_id: "TS-01", artifact: CLEAN });
    await until(() => receiver.notices.length > 0);
    expect(receiver.notices[0]).toMatchObject({
      run: "alfred:TS-01",
      text: expect.stringContaining("alfred:TS-01 waits for you: approve or reject the"),
    });
  });

  it("is not sent if only other things are wanted", async () => {
    await using receiver = await Receiver.open();
    using project = telling(receiver, { for: ["question"], webhook: WEBHOOK });
    await project.submit("1.0.0");
    await sendersDone(project.root);
    expect(receiver.asked).toEqual([]);
  });

  it("waits for the end of quiet hours, and is told then", LONG, async () => {
    promise("notices.quiet");
    await using receiver = await Receiver.open();
    const clock = (hours: number) => {
      const at = new Date(Date.now() + hours * 3_600_000);
      return `${String(at.getHours()).padStart(2, "0")}:${String(at.getMinutes()).padStart(2, "0")}`;
    };
    using project = telling(receiver, { quiet: `${clock(-1)}-${clock(2)}`, webhook: WEBHOOK });
    await project.submit("1.0.0");
    await sendersDone(project.root);
    expect(receiver.asked).toEqual([]);
    project.notify({ quiet: `${clock(2)}-${clock(3)}`, webhook: WEBHOOK });
    project.trust();
    await project.submit("1.1.0");
    await until(() => receiver.notices.length === 2);
  });
});

describe("A receiver", () => {
  it("that never answers delays no command, and hears of it when it is back", LONG, async () => {
    promise("notices.no-delay");
    await using receiver = await Receiver.open();
    receiver.faults.push({ path: /^\/hook/, answer: { silent: true }, times: 1 });
    using project = telling(receiver);
    // The command's end is waited for, and the receiver still holds the sender then.
    await project.submit("1.0.0");
    await until(() => receiver.asked.length === 1);
    expect(openNoticeStore(stateOf(project.root)).load()).toEqual({});
    await sendersDone(project.root);
    expect((await project.pawl("notify")).out).toContain("did not answer within 10 s");
    expect(project.read(".pawl/failures.log")).toContain("notice-unsent");
    await project.submit("1.1.0");
    await until(() => receiver.asked.length === 3);
    const runs = receiver.notices.slice(1).map(({ run }) => run);
    expect(runs).toEqual(["release:1.0.0", "release:1.1.0"]);
    await sendersDone(project.root);
    expect((await project.pawl("notify")).out).not.toContain("did not answer");
  });

  it(
    "that redirects, fails, or is not this machine over http is said by its variable, never by its address",
    LONG,
    async () => {
      promise("notices.addresses");
      await using receiver = await Receiver.open();
      await using other = await Receiver.open();
      const redirect = { status: 307, headers: { location: `${other.url}/stolen` } };
      receiver.faults.push({ path: /^\/hook/, answer: redirect });
      receiver.faults.push({ path: /^\/slack/, answer: { status: 500 } });
      const receivers = {
        webhook: WEBHOOK,
        slack: { url_env: "SLACK_WEBHOOK_URL" },
        discord: { url_env: "DISCORD_WEBHOOK_URL" },
      };
      const address = "http://198.51.100.7:1/very-secret-path";
      using project = telling(receiver, receivers, { DISCORD_WEBHOOK_URL: address });
      const { code, err, out } = await project.pawl("notify", "--test", "--json");
      expect(code).toBe(1);
      expect(out).toContain("the receiver answered 307, a redirect; Pawl follows none");
      expect(out).toContain("the receiver answered 500");
      expect(out).toContain("http for this machine alone");
      expect(other.asked).toEqual([]);
      for (const secret of ["very-secret-path", "198.51.100.7", receiver.url, SECRET])
        expect(`${out}${err}`).not.toContain(secret);
    },
  );

  it(
    "is asked for by `pawl config notify --test`, which tells of each receiver what came of it",
    LONG,
    async () => {
      promise("notices.test");
      await using receiver = await Receiver.open();
      using stub = standIn("notify-send", 'printf "%s|" "$@" >> "$(dirname "$0")/got"');
      const receivers = { desktop: true, webhook: WEBHOOK, slack: { url_env: "NO_WEBHOOK_URL" } };
      using project = telling(receiver, receivers, { PATH: stub.path });
      const { code, out } = await project.pawl("notify", "--test", "--json");
      expect(code).toBe(1);
      expect(JSON.parse(out).receivers).toEqual([
        { name: "desktop", sent: true },
        { name: "webhook", sent: true },
        {
          name: "slack",
          sent: false,
          error: expect.objectContaining({
            code: "notice-unsent",
            message: expect.stringContaining("$NO_WEBHOOK_URL is not set"),
          }),
        },
      ]);
      expect(receiver.notices.map(({ type }) => type)).toEqual(["test"]);
      expect(stub.got()).toContain("This is what a notice of Pawl looks like.");
      using marked = telling(receiver, receivers, { BLOOM_TASK: "T1" });
      expect((await marked.pawl("notify", "--test")).err).toContain("[caller-not-allowed]");
    },
  );
});

describe("A cloned project", () => {
  it("sends nothing and starts nothing before a person agrees to exactly its receivers", LONG, async () => {
    promise("notices.trusted");
    await using receiver = await Receiver.open();
    using stub = standIn("notify-send", 'echo sent >> "$(dirname "$0")/got"');
    const environment = secrets(receiver, { PATH: stub.path });
    using project = releaseProject(environment);
    const tell = join(stub.folder, "notify-send");
    const notify = { desktop: true, webhook: WEBHOOK, command: [tell] };
    project.write("pawl.yaml", `${project.read("pawl.yaml")}\nnotify: ${JSON.stringify(notify)}\n`);
    project.write("releases/1.0.0.md", DONE);
    expect((await project.pawl("cast", "release:1.0.0", "submit", "--fact", "risk=low")).code).toBe(0);
    const looked = await project.pawl("notify");
    expect(looked.out).toContain("not trusted");
    const tested = await project.pawl("notify", "--test");
    expect([tested.code, tested.out]).toEqual([1, expect.stringContaining("Nothing was sent.")]);
    await sendersDone(project.root);
    expect([receiver.asked, stub.got()]).toEqual([[], ""]);
    expect((await project.pawl("trust", "--show")).out).toContain('+ notice  webhook: {"for":');
  });

  it(
    "whose pawl.yaml an agent edits redirects no notice; the receiver that was agreed to hears so, once",
    LONG,
    async () => {
      promise("notices.trusted");
      await using receiver = await Receiver.open();
      using project = telling(receiver, { slack: { url_env: "SLACK_WEBHOOK_URL" } });
      project.notify({ slack: { url_env: "DISCORD_WEBHOOK_URL" } });
      await project.submit("1.0.0");
      await until(() => receiver.at("/slack").length > 0);
      project.notify({});
      await project.submit("1.1.0");
      await sendersDone(project.root);
      expect(receiver.at("/discord")).toEqual([]);
      const bodies = receiver.at("/slack").map(({ body }) => body);
      expect(bodies).toEqual([expect.stringContaining("notices end here")]);
    },
  );
});

describe("Words of an agent", () => {
  const EVIL =
    "@everyone <!channel> <@U1> [free](http://evil.example) `x` \u202e \u001b[31m $(touch hacked) --icon=x";

  /** What a person is asked by an agent. */
  async function asks(
    receiver: Receiver,
    settings: object,
    environment: Readonly<Record<string, string>> = {},
  ) {
    const project = bloomProject({
      tasks: `tasks:\n- id: T1\n  title: t\n  instructions: |\n    RUN: bloom ask T1 '${EVIL}' --blocking\n`,
      project: { notify: { for: ["question"], ...settings } },
      environment: secrets(receiver, environment),
    });
    expect((await project.run()).code).toBe(3);
    return project;
  }

  it("mention nobody in Slack and Discord, and are no link there", LONG, async () => {
    promise("notices.words");
    await using receiver = await Receiver.open();
    const receivers = {
      slack: { url_env: "SLACK_WEBHOOK_URL" },
      discord: { url_env: "DISCORD_WEBHOOK_URL" },
    };
    using _ = await asks(receiver, receivers);
    await until(() => receiver.at("/slack").length > 0 && receiver.at("/discord").length > 0);
    const slack = JSON.parse(receiver.at("/slack")[0]?.body ?? "");
    const discord = JSON.parse(receiver.at("/discord")[0]?.body ?? "");
    expect(slack).toMatchObject({ parse: "none", link_names: false, unfurl_links: false });
    expect(slack.text).not.toMatch(/[<>]/);
    const blocks: readonly { text: { type: string; text: string } }[] = slack.blocks;
    expect(new Set(blocks.map(({ text }) => text.type))).toEqual(new Set(["plain_text"]));
    expect(JSON.stringify(blocks)).toContain("free");
    expect(discord).toMatchObject({ allowed_mentions: { parse: [] }, flags: 4 });
    expect(discord.content).toContain("\\[free\\]\\(http\\://evil.example\\)");
    for (const said of [slack, discord].map((each) => JSON.stringify(each))) {
      expect(said).not.toMatch(/@everyone|@U1/);
      expect(said).not.toContain("\u202e");
      expect(said).not.toContain("\\u001b");
    }
  });

  it("are one argument of the desktop's program, and run nothing", LONG, async () => {
    promise("notices.words");
    await using receiver = await Receiver.open();
    using stub = standIn(
      "notify-send",
      'for word; do printf "%s\\n--\\n" "$word"; done >> "$(dirname "$0")/got"',
    );
    using project = await asks(receiver, { desktop: true }, { PATH: stub.path });
    await until(() => stub.got().includes("pawl answer q1"));
    const [app, rest, title, body = ""] = stub.got().split("\n--\n");
    expect([app, rest, title]).toEqual(["--app-name=Pawl", "--", "project: a question"]);
    expect(body).toContain("$(touch hacked) --icon=x");
    expect(body).toContain("&lt;!channel&gt;");
    expect(project.read("hacked")).toBeNull();
  });

  it(
    "reach a program of one's own on standard input; it gets no secret, and no file of the project is one",
    LONG,
    async () => {
      promise("notices.words");
      await using receiver = await Receiver.open();
      using stub = standIn(
        "tell-me",
        '{ echo "$@"; env; cat; } > "$(dirname "$0")/new"; mv "$(dirname "$0")/new" "$(dirname "$0")/got"',
      );
      using _ = await asks(receiver, { command: ["tell-me", "--quietly"] }, { PATH: stub.path });
      const got = await until(() => stub.got());
      expect(got).toMatch(/^--quietly\n/);
      expect(JSON.parse(got.trim().split("\n").at(-1) ?? "")).toMatchObject({
        type: "question",
        run: "bloom:T1",
      });
      expect(got).not.toContain(SECRET);
      expect(got).not.toContain(receiver.url);

      using project = telling(receiver, { command: ["tell-us"] });
      mkdirSync(join(project.root, "bin"));
      writeFileSync(join(project.root, "bin/tell-us"), "#!/bin/sh\n", { mode: 0o755 });
      using inside = telling(receiver, { command: [join(project.root, "bin/tell-us")] });
      project.notify({ command: [join(project.root, "bin/tell-us")] });
      project.trust();
      expect((await project.pawl("notify", "--test")).out).toContain("belongs to the project");
      expect((await inside.pawl("notify", "--test")).code).toBe(0);
    },
  );
});

describe("The loop", () => {
  it(
    "tells of a question, a blocked task, a budget and its own rest, each once; its agents see no secret",
    LONG,
    async () => {
      promise("notices.causes", "notices.not-by-agents", "notices.secrets");
      await using receiver = await Receiver.open();
      const tasks = `tasks:
- id: T1
  title: Asks
  instructions: |
    RUN: env >> seen; bloom ask T1 "Which port?" --blocking
- id: T2
  title: Spends
  checkpoint: true
  budget: {turns: 6}
  instructions: |
    RUN: true
    RUN: true
    RUN: true
    RUN: true
    RUN: bloom done T2
- id: T3
  title: Breaks
  verify: ["env >> seen; false"]
  instructions: |
    RUN: bloom done T3
`;
      using project = bloomProject({
        tasks,
        settings: { tries: 1, environment: ["HOOK_*", "SLACK_*"] },
        project: {
          notify: { webhook: WEBHOOK },
          agents: { scripted: { environment: ["HOOK_*", "SLACK_*"] } },
        },
        environment: secrets(receiver),
      });
      await project.run();
      await sendersDone(project.root);
      await project.run();
      await sendersDone(project.root);
      const told = receiver.notices.map(({ text }) => text).join("\n");
      for (const once of [
        /The agent of bloom:T1 asks\./g,
        /bloom:T2 waits for you/g,
        // Told from the fifth turn on: a sender that looks a moment later already sees the sixth.
        /bloom:T2 has spent [56] turns of its 6 turns/g,
        /bloom:T3 is blocked/g,
        /The loop is idle/g,
      ])
        expect(told.match(once), `${once} in ${told}`).toHaveLength(1);
      // Of the variables that the settings pass on, those that notices need are kept from agents and commands.
      const seen = project.read("seen")?.match(/^(?:HOOK|SLACK)_\w+/gm);
      expect(new Set(seen)).toEqual(new Set(["SLACK_WEBHOOK_URL"]));
    },
  );

  it(
    "that has nothing to do from its beginning tells nothing; one that finished tells that it is done",
    LONG,
    async () => {
      promise("notices.causes");
      await using receiver = await Receiver.open();
      using project = bloomProject({
        tasks: "tasks:\n- {id: T1, title: t, instructions: 'RUN: bloom done T1'}\n",
        project: { notify: { webhook: WEBHOOK } },
        environment: secrets(receiver),
      });
      expect((await project.run()).code).toBe(0);
      await until(() => receiver.notices.length > 0);
      await project.run();
      await sendersDone(project.root);
      expect(receiver.notices.map(({ text, type }) => [type, text])).toEqual([
        ["done", "The loop is done: 1 task done."],
      ]);
    },
  );
});

it("A command of the project gets no variable of a notice, whatever the settings name", async () => {
  promise("notices.secrets");
  await using receiver = await Receiver.open();
  using project = telling(receiver);
  project.write("pawl.yaml", `${project.read("pawl.yaml")}environment: ["HOOK_*", "SLACK_*"]\n`);
  project.trust();
  project.write("test.sh", "#!/bin/sh\nenv | grep _URL\nenv | grep HOOK\nfalse\n");
  project.write("releases/1.0.0.md", DONE);
  const { out } = await project.pawl("cast", "release:1.0.0", "submit", "--fact", "risk=low");
  expect(out).toContain("SLACK_WEBHOOK_URL=[redacted SLACK_WEBHOOK_URL]");
  expect(out).not.toContain("HOOK_SECRET");
  expect(out).not.toContain("HOOK_WEBHOOK_URL");
});

it("A sender that cannot be started keeps no command from its work", async () => {
  promise("notices.no-delay");
  await using receiver = await Receiver.open();
  using project = telling(receiver);
  const state = stateOf(project.root);
  state.make();
  // In the way of the folder that senders share.
  writeFileSync(join(state.folder, "notices"), "");
  await project.submit("1.0.0");
  expect(receiver.asked).toEqual([]);
});
