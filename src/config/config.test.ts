import { describe, expect, it } from "vitest";
import { promise } from "../../test/rig/promise.ts";
import { PawlError } from "../core/error.ts";
import type { ProjectPath } from "../core/path.ts";
import type { Cache } from "../core/ports/cache.ts";
import type { View } from "../core/ports/store.ts";
import { DEFAULT_SETTINGS, SIZED_REVIEWS } from "../core/settings.ts";
import { openConfiguration, withoutOwnSecrets } from "./config.ts";
import { ALFRED_FILE, PAWL_FILE } from "./config-schema.ts";

function viewOf(files: Readonly<Record<string, string>>): View {
  return {
    read: async (path: ProjectPath) => files[path] ?? null,
    list: async () => [],
    lastLine: async () => null,
    isCurrent: async () => true,
    packaged: async () => null,
  };
}

const load = (files: Readonly<Record<string, string>>) => openConfiguration()(viewOf(files));

async function refusal(files: Readonly<Record<string, string>>): Promise<PawlError> {
  const thrown = await load(files).then(
    () => null,
    (error) => error,
  );
  expect(thrown).toBeInstanceOf(PawlError);
  expect(thrown.code).toBe("config-invalid");
  return thrown;
}

describe("the configuration", () => {
  it("is the defaults if no file is", async () => {
    const { settings, origins } = await load({});
    expect(settings).toEqual(DEFAULT_SETTINGS);
    expect(new Set(origins.map(({ from }) => from))).toEqual(new Set(["default"]));
  });

  it("takes receivers of notices by the variables that hold their secrets", async () => {
    const text =
      "notify: {quiet: 22:00-07:00, slack: {url_env: SLACK_WEBHOOK_URL}, command: [~/bin/tell, -q]}\n";
    expect((await load({ "pawl.yaml": text })).settings.notify).toEqual({
      ...DEFAULT_SETTINGS.notify,
      quiet: "22:00-07:00",
      slack: { url_env: "SLACK_WEBHOOK_URL" },
      command: ["~/bin/tell", "-q"],
    });
  });

  it("refuses a variable in a path of the wall, which would be a folder of that name, and says what to write", async () => {
    for (const path of ["$HOME/x", "\u0024{HOME}/x", "/srv/$USER"])
      for (const key of ["read", "write"]) {
        const { message } = await refusal({
          "pawl.yaml": `sandbox: {${key}: [${path.includes("{") ? `"${path}"` : path}]}\n`,
        });
        expect(message).toContain(`sandbox.${key}`);
        expect(message).toContain("`~/x` for `$HOME/x`");
      }
    const text = "sandbox: {read: [~/x, /srv/a$1]}\n";
    expect((await load({ "pawl.yaml": text })).settings.sandbox.read).toEqual(["~/x", "/srv/a$1"]);
  });

  it.each([
    ["slack: {url_env: https://hooks.slack.com/x}", "the name of an environment variable"],
    ["slack: {url_env: PATH}", "a variable whose name shows that it is secret"],
    ["slack: {url: https://hooks.slack.com/x}", "notify.slack.url_env"],
    ["webhook: {url_env: HOOK_WEBHOOK_URL}", "secret_env"],
    ["quiet: at night", "two times of day"],
    ["quiet: 25:00-07:00", "two times of day"],
    ["for: [everything]", "notify.for"],
    ["command: []", "notify.command"],
    ["command: [./tell.sh]", "agents could change one of the project"],
    ["command: [scripts/tell.sh]", "agents could change one of the project"],
    ["command: [../tell.sh]", "agents could change one of the project"],
  ])("refuses in `notify` %s", async (text, why) => {
    promise("notices.addresses");
    expect((await refusal({ "pawl.yaml": `notify: {${text}}\n` })).message).toContain(why);
  });

  it("is the defaults if the files are empty or only comments", async () => {
    expect((await load({ "pawl.yaml": "# nothing\n", ".alfred/config.yml": "" })).settings).toEqual(
      DEFAULT_SETTINGS,
    );
  });

  it("takes `environment` as a list of variables, or as a map with what each task has for itself beside them", async () => {
    promise("bloom.environment");
    const list = await load({ "pawl.yaml": "environment: [A, B_*]\n" });
    expect(list.settings.environment).toEqual(["A", "B_*"]);
    expect(list.settings.task_environment).toEqual(DEFAULT_SETTINGS.task_environment);
    const text = "environment:\n  variables: [A]\n  ports: 2\n  up: make it\n  exclusive: [emulator]\n";
    const { settings, origins } = await load({ "pawl.yaml": text });
    expect(settings.environment).toEqual(["A"]);
    expect(settings.task_environment).toEqual({
      ports: 2,
      up: "make it",
      down: null,
      exclusive: ["emulator"],
    });
    const from = Object.fromEntries(origins.map(({ path, from: place }) => [path, place]));
    expect(from).toMatchObject({
      environment: "pawl.yaml:2:14",
      "task_environment.ports": "pawl.yaml:3:10",
      "task_environment.down": "default",
    });
    expect((await load({ "pawl.yaml": "environment: {ports: 1}\n" })).settings.environment).toEqual([]);
  });

  it.each([
    ["environment: {port: 2}", "environment.port"],
    ["environment: {ports: -1}", "environment.ports"],
    ["environment: {exclusive: [a b]}", "expected a word such as emulator"],
    [
      "environment: 2",
      "expected a list of variables, or a map with variables, ports, up, down and exclusive",
    ],
  ])("refuses %s", async (text, why) => {
    expect((await refusal({ "pawl.yaml": `${text}\n` })).message).toContain(why);
  });

  it("takes a size in place of reviewers, over those of the file below", async () => {
    promise("alfred.sizes");
    const { settings, origins } = await load({
      "pawl.yaml": "alfred:\n  reviews: light\n",
      ".alfred/config.yml": "reviews:\n  plan_task: [ai]\nevidence: require\n",
    });
    expect(settings.alfred).toMatchObject({ size: "light", evidence: "require" });
    expect(settings.alfred.reviews).toEqual(SIZED_REVIEWS.light);
    expect(origins.find(({ path }) => path === "alfred.size")?.from).toBe("pawl.yaml:2:12");
    const map = await load({
      "pawl.yaml": "alfred:\n  reviews:\n    plan_task: [ai]\n",
      ".alfred/config.yml": "reviews: light\n",
    });
    expect(map.settings.alfred).toMatchObject({ size: null, reviews: { plan_task: ["ai"], start_task: [] } });
    const wrong = await refusal({ "pawl.yaml": "alfred:\n  reviews: lite\n" });
    expect(wrong.message).toContain("expected light, standard, careful, or the reviewers by tool");
  });

  it("lets pawl.yaml win over .alfred/config.yml, key by key, and tells where each value came from", async () => {
    promise("cli.config");
    const { settings, origins } = await load({
      "pawl.yaml": "alfred:\n  reviews:\n    plan_task: [human]\n  evidence: require\n",
      ".alfred/config.yml":
        "reviews:\n  plan_task: [ai]\n  start_task: []\nprovider: jira\nchecks:\n  tests: npm test\n",
    });
    expect(settings.alfred).toEqual({
      ...DEFAULT_SETTINGS.alfred,
      provider: "jira",
      evidence: "require",
      reviews: { default: ["ai", "human"], plan_task: ["human"], start_task: [] },
      checks: { tests: "npm test" },
    });
    const alfred = origins.filter(({ path }) => path.startsWith("alfred."));
    expect(Object.fromEntries(alfred.map(({ path, from }) => [path, from]))).toMatchObject({
      "alfred.provider": ".alfred/config.yml:4:11",
      "alfred.reviews.default": "default",
      "alfred.reviews.plan_task": "pawl.yaml:3:16",
      "alfred.reviews.start_task": ".alfred/config.yml:3:15",
      "alfred.human_review": "default",
      "alfred.evidence": "pawl.yaml:4:13",
      "alfred.checks.tests": ".alfred/config.yml:6:10",
      "alfred.personas": "default",
    });
  });

  it("reads a file with a BOM and with CRLF", async () => {
    const { settings } = await load({ "pawl.yaml": "\uFEFFalfred:\r\n  provider: jira\r\n" });
    expect(settings.alfred.provider).toBe("jira");
  });

  it("notices an edit between two reads", async () => {
    const read = openConfiguration();
    expect((await read(viewOf({ "pawl.yaml": "alfred: {provider: jira}" }))).settings.alfred.provider).toBe(
      "jira",
    );
    expect((await read(viewOf({ "pawl.yaml": "alfred: {provider: linear}" }))).settings.alfred.provider).toBe(
      "linear",
    );
    expect((await read(viewOf({}))).settings).toEqual(DEFAULT_SETTINGS);
  });

  it("is parsed once for all commands, until a file or the program changes", async () => {
    promise("commit.cache");
    const kept = new Map<string, unknown>();
    const cache: Cache = {
      get: async (_, source) => kept.get(source) ?? null,
      put: (_, source, worked) => void kept.set(source, JSON.parse(JSON.stringify(worked()))),
    };
    const files = {
      "pawl.yaml": "alfred:\n  reviews: {plan_task: [human]}\nsetup: {.: {run: [npm ci]}}\n",
      ".alfred/config.yml": "reviews: {start_task: []}\nchecks: {tests: npm test}\n",
    };
    const load = () => openConfiguration(cache)(viewOf(files));
    const parsed = await load();
    expect(kept.size).toBe(1);
    const again = await load();
    expect(kept.size).toBe(1);
    expect([again.settings, again.origins]).toEqual([parsed.settings, parsed.origins]);
    expect(again.settings).toEqual((await openConfiguration()(viewOf(files))).settings);
    const [source = ""] = kept.keys();
    kept.set(source, { tree: { alfred: { provider: "jira" } }, places: {} });
    expect((await load()).settings.alfred.provider).toBe("jira");
    await openConfiguration(cache)(viewOf({ ...files, "pawl.yaml": "setup: {}\n" }));
    expect(kept.size).toBe(2);
  });

  it.each([
    [
      "alfred:\n  provider: jria\n",
      'pawl.yaml:2:13: alfred.provider: expected one of local, jira, linear, github; found "jria"',
      "write jira",
    ],
    [
      "alfred:\n  provder: jira\n",
      "pawl.yaml:2:3: alfred.provder is not a setting: expected one of provider, reviews",
      "write provider instead of provder",
    ],
    ["alfed: {}\n", "pawl.yaml:1:1: alfed is not a setting", "write alfred instead of alfed"],
    [
      "alfred:\n  reviews:\n    plan_taks: [ai]\n",
      "pawl.yaml:3:5: alfred.reviews.plan_taks is not a setting",
      "write plan_task instead of plan_taks",
    ],
    [
      "alfred:\n  reviews:\n    default: [human, ai]\n",
      'pawl.yaml:3:14: alfred.reviews.default: expected [], [ai], [human] or [ai, human]; found ["human","ai"]',
      "line 3",
    ],
    ["alfred:\n  checks: [a]\n", 'pawl.yaml:2:11: alfred.checks: expected an object; found ["a"]', "line 2"],
    [
      "alfred:\n  checks:\n    tests: 3\n",
      "pawl.yaml:3:12: alfred.checks.tests: expected a string; found 3",
      "line 3",
    ],
    [
      "bloom:\n  caps: {usd_per_day: 20}\n",
      "pawl.yaml:2:23: bloom.caps.usd_per_day: expected `budget: {usd: …}` beside it",
      "line 2",
    ],
    ["- a\n", 'pawl.yaml:1:1: the file: expected an object; found ["a"]', "line 1"],
    ["alfred: {\n", "pawl.yaml:2:1: expected YAML; found: ", "line 2"],
    ["a: 1\na: 2\n", "pawl.yaml:2:1: expected YAML; found: Map keys must be unique", "line 2"],
  ])("refuses %j with its line and column and what is near", async (text, message, fix) => {
    const error = await refusal({ "pawl.yaml": text });
    expect(error.message).toContain(message);
    expect(error.fix).toContain(fix);
  });

  it("names .alfred/config.yml and its own keys if the fault is there", async () => {
    const error = await refusal({ ".alfred/config.yml": "provider: local\nreviews:\n  default: [robot]\n" });
    expect(error.message).toContain(
      ".alfred/config.yml:3:12: reviews.default: expected [], [ai], [human] or [ai, human]",
    );
  });

  it("takes a list of agents, of which the others stand in if `on_limit` says so", async () => {
    const bloomOf = async (text: string) => (await load({ "pawl.yaml": `bloom:\n${text}` })).settings.bloom;
    const list = "  agent: [claude, codex, gemini]\n";
    expect(await bloomOf(`${list}  on_limit: next\n`)).toMatchObject({
      agent: "claude",
      stand_ins: ["codex", "gemini"],
    });
    expect(await bloomOf(list)).toMatchObject({ agent: "claude", stand_ins: [] });
    expect(await bloomOf("  on_limit: next\n")).toMatchObject({ agent: "claude", stand_ins: [] });
  });

  it("says how many faults there are", async () => {
    const error = await refusal({ "pawl.yaml": "alfred:\n  provider: x\n  evidence: y\n" });
    expect(error.message).toContain("(1 more after this one)");
  });

  it("has a definition for every setting, under which the defaults are valid", () => {
    // `environment` of the file holds both.
    const { task_environment, ...own } = DEFAULT_SETTINGS;
    expect(Object.keys(PAWL_FILE.shape).sort()).toEqual(Object.keys(own).sort());
    expect(PAWL_FILE.safeParse({ environment: { ports: task_environment.ports } }).error).toBeUndefined();
    // What the environment and the command line say is no matter of a file.
    // Those that stand in come with `agent` as a list.
    const { searched, stand_ins, ...sayable } = DEFAULT_SETTINGS.bloom;
    // `size` is what `reviews` says in one word.
    const { size, ...alfred } = DEFAULT_SETTINGS.alfred;
    expect(size).toBeNull();
    expect(Object.keys(ALFRED_FILE.shape).sort()).toEqual(Object.keys(alfred).sort());
    // Null stands for what is not there; a file leaves it out.
    const text = JSON.stringify({ alfred, bloom: sayable }, (_, value) => value ?? undefined);
    expect(PAWL_FILE.safeParse(JSON.parse(text)).error).toBeUndefined();
  });
});

describe("the environment of what Pawl starts", () => {
  it("agents and commands get no address of a database, whatever they are to get", () => {
    promise("database.address");
    const own = {
      PATH: "/bin",
      PAWL_DATABASE_URL: "postgres://ann:hush@localhost/pawl",
      HOOK: "https://hook",
    };
    const none = { ...DEFAULT_SETTINGS.notify, webhook: null, slack: null, discord: null };
    expect(withoutOwnSecrets(own, { notify: none })).toEqual({ PATH: "/bin", HOOK: "https://hook" });
    const slack = { url_env: "HOOK" };
    expect(withoutOwnSecrets(own, { notify: { ...none, slack } })).toEqual({ PATH: "/bin" });
  });
});
