/** An agent whose account is limited or refused. */
import { describe, expect, it } from "vitest";
import { promise } from "../../../../test/rig/promise.ts";
import {
  type Failing,
  openStage,
  type Stage,
  type StageOptions,
  type StageRun,
} from "../../../../test/rig/schedule/stage.ts";
import type { Limited } from "../../../core/ports/agents.ts";
import {
  type AccountReport,
  type Accounts,
  lifted,
  listAccounts,
  type Quota,
  quotaLimit,
  restLine,
  showsAccount,
  withReport,
} from "../../../scheduler/agent-rest.ts";
import { ready } from "../verbs/status.ts";

const list = (...tasks: readonly string[]) =>
  `tasks:\n${tasks.map((task) => `- {${task}, title: t, instructions: i}\n`).join("")}`;
const FOUR = list("id: T1, repo: .", "id: T2, repo: .", "id: T3, repo: .", "id: T4, repo: .");
const HOUR = 3_600_000;

const limit = (limited: Limited) => ({ reason: "rate-limit", detail: limited.words, limited }) as const;
const refusal = {
  reason: "account",
  detail: "invalid x-api-key",
  limited: { words: "invalid x-api-key", resets: null, mend: "run `claude /login`" },
} as const;

/** The account is limited until a time after the beginning, and says so. */
function limited(milliseconds: number, more: Partial<StageOptions> = {}) {
  let at = Number.NaN;
  const stage = openStage({
    tasks: FOUR,
    once: true,
    async agent() {
      if (Number.isNaN(at)) at = stage.now().getTime() + milliseconds;
      return stage.now().getTime() < at
        ? limit({ words: "You've hit your limit", resets: new Date(at).toISOString() })
        : undefined;
    },
    ...more,
  });
  return stage;
}

const runOf = (stage: ReturnType<typeof openStage>, id: string) =>
  JSON.parse(stage.read(`.pawl/runs/${id}.json`) ?? "{}");

/** A task whose agent is limited nine times, and the minutes until it was asked again each time. */
async function limitedNineTimes(limited: (now: Date) => Parameters<typeof limit>[0]) {
  const at: number[] = [];
  const stage = openStage({
    ...{ tasks: list("id: T1, repo: ."), once: true },
    async agent() {
      at.push(stage.now().getTime());
      return at.length < 10 ? limit(limited(stage.now())) : undefined;
    },
  });
  expect(await stage.end()).toMatchObject({ done: ["T1"] });
  return { stage, minutes: at.slice(1).map((time, index) => Math.round((time - (at[index] ?? 0)) / 60_000)) };
}

describe("The line of an agent that rests", () => {
  it.each([
    [[], [], "claude rests"],
    [["T1"], [], "claude rests; 1 task waits"],
    [["T1", "T2"], ["codex"], "claude rests; 2 tasks wait; codex goes on"],
    [[], ["codex", "gemini"], "claude rests; codex, gemini go on"],
  ])("says how many tasks wait, and who goes on: %j, %j", (tasks, others, line) => {
    expect(restLine({ words: "claude rests", tasks, others })).toBe(line);
  });
});

describe("An open account", () => {
  const now = "2026-01-01T10:00:00.000Z";
  const shownFor = (hours: number, used = 0.25) => {
    const resets = new Date(Date.parse(now) + hours * HOUR).toISOString();
    const quotas = [{ agent: "claude", account: "here", windows: [{ name: "weekly", resets, used }] }];
    return listAccounts({ rests: [], quotas } as unknown as Accounts, now)[0];
  };

  it("says what is left of the quota that is used most, with the day if that is not near", () => {
    expect(shownFor(1)?.words).toMatch(/^claude is open, with 75 % of its weekly quota until \d\d:\d\d$/);
    expect(shownFor(200)?.words).toMatch(
      /^claude is open, with 75 % of its weekly quota until \w.* \d\d:\d\d$/,
    );
    expect(shownFor(1)).toMatchObject({ state: "open", until: null, source: "quota" });
  });

  it("says nothing of a quota whose window is over", () => {
    expect(shownFor(-1)).toMatchObject({ words: "claude is open", resets_at: null, source: "none" });
  });
});

