/** What a login may do in the database, by its role: real logins on a real server. */
import { describe, expect, it } from "vitest";
import { emptyDatabase, loginTo, onDatabase } from "../../../test/rig/postgres.ts";
import { promise } from "../../../test/rig/promise.ts";
import { databaseForEach } from "../../../test/rig/stores.ts";
import { hashOf } from "../../core/hash.ts";
import { projectPath as at } from "../../core/path.ts";
import type { Change } from "../../core/ports/store.ts";
import { task } from "../../tasks-file/schema.ts";
import { MIGRATIONS } from "./migrations.ts";

const place = databaseForEach();

/** As a login with this role; `owner`: the one that made the tables. */
async function as(role: "owner" | "person" | "worker" | "viewer") {
  const url = role === "owner" ? place.url : await loginTo(place.url, `pawl_${role}`);
  const database = place.database({ url });
  return { url, database, ...(await database.project(place.project)) };
}
type Opened = Awaited<ReturnType<typeof as>>;

const write = (path: string, value: unknown): Change => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { type: "write", path: at(path), text };
};
const event = (value: object): Change => {
  const text = `${JSON.stringify({ id: "e", ...value })}\n`;
  return { type: "append", path: at(".pawl/events.jsonl"), id: "e", text };
};
const commit = ({ store }: Opened, ...changes: Change[]) => store.commit(store.view(), changes);
const forbidden = (words: string) => ({
  code: "database-forbidden",
  message: expect.stringContaining(words),
});

const RUN = ".pawl/runs/T-1.json";
const PROGRESS = ".pawl/progress.json";
/** What the work writes of a task and of its step. */
const worked = {
  "T-1": { status: "in_progress", started_at: "t", session_id: "s", session_provider: "p", ai_notes: ["a"] },
  "T-1.1": { status: "pending" },
};
const WORKED: ReadonlySet<string> = new Set([
  ...["status", "started_at", "completed_at", "session_id", "session_provider", "ai_notes"],
]);
const LOG = ".pawl/log/bloom/T-1.jsonl";
/** Lines that say so, as one append. */
const logs = (...lines: readonly (object | string)[]): Change => ({
  type: "append",
  path: at(LOG),
  id: JSON.stringify(lines),
  text: lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join(""),
});
const steps = (...taken: readonly object[]) => logs(...taken.map((step) => ({ id: "l", step })));
const RECORD = ".alfred/records/bloom/T-1/0001-0002-0123456789abcdef.jsonl";
const record = (...steps: readonly object[]) =>
  write(
    RECORD,
    [...steps, { run: "bloom:T-1", state: null, v: 1 }].map((line) => `${JSON.stringify(line)}\n`).join(""),
  );
const loops = { kind: "moved", event: "claimed", by: { channel: "library", who: "w@h:1" }, prev: null };
const verdict = {
  kind: "moved",
  event: "approved",
  by: { channel: "terminal" },
  strength: "local",
  prev: "0".repeat(64),
};
const given = { approved: true, by: "ann", notes: "", strength: "local", commit: null, time: "t" };
const unapproved = { task: "T-1", kept: { approved: false } };
const approved = { task: "T-1", kept: { approved: true }, verdicts: [given] };

describe("a viewer", () => {
  it("reads everything, and writes nothing: no document, no event, no lease, no worker", async () => {
    promise("database.roles");
    await commit(await as("owner"), write("a", "1"), event({ type: "task:added" }));
    const viewer = await as("viewer");
    expect(await viewer.database.access()).toMatchObject({ role: "viewer", missing: [], ungranted: [] });
    expect(await viewer.store.view().read(at("a"))).toBe("1");
    expect((await viewer.eventLog.position())?.end).toBe(1);
    expect((await viewer.inspect()).revision).toBe(1);
    expect(await viewer.workers.list()).toEqual([]);
    const entry = { name: "w", host: "h", version: "1", labels: [], capacity: 1 };
    for (const attempt of [
      () => commit(viewer, write("a", "2")),
      () => commit(viewer, event({ type: "task:added" })),
      () => viewer.leaseManager.take("T-1", "viewer"),
      () => viewer.workers.register(entry),
      () => viewer.workers.drain("w"),
      () => viewer.database.addProject("other"),
      () => viewer.database.migrate(),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: "database-forbidden" });
    expect(await (await as("owner")).store.view().read(at("a"))).toBe("1");
  });
});

