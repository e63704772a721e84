/**
 * What the conformance suite asks its own server for, as far as a workflow can declare it: a tool that answers in text,
 * one that refuses, prompts with and without arguments, and a resource. Served by the product's own surface, beside its
 * workflows.
 */
import { z } from "zod";
import type { Reply, Transaction, WorkflowModule } from "../../src/runtime/module.ts";

type Look = Transaction<Record<string, never>, null, undefined, Reply>;

const says = (reply: Reply): Look => ({
  run: () => null,
  read: async () => null,
  propose: () => ({ reply }),
});

const tool = (name: string, description: string, reply: Reply) => ({
  name,
  title: name,
  description,
  input: z.strictObject({}),
  readOnly: true,
  idempotent: true,
  transaction: says(reply),
});

const SIMPLE = "This is a simple text response for testing.";
const ERROR = "This tool intentionally returns an error for testing";
const STATIC = "This is the content of the static text resource.";

export const FIXTURE: WorkflowModule = {
  name: "conformance",
  title: "Conformance",
  summary: "What the protocol's conformance suite asks of a server that was made for it.",
  tables: async () => [],
  overview: async () => [],
  mcp: {
    tools: async () => [
      tool("test_simple_text", "Answers in text.", {
        text: SIMPLE,
        data: { status: "success", message: SIMPLE },
      }),
      tool("test_error_handling", "Refuses.", {
        text: ERROR,
        data: { status: "error", message: ERROR },
        refused: true,
      }),
    ],
    prompts: async () => [
      {
        name: "test_simple_prompt",
        title: "Simple",
        description: "A prompt without arguments.",
        arguments: [],
        render: () => "This is a simple prompt for testing.",
      },
      {
        name: "test_prompt_with_arguments",
        title: "With arguments",
        description: "A prompt with two arguments.",
        arguments: [
          { name: "arg1", description: "The first", required: true },
          { name: "arg2", description: "The second", required: true },
        ],
        render: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
      },
    ],
    resources: async () => [
      {
        name: "static-text",
        uri: "test://static-text",
        title: "Static text",
        description: "A text that does not change.",
        mimeType: "text/plain",
        transaction: says({ text: STATIC, data: {} }),
      },
    ],
  },
  verbs: [],
};