describe("An agent whose account is limited", () => {
  it("rests anew if the clock has been set back behind its last rest", () => {
    const at = (hour: number) => new Date(hour * HOUR).toISOString();
    const report = (began: number, resets: number) =>
      ({ agent: "claude", began: at(began), limited: { words: "limited", resets: at(resets) } }) as const;
    const first = withReport({ rests: [], quotas: [] }, report(8, 10), undefined, at(9));
    const { rests } = withReport(first, report(1, 3), undefined, at(2));
    expect(rests).toMatchObject([{ at: at(2), count: 1, since: at(2), resets_at: at(3), source: "event" }]);
    expect(rests[0]?.until.slice(0, 13)).toBe(at(3).slice(0, 13));
  });

  it("rests until the reset: no try is spent, no other task of it begins, and all go on in their sessions", async () => {
    promise("agents.limit");
    const stage = limited(2 * HOUR);
    await stage.until(() => stage.of("agent:rests").length === 2);
    await stage.pass(HOUR);
    expect(stage.runs).toHaveLength(2);
    for (const id of ["T1", "T2"]) {
      expect(stage.state(id)).toBe("agent_rests");
      expect(runOf(stage, id).tries).toEqual({});
    }
    // One limit, though two agents at work met it.
    expect(JSON.parse(stage.read(".pawl/accounts.json") ?? "").rests).toMatchObject([{ count: 1 }]);
    const [resting] = stage.of("loop:progress").at(-1)?.resting ?? [];
    expect(resting).toMatchObject({ agent: "claude", tasks: ["T1", "T2", "T3", "T4"] });
    expect(resting?.words).toMatch(/^claude rests until \d\d:\d\d$/);
    const resets_at = new Date(stage.now().getTime() + HOUR).toISOString().slice(0, 16);
    expect(resting).toMatchObject({ account: "here", state: "limited", source: "event" });
    expect(resting?.resets_at?.slice(0, 16)).toBe(resets_at);
    expect(stage.of("agent:rests").map(({ first }) => first)).toEqual([true, false]);
    expect(await stage.end()).toMatchObject({ done: ["T1", "T2", "T3", "T4"], resting: [] });
    const again = stage.runs.slice(2).filter(({ task }) => task === "T1" || task === "T2");
    expect(again.map(({ resumed }) => resumed)).toEqual([true, true]);
    expect(stage.of("task:retried")).toEqual([]);
    expect(runOf(stage, "T1").rest ?? null).toBeNull();
  });

  it("does not keep a loop that is not to wait, which tells what is left", async () => {
    promise("agents.limit");
    const stage = limited(2 * HOUR, { noWait: true });
    expect(await stage.end()).toMatchObject({
      ...{ done: [], blocked: [], open: ["T1", "T2", "T3", "T4"] },
      resting: [{ agent: "claude", tasks: ["T1", "T2", "T3", "T4"] }],
    });
  });

  it("is asked again by the next loop at once", async () => {
    promise("agents.limit");
    let isOpen = false;
    const stage = openStage({
      ...{ tasks: FOUR, once: true, noWait: true },
      agent: async () => (isOpen ? undefined : limit({ words: "limit", resets: "2099-01-01T00:00:00Z" })),
    });
    await stage.end();
    isOpen = true;
    expect(await stage.again()).toMatchObject({ done: ["T1", "T2", "T3", "T4"] });
  });

  it("is asked again after a minute, two, four, and an hour at most, if no reset is known", async () => {
    promise("agents.limit");
    const { minutes, stage } = await limitedNineTimes(() => ({ words: "try again later", resets: null }));
    expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
    expect(stage.of("agent:rests")[0]?.reason).toMatch(
      /^claude rests, and is asked again at \d\d:\d\d \(try again later\)$/,
    );
    expect(stage.of("agent:rests").filter(({ first }) => first)).toHaveLength(1);
  });

  it("is not asked every few seconds if the reset that it names does not help", async () => {
    promise("agents.limit");
    const { minutes } = await limitedNineTimes((now) => ({
      words: "quota, retry in 35s",
      resets: new Date(now.getTime() + 35_000).toISOString(),
    }));
    expect(minutes).toEqual([1, 1, 1, 2, 4, 8, 16, 32, 60]);
  });

  it("holds up no other agent", async () => {
    const stage = openStage({
      ...{ tasks: list("id: T1, repo: .", "id: T2, repo: ., agent: codex"), once: true, noWait: true },
      agent: async ({ task }: StageRun) =>
        task === "T1" ? limit({ words: "limit", resets: "2099-01-01T00:00:00Z" }) : undefined,
    });
    expect(await stage.end()).toMatchObject({ done: ["T2"], resting: [{ agent: "claude", tasks: ["T1"] }] });
  });

  it("is resumed by a loop after one that was killed while it rested", async () => {
    promise("agents.session-kept");
    const stage = limited(2 * HOUR);
    await stage.until(() => stage.of("agent:rests").length === 2);
    stage.kill();
    expect(await stage.again()).toMatchObject({ done: ["T1", "T2", "T3", "T4"] });
    expect(stage.of("session:lost")).toEqual([]);
  });
});