describe("a worker's role", () => {
  it("works: takes leases, registers, and commits runs, records and events of its own", async () => {
    promise("database.roles");
    const worker = await as("worker");
    expect((await worker.database.access()).role).toBe("worker");
    const lease = await worker.leaseManager.take("T-1", "w");
    const escapes = '{"task":"T-1","kept":{"approved":false},"message":"\\u0000 \\ud800 \\\\u0000"}';
    expect(
      await commit(
        worker,
        write(PROGRESS, worked),
        write(RUN, escapes),
        steps(loops),
        logs({ id: "u", step: null }),
        record(loops),
        write(".pawl/questions/q1.json", { id: "q1", answer: null }),
        write(`.pawl/lives/${hashOf("ä\n")}.json`, "ä\n"),
        event({ type: "run:advanced", by: loops.by }),
      ),
    ).toBe("committed");
    await lease?.release();
    await expect(worker.workers.drain("w")).rejects.toMatchObject({ code: "database-forbidden" });
    await expect(worker.database.addProject("other")).rejects.toMatchObject({ code: "database-forbidden" });
  });

  it("writes no verdict, wherever one is kept", async () => {
    promise("database.roles");
    const worker = await as("worker");
    const owner = await as("owner");
    const before = [write(RUN, unapproved), steps(loops)] as const;
    await commit(owner, ...before, write(".pawl/questions/q1.json", { answer: null }));
    const refused: readonly (readonly [string, Change])[] = [
      ["the verdict in", write(RUN, { ...unapproved, kept: { approved: true } })],
      ["the verdict in", write(RUN, { ...unapproved, verdicts: [given] })],
      ["the verdict in", write(".pawl/done/T-1.json", approved)],
      ["the verdict in", write(".pawl/runs/T-2.json", approved)],
      ["the verdict in", steps(loops, { ...verdict, strength: undefined })],
      ["the verdict in", steps({ ...loops, strength: "signed" })],
      ["the verdict in", steps({ ...loops, by: { channel: "board" } })],
      ...["accepted", "adopted", "returned"].map((kind) => {
        return ["the verdict in", steps({ ...loops, kind, event: undefined })] as const;
      }),
      // The same keys, spelled otherwise.
      ["the verdict in", logs('\uFEFF{"step":{"event":"\\u0061pproved"}}')],
      ["the verdict in", logs('{"step":null,"st\\u0065p":{"event":"approved"}}')],
      ["the verdict in", record(verdict)],
      ["the verdict in", record(loops, verdict)],
      ["whole, as JSON", write(RUN, "{")],
      ["lines of JSON", logs("[]")],
      ["lines of JSON", logs({ step: loops }, "{")],
      ["lines of JSON", write(LOG, { step: loops })],
      ["lines of JSON", { type: "remove", path: at(LOG) }],
      ["whole, as JSON", write(RECORD, '{"event":"claimed"}\n[{"event":"approved"}]\n')],
      ["whole, as JSON", write(RECORD, '{"event":"claimed"}\n{"event":\n')],
      ["whole, as JSON", { type: "append", path: at(RUN), id: "e", text: " " }],
      ["whole, as JSON", { type: "remove", path: at(RECORD) }],
      ["moves no document", { type: "move", from: at(".pawl/x"), to: at(RUN) }],
      ["does not answer", write(".pawl/questions/q1.json", { answer: "yes" })],
      ["does not write .pawl/inbox", write(".pawl/inbox/m1.json", {})],
      ["does not write tasks.yaml", write("tasks.yaml", "tasks: []\n")],
      ["does not write tasks.yaml", { type: "append", path: at("tasks.yaml"), id: "e", text: "- id: T-9\n" }],
      ["does not write tasks.yaml", { type: "remove", path: at("tasks.yaml") }],
      ["does not write plans/mine.yml", write("plans/mine.yml", "tasks: []\n")],
      ["does not write pawl.yaml", write("pawl.yaml", "gates: any\n")],
      ["does not write .alfred/config.yml", write(".alfred/config.yml", "")],
      ["does not write .alfred/gates", write(".alfred/gates/bloom/T-1/1.json", {})],
      ["does not write .alfred/records/release", write(".alfred/records/release/1/1.json", {})],
      ["does not write .pawl/log/release", { type: "remove", path: at(".pawl/log/release/1.jsonl") }],
      ["does not write .pawl/runs/release", write(".pawl/runs/release/1.json", {})],
      ["under its hash", write(`.pawl/lives/${hashOf("ä")}.json`, "a")],
      ["under its hash", write(".pawl/lives/careful.json", "ä")],
      ["under its hash", { type: "remove", path: at(`.pawl/lives/${hashOf("ä")}.json`) }],
      ["does not write .github", write(".github/workflows/x.yml", "")],
      ["a verdict's event", event({ type: "task:approved", taskId: "T-1" })],
      ["a verdict's event", event({ type: "question:answered" })],
      ["a verdict's event", event({ type: "policy:accepted" })],
      ["a verdict's event", event({ type: "run:advanced", strength: "local" })],
      ["a verdict's event", event({ type: "run:advanced", by: { channel: "terminal" } })],
      ["a verdict's event", { type: "append", path: at(".pawl/events.jsonl"), id: "e", text: "{\n" }],
      ["does not empty", { type: "remove", path: at(".pawl/events.jsonl") }],
    ];
    for (const [words, change] of refused)
      await expect(commit(worker, change), JSON.stringify(change)).rejects.toMatchObject(forbidden(words));
    // Beside something that it may write, too.
    await expect(commit(worker, steps(loops), event({ strength: "local" }))).rejects.toThrow();
    expect((await owner.inspect()).revision).toBe(1);
  });

  it("changes no key of a task but those that the work changes, and takes none away", async () => {
    promise("database.task-keys");
    const [worker, person] = [await as("worker"), await as("person")];
    const cancelled = {
      "T-1": { status: "cancelled", cancel_reason: "r", agent_name: "a" },
      "T-2": worked["T-1"],
    };
    expect(await commit(person, write(PROGRESS, cancelled))).toBe("committed");
    const keys = Object.keys((task as unknown as { shape: object }).shape).filter((key) => !WORKED.has(key));
    expect(keys).toEqual(expect.arrayContaining(["checkpoint", "verify", "instructions", "budget", "agent"]));
    const one = (id: "T-1" | "T-2", more: object) => ({ ...cancelled, [id]: { ...cancelled[id], ...more } });
    const refused: readonly (readonly [string, object | string])[] = [
      ...keys.flatMap((key) =>
        [null, "x", false, ["x"]].map((value) => [key, one("T-2", { [key]: value })] as const),
      ),
      ["checkpoint", JSON.stringify(one("T-2", {})).replace('"T-2":{', '"T-2":{"check\\u0070oint":null,')],
      ["status", one("T-1", { status: "todo" })],
      ["status", one("T-2", { status: "cancelled" })],
      ["status", one("T-2", { status: "approved" })],
      ["status", one("T-2", { status: null })],
      ["status", one("T-2", { status: ["done"] })],
      ["status", { "T-1": cancelled["T-1"] }],
      ["cancel_reason", one("T-1", { cancel_reason: null })],
      ["session_id", one("T-2", { session_id: { a: 1 } })],
      ["ai_notes", one("T-2", { ai_notes: [] })],
      ["ai_notes", one("T-2", { ai_notes: ["b", "a"] })],
      ["ai_notes", one("T-2", { ai_notes: null })],
      ["?", { ...cancelled, "T-3": [] }],
    ];
    for (const [key, value] of refused)
      await expect(commit(worker, write(PROGRESS, value)), JSON.stringify(value)).rejects.toMatchObject(
        key === "?" || key === "status" ? { code: "database-forbidden" } : forbidden(`the key ${key} of T-`),
      );
    for (const change of [
      write(PROGRESS, "{"),
      write(PROGRESS, []),
      { type: "remove", path: at(PROGRESS) } as const,
    ])
      await expect(commit(worker, change)).rejects.toMatchObject(forbidden("whole, as JSON"));
    expect(
      await commit(
        worker,
        write(PROGRESS, one("T-2", { status: "done", completed_at: "t", ai_notes: ["a", "b"] })),
      ),
    ).toBe("committed");
    expect((await worker.inspect()).revision).toBe(2);
  });

  it("carries on what a person decided, to the letter", async () => {
    promise("database.roles");
    const [worker, person] = [await as("worker"), await as("person")];
    const written = [write(RUN, approved), steps(loops, verdict)];
    expect(await commit(person, ...written, event({ type: "task:approved", strength: "local" }))).toBe(
      "committed",
    );
    const more = { ...loops, prev: "1".repeat(64) };
    expect(
      await commit(
        worker,
        write(RUN, { ...approved, state: "merging" }),
        steps(more, verdict),
        record(loops, verdict, more),
      ),
    ).toBe("committed");
    for (const change of [
      write(RUN, { ...approved, verdicts: [{ ...given, by: "bob" }] }),
      write(RUN, { ...approved, verdicts: [] }),
      steps({ ...verdict, prev: null }),
    ])
      await expect(commit(worker, change)).rejects.toMatchObject(forbidden("the verdict in"));
    expect(
      await commit(worker, write(".pawl/done/T-1.json", approved), { type: "remove", path: at(RUN) }),
    ).toBe("committed");
    // Another life of the task begins without it.
    await expect(commit(worker, write(RUN, approved))).rejects.toMatchObject(forbidden("the verdict in"));
    expect(await commit(worker, write(RUN, { ...unapproved, verdicts: [given] }))).toBe("committed");
    expect((await person.inspect()).last?.who).toMatch(/^pawl_login/);
  });
});

