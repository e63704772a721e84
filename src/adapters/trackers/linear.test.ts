import { expect, test } from "vitest";
import { LinearServer } from "../../../test/rig/linear-server.ts";
import { promise } from "../../../test/rig/promise.ts";
import { openTrackers } from "./trackers.ts";

const open = ({ environment }: LinearServer) =>
  openTrackers(environment, "/").open("linear", { project: "WEB", statuses: {} });

test("no query costs more than Linear allows one, whatever the issues", async () => {
  promise("alfred.trackers");
  await using server = await LinearServer.open();
  server.pageSize = 50;
  for (let number = 1; number <= 120; number++) server.add(`WEB-${number}`);
  const linear = await open(server);
  expect(await linear.list("WEB")).toHaveLength(120);
  expect(await linear.read("WEB-7")).toMatchObject({ id: "WEB-7" });
  expect(await linear.read("WEB-777")).toBeNull();
  await linear.setStatus("WEB-7", "Done");
  await linear.comment("WEB-7", "mark", "Planned.");
  expect(server.issues.get("WEB-7")).toMatchObject({ state: "Done", comments: ["Planned. (mark)"] });
});

test("a spent limit is named as one, with the wait until it is full again", async () => {
  promise("fetch.words");
  await using server = await LinearServer.open();
  server.add("WEB-1");
  server.spent = {
    "x-ratelimit-requests-remaining": "1499",
    "x-ratelimit-requests-reset": String(Date.now() + 9_000_000),
    "x-ratelimit-complexity-remaining": "0",
    "x-ratelimit-complexity-reset": String(Date.now() + 3_000_000),
  };
  const linear = await open(server);
  await expect(linear.read("WEB-1")).rejects.toMatchObject({
    code: "tracker-failed",
    message: expect.stringContaining("accepts no requests for now"),
    fix: expect.stringMatching(/^Try again in (?:2[89]\d\d|3000) s;/),
  });
});