describe("An agent whose account is refused", () => {
  it("stops for all its tasks at once, spends no try, and says once what mends it", async () => {
    promise("agents.account");
    const stage = openStage({ tasks: FOUR, once: true, agent: async () => refusal });
    const end = await stage.end();
    expect(end).toMatchObject({ blocked: [], open: ["T1", "T2", "T3", "T4"] });
    expect(end.resting).toEqual([
      {
        ...{ agent: "claude", account: "here", state: "exhausted", resets_at: null, source: "none" },
        ...{ words: "claude cannot work: run `claude /login`", until: null },
        ...{ tasks: ["T1", "T2", "T3", "T4"], others: [] },
      },
    ]);
    expect(stage.runs).toHaveLength(2);
    expect(stage.of("agent:rests").filter(({ first }) => first)).toHaveLength(1);
    expect(runOf(stage, "T1").tries).toEqual({});
  });

  it("goes on once a person says so", async () => {
    promise("agents.account");
    let isMended = false;
    const stage = openStage({
      tasks: list("id: T1, repo: ."),
      agent: async () => (isMended ? undefined : refusal),
    });
    await stage.until(() => stage.state("T1") === "agent_rests");
    isMended = true;
    await stage.person(ready, { id: "T1" });
    await stage.until(() => stage.of("task:completed").length === 1);
    expect(stage.runs.map(({ resumed }) => resumed)).toEqual([false, true]);
    stage.stop();
    await stage.end();
  });
});

