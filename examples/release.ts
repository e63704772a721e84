/**
 * A small release workflow, made by a program: defined, proved, drawn, and led to its goal. Kill it wherever you like
 * and start it again: it goes on where the run stands.
 *
 *     node examples/release.ts FOLDER [--crash]
 */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { check, type Definition, defineWorkflow, fillBlocked, openProject, renderMermaid } from "pawl";

const TABLE = fillBlocked(
  {
    name: "release",
    title: "Release",
    initial: "drafting",
    goals: ["published"],
    states: {
      drafting: { description: "The notes are being written." },
      packing: { description: "The package is being made." },
      published: { description: "The package is there.", final: true },
    },
    events: {
      submit: { description: "Hand the notes in" },
      packed: { description: "The package was made" },
      not_packed: { description: "The package could not be made" },
    },
    facts: {
      notes: { description: "Whether the notes are there.", values: ["present", "missing"] },
      risk: { description: "How much may break.", values: ["low", "high"] },
      tries: { description: "How often packing failed.", values: [0, 1, 2], initial: 0 },
    },
    rules: [
      {
        id: "no-notes",
        from: ["drafting"],
        on: "submit",
        when: [{ notes: ["missing"] }],
        to: "same",
        outcome: "blocked",
        reply: "no-notes",
      },
      {
        id: "submitted",
        from: ["drafting"],
        on: "submit",
        when: [{ notes: ["present"], risk: ["low", "high"] }],
        to: "packing",
        outcome: "moved",
        commands: [{ type: "run", command: "sh pack.sh {{ id }}", passed: "packed", failed: "not_packed" }],
        reply: "submitted",
      },
      { id: "packed", from: ["packing"], on: "packed", to: "published", outcome: "moved", reply: "packed" },
      {
        id: "not-packed",
        from: ["packing"],
        on: "not_packed",
        to: "drafting",
        set: { tries: { add: 1 } },
        outcome: "moved",
        reply: "not-packed",
      },
    ],
  },
  // The reply wherever an event has no rule.
  "not-now",
);

const release: Definition = defineWorkflow({
  table: TABLE,
  sources: { notes: { type: "file", path: "notes/{{ id }}.md" }, risk: { type: "given" } },
  replies: {
    "no-notes": "Write notes/{{ id }}.md first.",
    submitted: "{{ run }} is packed now; the risk is {{ given.risk }}.",
    packed: "{{ run }} is published.",
    "not-packed": "Packing failed {{ kept.tries }} times: {{ ended.tail | fenced }}",
    "not-now": "`{{ event }}` is not possible in {{ state }}.",
  },
});

const [folder = ".", option] = process.argv.slice(2);
const root = resolve(folder);
mkdirSync(join(root, "notes"), { recursive: true });
writeFileSync(join(root, "pack.sh"), 'sleep 1; echo "packed $1" >> packed.log\n');

const say = (text: string) => process.stdout.write(`${text.trimEnd()}\n`);

const { violations, counts } = check({ workflow: release.table, replies: Object.keys(release.replies) });
say(
  violations.length === 0
    ? `proved in ${counts.combinations} combinations`
    : violations.map(({ message }) => message).join("\n"),
);
say(renderMermaid(release.table));

const project = await openProject({ root, workflows: [release] });
const run = "release:1.0.0";
const { state } = (await project.look(run)).data;
say(`${run} stands in ${state}`);

if (state === "drafting") {
  say((await project.send(run, "submit")).text);
  appendFileSync(join(root, "notes/1.0.0.md"), "Everything is new.\n");
  if (option === "--crash") {
    // As soon as the move is on disk, and before anybody heard how the packing ended.
    void (async () => {
      for await (const event of project.events({ follow: true })) {
        if (event.type === "run:advanced" && event.to === "packing") process.kill(process.pid, "SIGKILL");
      }
    })();
  }
  say((await project.send(run, "submit", { given: { risk: "low" } })).text);
} else if (state === "packing") {
  say((await project.send(run)).text);
}

for await (const event of project.events()) if (event.type === "run:advanced") say(`· ${event.summary}`);
await project.close();
