/** The recipe for containers: what can be tried of it without any. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { machines, sharedTasks } from "../rig/machines.ts";
import { emptyDatabase, STARTING } from "../rig/postgres.ts";
import { end, MAIN } from "../rig/project.ts";
import { promise } from "../rig/promise.ts";
import { trustAsItIs } from "../rig/trust.ts";
import { until } from "../rig/until.ts";

const PLACE = resolve(import.meta.dirname, "../../examples/team");
const SCRIPT = join(PLACE, "worker.sh");

beforeAll(emptyDatabase, STARTING);

interface Service {
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly network_mode?: string;
}

it("the compose file has a database and workers that reach it on their own loopback, each with a home of its own", () => {
  promise("team.containers");
  const { services, volumes } = parse(readFileSync(join(PLACE, "compose.yaml"), "utf8"), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: Readonly<Record<string, unknown>>;
  };
  const { database, ...workers } = services;
  expect(database?.volumes).toEqual(["database:/var/lib/postgresql"]);
  expect(Object.keys(workers)).toHaveLength(3);
  const used = (variable: string) => readFileSync(SCRIPT, "utf8").includes(`$${variable}`);
  for (const [name, { environment, network_mode, volumes: own }] of Object.entries(workers)) {
    expect(environment.WORKER).toBe(name);
    expect(network_mode).toBe("service:database");
    expect(environment.PAWL_DATABASE_URL).toContain("@127.0.0.1:5432/");
    expect(own).toEqual([`${name}:/home/node`]);
    expect(Object.keys(volumes)).toContain(name);
    expect(
      ["GIT_REMOTE", "GIT_NAME", "GIT_EMAIL", "WORKER"].filter(
        (each) => !(each in environment) || !used(each),
      ),
    ).toEqual([]);
  }
});

it("its script makes the checkout, runs what a person asks, and is a worker that SIGTERM drains", {
  timeout: 240_000,
}, async () => {
  promise("team.containers");
  const tasks = sharedTasks(["T1"]);
  using both = await machines({ tasks });
  const place = join(both.one.root, "..");
  const home = join(place, "home");
  const bin = join(place, "bin");
  for (const folder of [home, bin]) mkdirSync(folder);
  writeFileSync(join(bin, "pawl"), `#!/bin/sh\nexec "${process.execPath}" "${MAIN}" "$@"\n`, { mode: 0o755 });
  const environment = {
    ...both.environment,
    HOME: home,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    GIT_REMOTE: join(place, "remote.git"),
    GIT_NAME: "Worker",
    GIT_EMAIL: "worker@example.invalid",
    WORKER: "worker-1",
  };
  const run = (...words: readonly string[]) =>
    spawn("sh", [SCRIPT, ...words], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const listed = await end(run("pawl", "list"));
  expect({ code: listed.code, out: listed.out }).toMatchObject({
    code: 0,
    out: expect.stringContaining("T1"),
  });
  const untrusted = await end(run());
  expect({ code: untrusted.code, err: untrusted.err }).toMatchObject({
    code: 1,
    err: expect.stringContaining("pawl trust"),
  });
  // What it starts is agreed to as it was before the database had it.
  writeFileSync(join(place, "tasks.yaml"), tasks);
  trustAsItIs(join(home, "project"), undefined, place);
  const worker = run();
  const ended = end(worker);
  await until(() => both.remoteGit("ls-tree", "--name-only", "main").includes("T1.txt"));
  worker.kill("SIGTERM");
  expect(await ended).toMatchObject({ code: 0 });
  expect(existsSync(join(home, "project/.git"))).toBe(true);
  expect(
    execFileSync("git", ["config", "--global", "user.name"], { env: environment, encoding: "utf8" }),
  ).toBe("Worker\n");
});