describe("What is known of an account", () => {
  it("stays if a run ended before it could show more, and is over once one has worked", async () => {
    promise("agents.limit");
    const ends: (Failing | undefined)[] = [
      limit({ words: "limit", resets: null }),
      { reason: "not-installed", detail: "claude is not installed" },
    ];
    const stage = openStage({ tasks: list("id: T1, repo: ."), once: true, agent: async () => ends.shift() });
    await stage.end();
    expect(stage.runs).toHaveLength(2);
    expect(JSON.parse(stage.read(".pawl/accounts.json") ?? "").rests).toMatchObject([{ count: 1 }]);
  });

  it.each([
    ["succeeded", null, true],
    ["model-error", null, true],
    ["stopped", "budget", true],
    ["not-installed", null, false],
    ["bad-session", null, false],
    ["stopped", "interrupted", false],
    ["signalled", "interjected", false],
  ] as const)("is learned from a run that ended as %s, stopped for %s: %s", (reason, stop, shows) => {
    const end = reason === "succeeded" ? { outcome: reason } : { outcome: "failed" as const, reason };
    expect(showsAccount({ end, stop })).toBe(shows);
  });

  const RECORD = ".pawl/accounts.json";
  const STEPS = (id: string) =>
    `id: ${id}, repo: ., steps: [{id: ${id}a, instruction: i}, {id: ${id}b, instruction: i}]`;
  const resets = (stage: Stage, hours: number) =>
    new Date(stage.now().getTime() + hours * HOUR).toISOString();

  it("keeps a task from its next step, too: it does not ask what another task has found out", async () => {
    promise("agents.one-record");
    let isLimited = false;
    const stage: Stage = openStage({
      ...{ tasks: list(STEPS("T1"), "id: T2, repo: ."), once: true, noWait: true },
      async agent({ stepDone, task, works }) {
        if (task === "T2") {
          isLimited = true;
          return limit({ words: "limit", resets: resets(stage, 2) });
        }
        await works(10_000);
        await stepDone("T1a");
        return undefined;
      },
    });
    expect(await stage.end()).toMatchObject({ resting: [{ agent: "claude", tasks: ["T1", "T2"] }] });
    expect(isLimited).toBe(true);
    expect(stage.runs.map(({ task }) => task)).toEqual(["T1", "T2"]);
    expect(stage.state("T1")).toBe("agent_rests");
    expect(stage.of("agent:rests").map(({ first }) => first)).toEqual([true, false]);
  });

  it("is not overruled by an agent that was at work before the limit, only by one that works after it", async () => {
    promise("agents.one-record");
    const stage: Stage = openStage({
      ...{ tasks: list("id: T1, repo: .", "id: T2, repo: .", "id: T3, repo: ."), once: true },
      async agent({ task, works }) {
        if (task === "T1") await works(10_000);
        return task === "T2" && stage.elapsed() < HOUR
          ? limit({ words: "limit", resets: resets(stage, 2) })
          : undefined;
      },
    });
    await stage.until(() => stage.of("task:completed").length === 1);
    await stage.pass(HOUR);
    expect(stage.runs.map(({ task }) => task)).toEqual(["T1", "T2"]);
    expect(JSON.parse(stage.read(RECORD) ?? "").rests).toMatchObject([{ agent: "claude", count: 1 }]);
    expect(await stage.end()).toMatchObject({ done: ["T1", "T2", "T3"], resting: [] });
    expect(JSON.parse(stage.read(RECORD) ?? "").rests).toEqual([]);
  });

  it("is forgotten for all its tasks if a person lets one of them go on", async () => {
    promise("agents.one-record");
    let isMended = false;
    const stage = openStage({ tasks: FOUR, agent: async () => (isMended ? undefined : refusal) });
    await stage.until(() => stage.of("agent:rests").length === 2);
    isMended = true;
    await stage.person(ready, { id: "T1" });
    await stage.until(() => stage.of("task:completed").length === 4);
    expect(stage.elapsed()).toBeLessThan(HOUR);
    stage.stop();
    await stage.end();
  });

  it("is another account's business if this machine has another key or login", async () => {
    promise("agents.one-record");
    let account = "one";
    const stage: Stage = openStage({
      ...{ tasks: FOUR, once: true, noWait: true },
      accounts: () => ({ claude: account }),
      agent: async () =>
        account === "one" ? limit({ words: "limit", resets: resets(stage, 2) }) : undefined,
    });
    expect(await stage.end()).toMatchObject({ done: [] });
    account = "two";
    expect(await stage.again()).toMatchObject({ done: ["T1", "T2", "T3", "T4"] });
    expect(JSON.parse(stage.read(RECORD) ?? "").rests).toMatchObject([{ agent: "claude", account: "one" }]);
  });

  it("counts for a worker on another machine that begins later: it does not ask again", async () => {
    promise("agents.one-record");
    let host = "one";
    const stage: Stage = openStage({
      ...{ tasks: FOUR, once: true, noWait: true },
      ...{ shared: { host: () => host }, accounts: () => ({ claude: "the same key" }) },
      agent: async () => limit({ words: "limit", resets: resets(stage, 2) }),
    });
    await stage.end();
    const asked = stage.runs.length;
    host = "two";
    expect(await stage.again()).toMatchObject({
      ...{ done: [], blocked: [] },
      resting: [{ agent: "claude", tasks: ["T1", "T2", "T3", "T4"] }],
    });
    expect(stage.runs).toHaveLength(asked);
  });

  it("is asked again at once by a worker that begins, if a person may have mended it", async () => {
    promise("agents.one-record");
    let isMended = false;
    const stage: Stage = openStage({
      ...{ tasks: FOUR, once: true, shared: {} },
      agent: async () => (isMended ? undefined : refusal),
    });
    expect(await stage.end()).toMatchObject({ done: [] });
    isMended = true;
    expect(await stage.again()).toMatchObject({ done: ["T1", "T2", "T3", "T4"] });
    expect(stage.elapsed()).toBeLessThan(HOUR);
  });

  it("shows which accounts are open, too, and what is left of each", () => {
    promise("agents.accounts");
    const [began, now, later] = ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z", "2026-01-01T05:00:00Z"];
    const of =
      (agent: string, more: Partial<AccountReport> = {}) =>
      (known: Accounts) =>
        withReport(known, { agent, began, limited: null, ...more }, undefined, now);
    const quota = [
      { name: "seven_day", used: 0.2, resets: "2026-01-04T00:00:00Z" },
      { name: "five_hour", used: 0.59, resets: later },
    ];
    const accounts = [
      of("codex"),
      of("claude", { quota }),
      of("gemini", { limited: { words: "limit", resets: later } }),
      of("opencode", { limited: { words: "no", resets: null, mend: "log in" } }),
    ].reduce((known, next) => next(known), { rests: [], quotas: [] } as Accounts);
    const here = { account: "here" };
    expect(listAccounts(accounts, now)).toEqual([
      {
        ...{ ...here, agent: "claude", state: "open", resets_at: later, source: "quota", until: null },
        words: expect.stringMatching(/^claude is open, with 41 % of its five_hour quota until \d\d:\d\d$/),
      },
      {
        ...{ ...here, agent: "codex", state: "open", resets_at: null, source: "none", until: null },
        words: "codex is open",
      },
      expect.objectContaining({ agent: "gemini", state: "limited", resets_at: later, source: "event" }),
      expect.objectContaining({
        agent: "opencode",
        state: "exhausted",
        until: null,
        words: "opencode cannot work: log in",
      }),
    ]);
    const [after] = listAccounts(accounts, "2026-01-05T00:00:00Z");
    expect(after).toMatchObject({ state: "open", source: "none", words: "claude is open" });
  });

  it("lifts the rests that last and are asked for, forgets the quota of these accounts, and leaves the others", () => {
    const [began, now, later] = ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z", "2026-01-01T05:00:00Z"];
    const quota = [{ name: "five_hour", used: 0.5, resets: later }];
    const of = (agent: string, resets: string) => (known: Accounts) =>
      withReport(known, { agent, began, limited: { words: "limit", resets }, quota }, undefined, now);
    const accounts = [of("claude", later), of("codex", later)].reduce((known, next) => next(known), {
      rests: [],
      quotas: [],
    } as Accounts);
    const { rests, quotas } = lifted(accounts, now, ({ agent }) => agent === "claude");
    expect(
      rests.map(({ agent, resets_at, source, until }) => [agent, until > now, resets_at, source]),
    ).toEqual([
      ["claude", false, null, "none"],
      ["codex", true, later, "event"],
    ]);
    expect(quotas.map(({ agent, windows }) => [agent, windows.length])).toEqual([
      ["claude", 0],
      ["codex", 1],
    ]);
    expect(listAccounts({ rests, quotas }, now).map(({ agent, state }) => [agent, state])).toEqual([
      ["claude", "open"],
      ["codex", "limited"],
    ]);
    expect(lifted(accounts, now, () => false)).toBe(accounts);
    expect(lifted(accounts, "2026-01-02T00:00:00Z", () => true)).toBe(accounts);
    expect(listAccounts(accounts, "2026-01-02T00:00:00Z").map(({ state }) => state)).toEqual([
      "open",
      "open",
    ]);
  });

  it("is written once for an account of which nothing more becomes known", () => {
    promise("agents.accounts");
    const report = { agent: "codex", began: "2026-01-01T00:00:00Z", limited: null };
    const known = withReport({ rests: [], quotas: [] }, report, undefined, "2026-01-01T01:00:00Z");
    expect(withReport(known, report, undefined, "2026-01-01T02:00:00Z")).toBe(known);
  });

  it("keeps a worker at work on another machine from an account that was refused meanwhile", async () => {
    promise("agents.one-record");
    const stage: Stage = openStage({
      ...{ tasks: list("id: T1, repo: .", "id: T2, repo: .", "id: T3, repo: ."), once: true, agents: 1 },
      ...{ shared: { host: () => "one" }, accounts: () => ({ claude: "the same key" }) },
      async agent({ task }) {
        if (task !== "T1") throw new Error(`${task} asked a refused account`);
        // The other machine finds it out while this one works.
        const record = JSON.parse(stage.read(RECORD) ?? '{"version":1,"rests":[],"quotas":[]}');
        const accounts = withReport(
          record,
          {
            agent: "claude",
            began: stage.now().toISOString(),
            limited: { words: "no", resets: null, mend: "log in" },
          },
          () => "the same key",
          new Date(stage.now().getTime() + 1).toISOString(),
        );
        stage.save(RECORD, JSON.stringify({ version: 1, ...accounts }));
        return undefined;
      },
    });
    expect(await stage.end()).toMatchObject({
      done: ["T1"],
      resting: [{ agent: "claude", state: "exhausted", tasks: ["T2", "T3"] }],
    });
  });

  it("is void if the clock was set back, and unreadable if somebody has broken it", async () => {
    const stage = openStage({ ...{ tasks: FOUR, once: true }, agent: async () => undefined });
    stage.save(
      RECORD,
      JSON.stringify({
        version: 1,
        quotas: [],
        rests: [
          {
            ...{ agent: "claude", account: "here", words: "limit", state: "limited", count: 1 },
            ...{ resets_at: "2030-01-02T00:00:00Z", source: "event" },
            ...{ since: "2030-01-01T00:00:00Z", at: "2030-01-01T00:00:00Z", until: "2030-01-02T00:00:00Z" },
          },
        ],
      }),
    );
    expect(await stage.end()).toMatchObject({ done: ["T1", "T2", "T3", "T4"] });
    stage.save(RECORD, "{");
    await expect(stage.again()).rejects.toMatchObject({ code: "state-unreadable" });
  });
});