describe("a verdict", () => {
  it("says which login brought it, whatever it says of itself", async () => {
    promise("database.verdict-login");
    const person = await as("person");
    const { username } = new URL(person.url);
    const lines = [
      { type: "task:approved", taskId: "T-1", by: "ann@h", strength: "terminal", login: "forged" },
      { type: "run:advanced", summary: "}", strength: "board" },
      { type: "task:noted", taskId: "T-1", text: "n" },
    ];
    await commit(person, ...lines.map(event));
    const entries = await person.eventLog.readBack({ before: 3, limit: 3 });
    expect(entries.map(({ text }) => JSON.parse(text)).reverse()).toEqual([
      { id: "e", ...lines[0], login: username },
      { id: "e", ...lines[1], login: username },
      { id: "e", ...lines[2] },
    ]);
    // An import brings a log as it is.
    const text = `${JSON.stringify({ id: "e", ...lines[0], login: "before" })}\n`;
    await commit(person, write(".pawl/events.jsonl", text));
    const [kept] = await person.eventLog.readBack({ before: 1, limit: 1 });
    expect(JSON.parse(kept?.text ?? "{}").login).toBe("before");
  });
});

describe("a project's own role", () => {
  it("counts in that project alone: nothing of another is seen or changed", async () => {
    promise("database.project-roles");
    const other = `${place.project}-other`;
    const owner = place.database();
    await owner.addProject(other);
    await owner.migrate();
    await commit(await as("owner"), write("a", "theirs"));
    const url = await loginTo(place.url, `"pawl_worker_${other}"`, `"pawl_viewer_${other}"`);
    const database = place.database({ url });
    const { username } = new URL(url);
    expect(await database.access(other)).toMatchObject({ role: "worker", login: username, ungranted: [] });
    expect((await database.access(place.project)).role).toBe("none");
    await expect(database.project(place.project)).rejects.toMatchObject({
      code: "database-forbidden",
      message: expect.stringContaining(`The login ${username} has no role in the project ${place.project}`),
      fix: expect.stringContaining(`grant "pawl_person_${place.project}" to ${username}`),
    });

    const own = { url, database, ...(await database.project(other)) };
    expect(await commit(own, write(PROGRESS, worked))).toBe("committed");
    await expect(commit(own, write("tasks.yaml", "tasks: []\n"))).rejects.toMatchObject(
      forbidden("tasks.yaml"),
    );
    const lease = await own.leaseManager.take("T-1", "w");
    expect(lease).not.toBeNull();
    await onDatabase(url, async (client) => {
      const { rows } = await client.query("select distinct name from pawl.project");
      expect(rows).toEqual([{ name: other }]);
      const [{ id }] = (
        await onDatabase(place.url, (all) =>
          all.query("select id from pawl.project where name = $1", [place.project]),
        )
      ).rows as [{ id: string }];
      for (const table of ["document", "commit", "event", "lease", "worker", "spend", "reservation"])
        expect((await client.query(`select from pawl.${table} where project = ${id}`)).rowCount).toBe(0);
      for (const call of [
        `pawl.commit(${id}, gen_random_uuid(), 0, null, '{}', '{}', '[]', false, '{}', null, null)`,
        `pawl.take(${id}, 'T-1', 'w', '15 s')`,
        `pawl.take_task(${id}, 'T-1', 'w', '15 s', '{}')`,
        `pawl.register(${id}, 'w', gen_random_uuid(), 'h', '1', '{}', 1, '15 s', null, false)`,
        `pawl.beat(${id}, 'w', gen_random_uuid(), 0, false)`,
        `pawl.leave(${id}, 'w', gen_random_uuid())`,
      ])
        await expect(client.query(`select ${call}`), call).rejects.toMatchObject({
          code: "PW005",
          detail: "none",
        });
    });
    await (await as("owner")).leaseManager.take("T-1", "theirs");
    await onDatabase(url, async (client) => {
      const [{ id, epoch }] = (
        await onDatabase(place.url, (all) =>
          all.query(
            "select p.id, l.epoch from pawl.project p join pawl.lease l on l.project = p.id where p.name = $1",
            [place.project],
          ),
        )
      ).rows as [{ id: string; epoch: string }];
      for (const call of [
        `pawl.renew(${id}, '{T-1}', '{${epoch}}', '1 h')`,
        `pawl.release(${id}, 'T-1', ${epoch})`,
      ])
        await expect(client.query(`select ${call}`), call).rejects.toMatchObject({ code: "PW005" });
    });
  });
});

