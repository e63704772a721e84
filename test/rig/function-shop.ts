/** A workflow whose fact and command are functions of the program. Started itself, it is killed in the command. */
import { writeSync } from "node:fs";
import { defineWorkflow, type FactFunction, openProject, type RuleFunction } from "../../src/index.ts";

export function functionShop(functions: { readonly risk?: FactFunction; readonly publish?: RuleFunction }) {
  const { publish = () => "uploaded", risk = () => "low" } = functions;
  return defineWorkflow({
    table: {
      name: "shop",
      title: "A shop",
      initial: "draft",
      goals: ["live"],
      states: {
        draft: { description: "It is written." },
        publishing: { description: "It is published." },
        live: { description: "It is there.", final: true },
      },
      events: {
        publish: { description: "Publish it" },
        published: { description: "It was published" },
        refused: { description: "It was refused" },
      },
      facts: {
        risk: { description: "The risk.", values: ["low", "high"] },
        tries: { description: "How often.", values: [0, 1, 2], initial: 0 },
      },
      rules: [
        {
          id: "risky",
          from: ["draft"],
          on: "publish",
          when: [{ risk: ["high"] }],
          to: "same",
          outcome: "blocked",
          reply: "no",
        },
        {
          id: "begun",
          from: ["draft"],
          on: "publish",
          when: [{ risk: ["low"] }],
          to: "publishing",
          commands: [{ type: "run", call: publish, passed: "published", failed: "refused" }],
          set: { tries: { add: 1 } },
          outcome: "moved",
          reply: "begun",
        },
        { id: "in", from: ["publishing"], on: "published", to: "live", outcome: "moved", reply: "ended" },
        { id: "out", from: ["publishing"], on: "refused", to: "draft", outcome: "moved", reply: "ended" },
        { id: "early", from: ["draft"], on: "published", to: "same", outcome: "blocked", reply: "no" },
        { id: "early2", from: ["draft"], on: "refused", to: "same", outcome: "blocked", reply: "no" },
        { id: "late", from: ["publishing"], on: "publish", to: "same", outcome: "blocked", reply: "no" },
      ],
    },
    sources: { risk: { type: "function", ask: risk } },
    replies: { no: "{{ event }}: not now.", begun: "It begins.", ended: "{{ state }}: {{ ended.tail }}" },
  });
}

if (import.meta.main) {
  const workflow = functionShop({
    publish({ key }) {
      writeSync(1, key);
      process.kill(process.pid, "SIGKILL");
      return new Promise(() => {});
    },
  });
  const project = await openProject({ root: process.argv[2] ?? "", workflows: [workflow] });
  await project.send("shop:a", "publish");
}