describe("With `fit`, a step", () => {
  const SIX = list(...["T1", "T2", "T3", "T4", "T5", "T6"].map((id) => `id: ${id}, repo: .`));

  /** Each run takes a share of the quota of five hours, of which a part was used before. */
  function metered(used: number, share: number, more: Partial<StageOptions> = {}) {
    let resets = Number.NaN;
    let now = used;
    const stage: Stage = openStage({
      ...{ tasks: SIX, once: true, agents: 1, settings: { fit: true } },
      async agent({ agent, tellQuota }) {
        if (agent !== "claude") return undefined;
        if (Number.isNaN(resets)) resets = stage.now().getTime() + 2 * HOUR;
        if (stage.now().getTime() >= resets) [resets, now] = [resets + 5 * HOUR, 0];
        now += share;
        tellQuota([{ name: "five_hour", used: now, resets: new Date(resets).toISOString() }]);
        return undefined;
      },
      ...more,
    });
    return stage;
  }

  it("waits for the reset if less is left of its agent's quota than a run took, and says so once", async () => {
    promise("agents.fit");
    const stage = metered(0.4, 0.2);
    await stage.until(() => stage.of("agent:rests").length === 1);
    // 0.6 and 0.8 and 1: nothing is left for a fourth.
    expect(stage.runs).toHaveLength(3);
    expect(stage.of("agent:rests")).toMatchObject([
      {
        first: true,
        reason: expect.stringContaining("0 % of its five_hour quota are left, and a run took up to 20 %"),
      },
    ]);
    await stage.pass(HOUR);
    expect(stage.runs).toHaveLength(3);
    expect(await stage.end()).toMatchObject({ blocked: [], open: [] });
    expect(stage.runs).toHaveLength(6);
    expect(stage.elapsed()).toBeGreaterThan(2 * HOUR);
    expect(stage.of("agent:rests")).toHaveLength(1);
    expect(stage.of("task:retried")).toEqual([]);
  });

  it("begins without it, and if its agent says nothing of its quota", async () => {
    promise("agents.fit");
    const without = metered(0.4, 0.2, { settings: { fit: false } });
    await without.end();
    const silent = openStage({ ...{ tasks: SIX, once: true, settings: { fit: true } } });
    await silent.end();
    for (const { elapsed, runs } of [without, silent]) {
      expect(runs).toHaveLength(6);
      expect(elapsed()).toBeLessThan(HOUR);
    }
  });

  it("waits on under a new loop, and begins where a person says so", async () => {
    promise("agents.fit");
    const stage = metered(0.4, 0.2, { noWait: true });
    await stage.end();
    expect(await stage.again()).toMatchObject({ resting: [{ agent: "claude", tasks: ["T4", "T5", "T6"] }] });
    expect(stage.runs).toHaveLength(3);
    await stage.person(ready, { id: "T4" });
    await stage.again();
    expect(stage.runs.map(({ task }) => task)).toEqual(["T1", "T2", "T3", "T4"]);
  });

  it("waits on another machine with the same account, too", async () => {
    promise("agents.one-record");
    let host = "one";
    const same = { shared: { host: () => host }, accounts: () => ({ claude: "the same key" }) };
    const stage = metered(0.4, 0.2, { noWait: true, ...same });
    await stage.end();
    host = "two";
    expect(await stage.again()).toMatchObject({ resting: [{ agent: "claude", tasks: ["T4", "T5", "T6"] }] });
    expect(stage.runs).toHaveLength(3);
  });

  it("is measured by the last five runs in one window", () => {
    const began = "2026-01-01T00:00:00Z";
    const reported = (...used: readonly number[]) =>
      used.reduce<Accounts>(
        (known, each) => {
          const quota = [{ name: "five_hour", used: each, resets: "2026-01-01T05:00:00Z" }];
          return withReport(known, { agent: "claude", began, limited: null, quota }, undefined, began);
        },
        { rests: [], quotas: [] },
      ).quotas[0] as Quota;
    expect(quotaLimit(reported(0.3, 0.5, 0.55, 0.6, 0.7, 0.85), began)).toMatchObject({
      words: "15 % of its five_hour quota are left, and a run took up to 20 %",
    });
    expect(quotaLimit(reported(0.3, 0.5, 0.55, 0.6, 0.65, 0.75, 0.85), began)).toBeNull();
  });

  it("is done by the next agent if there is one", async () => {
    promise("agents.fit");
    const stage = metered(0.4, 0.2, {
      settings: { fit: true, agent: "claude", stand_ins: ["codex"] },
    });
    expect(await stage.end()).toMatchObject({ open: [] });
    const by = stage.runs.map(({ agent }) => agent);
    expect(by).toEqual(["claude", "claude", "claude", "codex", "codex", "codex"]);
  });
});

