/**
 * The one definition of what a configuration file may say: `config.ts` checks files by it, and the published
 * `pawl.schema.json` is made from it. Every key is optional; the defaults are in `base/settings.ts`.
 */
import { z } from "zod";

const TOOLS = [
  "create_spec",
  "create_tasks_from_spec",
  "start_task",
  "plan_task",
  "implement_task",
  "review_task",
  "test_task",
  "finalize_task",
] as const;

const reviewers = z.union(
  [
    z.tuple([]),
    z.tuple([z.literal("ai")]),
    z.tuple([z.literal("human")]),
    z.tuple([z.literal("ai"), z.literal("human")]),
  ],
  { error: "expected [], [ai], [human] or [ai, human]" },
);

/** The keys of `.alfred/config.yml`, and of `alfred:` in `pawl.yaml`. */
export const ALFRED_FILE = z.strictObject({
  provider: z.enum(["local", "jira", "linear"]).optional().describe("Where tasks come from."),
  reviews: z
    .partialRecord(z.enum(["default", ...TOOLS]), reviewers)
    .optional()
    .describe("Who reviews an artifact, in order, per tool; `default` for the tools not named."),
  human_review: z
    .enum(["relay", "elicit", "confirm"])
    .optional()
    .describe(
      "How a human's verdict reaches Pawl: relayed by the assistant, asked of the human through the client, or only from a terminal.",
    ),
  evidence: z
    .enum(["show", "require"])
    .optional()
    .describe("Whether a disagreement between report and evidence is only shown, or must be settled first."),
  checks: z
    .record(z.string().min(1), z.string().min(1))
    .optional()
    .describe("Name to shell command, run before a review."),
  personas: z
    .partialRecord(z.enum(TOOLS), z.string().min(1))
    .optional()
    .describe("Tool to the name of the persona that speaks in its prompts."),
});

/** The keys of `pawl.yaml`. */
export const PAWL_FILE = z.strictObject({
  alfred: ALFRED_FILE.optional().describe("One task through gates, by MCP tools."),
});

/** The JSON schema of `pawl.yaml`, for editors. */
export function pawlJsonSchema(): Record<string, unknown> {
  return { title: "pawl.yaml", ...z.toJSONSchema(PAWL_FILE, { target: "draft-7", io: "input" }) };
}
