/** A release: a person says yes, a function publishes it. `node examples/release.ts FOLDER [--crash]` */
import { strict as assert } from "node:assert";
import { appendFileSync } from "node:fs";
import { defineWorkflow, fillBlocked, openMemoryStore, openProject, type RuleFunction } from "pawl";

/** Proved here: each case has one rule, and a goal can be reached from everywhere. */
const releaseBy = (call: RuleFunction) =>
  defineWorkflow({
    table: fillBlocked(
      {
        name: "release",
        title: "Release",
        initial: "drafted",
        goals: ["published"],
        states: {
          drafted: { description: "A person looks at it.", awaits: "human" },
          publishing: { description: "It is being published." },
          published: { description: "It is there.", final: true },
        },
        events: {
          approve: { description: "Publish it", verdict: "approve" },
          done: { description: "It was published" },
          failed: { description: "It could not be published" },
        },
        facts: {},
        rules: [
          {
            id: "yes",
            from: ["drafted"],
            on: "approve",
            to: "publishing",
            outcome: "moved",
            reply: "yes",
            commands: [{ type: "run", call, passed: "done", failed: "failed" }],
          },
          { id: "in", from: ["publishing"], on: "done", to: "published", outcome: "moved", reply: "in" },
          { id: "out", from: ["publishing"], on: "failed", to: "drafted", outcome: "moved", reply: "out" },
        ],
      },
      "not-now",
    ),
    sources: {},
    replies: { yes: "Yes.", in: "It is out.", out: "No: {{ ended.tail }}", "not-now": "Not in {{ state }}." },
  });
const ANA = { caller: { channel: "terminal", who: "Ana" } } as const;

const full = releaseBy(() => Promise.reject(new Error("the disk is full")));
const trial = await openProject({ root: "/", workflows: [full], store: openMemoryStore() });
assert.match((await trial.send("release:1.2.0", "approve", ANA)).text, /No: the disk is full/);
await trial.close();

const [root = process.cwd(), option] = process.argv.slice(2);
const release = releaseBy(({ id, key }) => {
  if (option === "--crash") process.kill(process.pid, "SIGKILL");
  appendFileSync(`${root}/published.log`, `${id} ${key}\n`);
});
const project = await openProject({ root, workflows: [release] });
const { state } = (await project.look("release:1.2.0")).data;
const { text } =
  state === "drafted"
    ? await project.send("release:1.2.0", "approve", ANA)
    : await project.send("release:1.2.0");
process.stdout.write(`It was ${state}.\n${text}`);
await project.close();