describe("A session", () => {
  it("is kept after a failed call of the model, and told to go on where it knows its step", async () => {
    promise("agents.session-kept");
    let n = 0;
    const stage = openStage({
      ...{ tasks: list("id: T1, repo: ., steps: [{id: s1, instruction: SECRET WORDS}]"), once: true },
      async agent({ spend, stepDone }: StageRun) {
        spend(1);
        n += 1;
        if (n === 1) return { reason: "model-error", detail: "500" } as const;
        await stepDone("s1");
        return undefined;
      },
    });
    await stage.end();
    expect(stage.runs.map(({ resumed }) => resumed)).toEqual([false, true]);
    const [first, second] = stage.runs.map(({ prompt }) => prompt);
    expect(first).toContain("SECRET WORDS");
    expect(second).toContain("cut short");
    expect(second).not.toContain("SECRET WORDS");
  });

  it("ends if the model's host does not take its conversation any more", async () => {
    let n = 0;
    const stage = openStage({
      ...{ tasks: list("id: T1, repo: ."), once: true },
      async agent() {
        n += 1;
        return n === 1 ? ({ reason: "bad-request", detail: "prompt is too long" } as const) : undefined;
      },
    });
    await stage.end();
    expect(stage.runs.map(({ resumed }) => resumed)).toEqual([false, false]);
  });
});