describe("a login", () => {
  it("touches no table past Pawl's functions, whatever its role", async () => {
    promise("database.roles");
    await commit(await as("owner"), write("a", "1"));
    for (const role of ["person", "worker", "viewer"] as const)
      await onDatabase((await as(role)).url, async (client) => {
        for (const statement of [
          "insert into pawl.project (name) values ('x')",
          "update pawl.document set text = '2'",
          "delete from pawl.commit",
          "delete from pawl.event",
          "update pawl.lease set holder = null",
          "update pawl.worker set state = 'gone'",
          "update pawl.spend set usd = 0",
          "delete from pawl.reservation",
          "update pawl.migration set readable_from = 1",
          "drop table pawl.document",
          "create table pawl.mine (a int)",
          "alter table pawl.document disable row level security",
          "select pawl.apply(1, '[]', 1)",
          "select pawl.put(1, 'a', '2', 1)",
          "select pawl.log(1, true, '{}', 1)",
          "select pawl.settle(1, '{}')",
          "select pawl.add_spend(1, 1)",
        ])
          await expect(client.query(statement), `${role}: ${statement}`).rejects.toMatchObject({
            code: "42501",
          });
      });
  });

  it("without a role sees nothing, also if it was granted a table by mistake", async () => {
    promise("database.roles");
    await commit(await as("owner"), write("a", "1"));
    const url = await loginTo(place.url);
    const database = place.database({ url });
    await expect(database.project(place.project)).rejects.toMatchObject({
      code: "database-forbidden",
      fix: expect.stringContaining("grant pawl_person"),
    });
    const login = new URL(url).username;
    await onDatabase(place.url, (client) =>
      client.query(
        `grant usage on schema pawl to ${login}; grant all on all tables in schema pawl to ${login}; grant execute on function pawl.role(bigint), pawl.projects() to ${login}`,
      ),
    );
    await onDatabase(url, async (client) => {
      expect((await client.query("select from pawl.document")).rowCount).toBe(0);
      expect((await client.query("update pawl.document set text = '2'")).rowCount).toBe(0);
      expect((await client.query("delete from pawl.commit")).rowCount).toBe(0);
      await expect(client.query("insert into pawl.project (name) values ('x')")).rejects.toMatchObject({
        code: "42501",
      });
    });
    expect(await (await as("owner")).store.view().read(at("a"))).toBe("1");
  });

  it("cannot put its own functions in the place of Pawl's", async () => {
    promise("database.roles");
    const { url } = await as("worker");
    await onDatabase(url, async (client) => {
      await client.query("create temporary table document (project bigint, path text, text text)");
      await client.query(
        "create function pg_temp.pg_has_role(name, name, text) returns boolean language sql as 'select true'",
      );
      await client.query("set search_path = pg_temp, pg_catalog");
      const { rows } = await client.query("select pawl.role() as role");
      expect(rows).toEqual([{ role: "worker" }]);
      await client.query("set role pawl_worker");
      expect((await client.query("select pawl.role() as role")).rows).toEqual([{ role: "worker" }]);
    });
  });

  it("that may not make roles sets a database up for itself, and is shown what is missing", async () => {
    promise("database.roles");
    const url = await emptyDatabase();
    const own = await loginTo(url);
    await onDatabase(url, (client) =>
      client.query(`grant create on database ${new URL(url).pathname.slice(1)} to ${new URL(own).username}`),
    );
    const database = place.database({ url: own });
    expect(await database.migrate()).toContain(MIGRATIONS[0]?.says);
    expect(await database.access()).toMatchObject({ role: "owner", login: new URL(own).username });
    await onDatabase(url, (client) => client.query("revoke all on function pawl.drain from pawl_person"));
    expect((await database.access()).ungranted).toEqual(["pawl_person"]);
    expect(await database.migrate()).toEqual([]);
    expect((await database.access()).ungranted).toEqual([]);
  });
});
