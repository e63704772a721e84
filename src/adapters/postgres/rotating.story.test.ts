/** A server whose password changes while Pawl works with it, and the same one by its socket. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { onDatabase, STARTING, startPostgres } from "../../../test/rig/postgres.ts";
import { promise } from "../../../test/rig/promise.ts";
import { until } from "../../../test/rig/until.ts";
import { openDatabase } from "./database.ts";

const REFUSED = 'password authentication failed for user "ann"';

let folder: string;
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("works on if the password changes, and by a socket", { timeout: STARTING }, async () => {
  promise("database.rotating");
  // Where the server's own user gets to.
  folder = mkdtempSync("/tmp/pawl-rotating-");
  chmodSync(folder, 0o777);
  const [rules, secret] = [join(folder, "rules"), join(folder, "secret")];
  writeFileSync(rules, "local all all trust\nhost all postgres all trust\nhost all ann all scram-sha-256\n");
  const log = ["logging_collector=on", `log_directory=${folder}`, "log_filename=log"];
  const server = await startPostgres(`hba_file=${rules}`, ...log);
  try {
    const past = (sql: string) =>
      onDatabase(server.url("postgres"), async (client) => (await client.query(sql)).rows);
    await past("create role ann login createrole password 'one'");
    await past("create database pawl owner ann");
    const { port } = new URL(server.url("pawl"));
    writeFileSync(secret, "one\n");
    const url = `postgres://ann@127.0.0.1:${port}/pawl?password_file=${secret}`;
    const database = openDatabase({ url, limits: { reconnecting: 20_000 } });
    await database.migrate();
    await database.addProject("shop");
    // The server has the new one before the file, as each may be the first.
    await past("alter role ann password 'two'");
    await past("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'ann'");
    const found = database.project("shop");
    await until(() => readFileSync(join(folder, "log"), "utf8").includes(REFUSED));
    writeFileSync(secret, "two\n");
    expect(await (await found).inspect()).toMatchObject({ events: 0 });
    await database.close();

    writeFileSync(secret, "three\n");
    const wrong = openDatabase({ url, limits: { reconnecting: 100 } });
    await expect(wrong.project("shop")).rejects.toMatchObject({
      code: "database-failed",
      message: expect.stringContaining(REFUSED),
    });
    await wrong.close();

    const [{ setting }] = await past(
      "select setting from pg_settings where name = 'unix_socket_directories'",
    );
    const here = openDatabase({ url: `postgres://ann@${encodeURIComponent(setting)}:${port}/pawl` });
    await here.project("shop");
    await here.close();
  } finally {
    server.stop();
  }
});
