/** A backup by PostgreSQL's own programs, and the database that is made of it: of Debian's package, as teams have it. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { json, machines, sharedTasks } from "../rig/machines.ts";
import { debianPrograms, loginTo, onDatabase, startPostgresOf } from "../rig/postgres.ts";
import { pawlInside } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";

it("a restored database goes on from where it was backed up, and nothing is merged twice", {
  timeout: 240_000,
}, async () => {
  promise("database.restore");
  const bin = debianPrograms();
  const server = await startPostgresOf(bin);
  const url = server.url("team");
  const make = () =>
    onDatabase(server.url("postgres"), async (client) => {
      await client.query("drop database if exists team with (force)");
      await client.query("create database team");
    });
  await make();
  using both = await machines({ tasks: sharedTasks(["T1", "T2", "T3"]) }, url);
  const { environment, one, two } = both;
  const worker = await loginTo(url, "pawl_worker");
  const asWorker = (...words: readonly string[]) =>
    pawlInside(two.root, words, { ...environment, PAWL_DATABASE_URL: worker });
  const done = async (id: string) => {
    const { code, err } = await one.run("--task", id);
    expect({ code, err }).toEqual({ code: 0, err: "" });
  };
  const statuses = async () => {
    const { tasks } = (await json(one, "list")).data as { tasks: readonly Record<string, string>[] };
    return tasks.map(({ id, status }) => `${id} ${status}`);
  };
  const program = (name: string, ...words: readonly string[]) =>
    execFileSync(join(bin, name), words, { stdio: ["ignore", "ignore", "pipe"] });

  await done("T1");
  const file = join(one.root, "../pawl.dump");
  program("pg_dump", "--format=custom", "--schema=pawl", "--no-owner", "--no-acl", `--file=${file}`, url);
  await done("T2");
  expect((await one.person("cancel", "T3", "--reason", "Nobody needs it.")).code).toBe(0);
  expect(await statuses()).toEqual(["T1 done", "T2 done", "T3 cancelled"]);

  await make();
  program("pg_restore", "--exit-on-error", "--no-owner", "--no-acl", `--dbname=${url}`, file);
  expect((await asWorker("list")).err).toContain("[database-forbidden]");
  expect((await one.pawl("database", "migrate")).code).toBe(0);
  expect((await asWorker("list")).code).toBe(0);
  expect((await one.pawl("database", "check")).out).toContain("Nothing is wrong.");
  expect(await statuses()).toEqual(["T1 done", "T2 ready_for_agent", "T3 ready_for_agent"]);

  // What it would do is merged already.
  const again = await one.run("--task", "T2");
  expect(again.of("task:blocked")).toMatchObject([
    { reason: "nothing was committed on bloom/T2 that main lacks" },
  ]);
  expect((await one.person("task", "done", "T2", "--force")).code).toBe(0);
  await done("T3");
  expect(await statuses()).toEqual(["T1 done", "T2 done", "T3 done"]);
  const subjects = both.remoteGit("log", "--format=%s", "main").split("\n");
  for (const id of ["T1", "T2", "T3"]) expect(subjects.filter((subject) => subject === id)).toEqual([id]);
  server.stop();
});
