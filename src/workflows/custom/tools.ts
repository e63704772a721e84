import { z } from "zod";
import type { Tool } from "../../runtime/module.ts";
import type { DefinitionSource } from "./definition/definition.ts";
import { sendTo } from "./send.ts";
import { show } from "./show-run.ts";

const value = z.union([z.string(), z.number(), z.boolean(), z.null()]);

/** The two tools that all of the project's own workflows share. */
export function toolsOf(sources: readonly DefinitionSource[]): readonly Tool[] {
  const names = sources.map(({ name }) => name).join(", ");
  const run = z.string().describe(`The workflow, a colon and an id: ${sources[0]?.name}:ID.`);
  return [
    {
      name: "advance",
      title: "Advance a run",
      description: `Send an event to a run of one of the project's workflows (${names}). The first event begins the run. Do what the reply says.`,
      input: z.strictObject({
        run,
        event: z
          .string()
          .optional()
          .describe(
            "One of the events that `look` lists; without it a command that is under way is waited for.",
          ),
        given: z
          .record(z.string(), value)
          .optional()
          .describe("The facts that the event asks the caller for."),
        notes: z.string().max(20_000).optional().describe("What a person should read about it."),
      }),
      readOnly: false,
      idempotent: false,
      openWorld: true,
      destructive: true,
      waitsAtGate: true,
      transaction: sendTo(sources),
    },
    {
      name: "look",
      title: "Look at a run",
      description: `Show where a run stands and which events it takes; without a run, every run of ${names}.`,
      input: z.strictObject({ run: run.optional() }),
      readOnly: true,
      idempotent: true,
      transaction: show(sources),
    },
  ];
}