describe("An agent that others stand in for", () => {
  const TEAM = { agent: "claude", stand_ins: ["codex"] } as const;

  /** The accounts that are limited now, by agent: when each is free again. */
  function team(free: Readonly<Record<string, number>>, more: Partial<StageOptions> = {}) {
    const stage: ReturnType<typeof openStage> = openStage({
      ...{ tasks: FOUR, once: true, settings: TEAM },
      async agent({ agent }) {
        const at = (free[agent] ?? 0) + begun;
        const resets = new Date(at).toISOString();
        return stage.now().getTime() < at ? limit({ words: "limit", resets }) : undefined;
      },
      ...more,
    });
    const begun = stage.now().getTime();
    return stage;
  }

  it("hands its task over at once, in a fresh session, and no other task asks it until its reset", async () => {
    promise("agents.next");
    const stage = team({ claude: 2 * HOUR });
    const began = stage.now().getTime();
    expect(await stage.end()).toMatchObject({
      ...{ done: ["T1", "T2", "T3", "T4"], blocked: [] },
      resting: [{ agent: "claude", tasks: [] }],
    });
    expect(stage.now().getTime() - began).toBeLessThan(HOUR);
    expect(stage.of("agent:rests")[0]).toMatchObject({ agent: "claude", next: "codex" });
    const agentsOf = (id: string) => stage.runs.filter(({ task }) => task === id).map(({ agent }) => agent);
    expect(agentsOf("T1")).toEqual(["claude", "codex"]);
    expect(agentsOf("T4")).toEqual(["codex"]);
    expect(stage.runs.every(({ resumed }) => !resumed)).toBe(true);
    expect(stage.of("task:retried")).toEqual([]);
    const stood = stage.of("loop:progress").flatMap(({ resting }) => resting);
    expect(stood).toContainEqual(expect.objectContaining({ agent: "claude", tasks: [] }));
  });

  it("is known to rest by a loop after one that was killed, also if no task is left that asked it", async () => {
    promise("agents.next");
    const six = list(...["T1", "T2", "T3", "T4", "T5", "T6"].map((id) => `id: ${id}, repo: .`));
    const stage = team({ claude: 2 * HOUR }, { tasks: six });
    await stage.until(() => stage.runs.some(({ task }) => task === "T4"));
    const asked = stage.runs.filter(({ agent }) => agent === "claude").length;
    stage.kill();
    expect([stage.state("T1"), stage.state("T2")]).toEqual([undefined, undefined]);
    expect(await stage.again()).toMatchObject({ blocked: [], open: [] });
    expect(stage.runs.filter(({ agent }) => agent === "claude")).toHaveLength(asked);
  });

  it("waits with all of them for the first reset", async () => {
    promise("agents.next");
    const stage = team({ claude: 3 * HOUR, codex: HOUR });
    await stage.until(() => stage.of("loop:progress").some(({ resting }) => resting.length === 2));
    await stage.pass(HOUR / 2);
    expect(stage.state("T1")).toBe("agent_rests");
    const asked = stage.runs.length;
    await stage.pass(HOUR);
    expect(stage.runs.slice(asked).map(({ agent }) => agent)).toContain("codex");
    expect(await stage.end()).toMatchObject({ done: ["T1", "T2", "T3", "T4"], blocked: [] });
    expect(stage.runs.filter(({ agent }) => agent === "claude").length).toBeLessThanOrEqual(2);
  });

  it("blocks nothing if one of them is not installed", async () => {
    promise("agents.next");
    const stage = team(
      {},
      {
        async agent({ agent }) {
          if (agent === "codex") return { reason: "not-installed", detail: "codex is not installed" };
          return stage.now().getTime() < begun + HOUR
            ? limit({ words: "limit", resets: new Date(begun + HOUR).toISOString() })
            : undefined;
        },
      },
    );
    const begun = stage.now().getTime();
    expect(await stage.end()).toMatchObject({ done: ["T1", "T2", "T3", "T4"], blocked: [] });
  });

  it("holds up no task that waits for a stand-in, once that is refused and it is free itself", async () => {
    promise("agents.next");
    const at = (stage: Stage, hours: number) => stage.elapsed() < hours * HOUR;
    const until = (hours: number) =>
      limit({ words: "limit", resets: new Date(zero + hours * HOUR).toISOString() });
    const stage: Stage = openStage({
      ...{ tasks: FOUR, once: true, settings: TEAM },
      async agent({ agent }) {
        if (agent === "claude") return at(stage, 1.5) ? until(1.5) : undefined;
        return at(stage, 1) ? until(1) : refusal;
      },
    });
    const zero = stage.now().getTime();
    expect(await stage.end()).toMatchObject({ done: ["T1", "T2", "T3", "T4"], open: [] });
    expect(stage.elapsed()).toBeLessThan(1.6 * HOUR);
  });

  it("works alone on a task that names it", async () => {
    promise("agents.next");
    const stage = team(
      { claude: HOUR },
      { tasks: list("id: T1, repo: ., agent: claude", "id: T2, repo: .") },
    );
    expect(await stage.end()).toMatchObject({ done: ["T1", "T2"] });
    const agentsOf = (id: string) =>
      new Set(stage.runs.filter(({ task }) => task === id).map(({ agent }) => agent));
    expect(agentsOf("T1")).toEqual(new Set(["claude"]));
    expect(stage.of("agent:rests").map(({ taskId }) => taskId)).toContain("T1");
  });
});
