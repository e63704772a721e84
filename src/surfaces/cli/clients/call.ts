/** Calls a workflow's tool as an assistant does over MCP. The caller never counts as a person here. */
import { createReadStream } from "node:fs";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { PawlError } from "../../../core/error.ts";
import type { Caller } from "../../../core/event.ts";
import { shownJson } from "../../../core/text/clean.ts";
import type { Tool } from "../../../runtime/module.ts";
import { runTransaction } from "../../../runtime/transaction/run-transaction.ts";
import { checkArguments, strictOf, toolNamed } from "../../arguments.ts";
import { answerCommands, cannotAsk, envelopeOf } from "../../replies.ts";
import type { Answer, Call, Host, Run } from "../line/command.ts";
import { answerOf } from "../line/run-verb.ts";

/** Bytes of arguments: far more than any artifact has. */
const MAX_BYTES = 8 * 1024 * 1024;

export const call: Run = async (host, given) => {
  const project = await host.projects.open();
  const tool = await toolNamed(project.workflows, String(given.arguments.name));
  if (given.options.schema === true) return schemaOf(tool);
  const input = checkArguments(tool, parsed(tool, await written(given)));
  const { ask, reply } = await runTransaction(project.runtime, tool.transaction, input, callerOf(host));
  if (ask) {
    const run = tool.transaction.run(input) ?? "RUN";
    const why = "a call from the shell cannot ask them";
    const { message, fix } = cannotAsk(run, why, answerCommands(run, ask.command));
    throw new PawlError("caller-not-allowed", message, fix);
  }
  return { ...answerOf(reply), data: envelopeOf(reply), isMarkdown: true };
};

/**
 * Never a person, even if a person types it: verdicts need a person's commands, which ask at the terminal.
 */
function callerOf({ person }: Host): Caller {
  const caller = person.caller();
  return caller.channel === "agent" ? caller : { ...caller, channel: "script" };
}

function schemaOf({ description, input, name }: Tool): Answer {
  const data = { name, description, input: z.toJSONSchema(strictOf(input), { io: "input" }) };
  return { text: `${shownJson(data, 2)}\n`, data };
}

/** The arguments as JSON: from the command line, a file, or standard input. */
async function written({ arguments: { json } }: Call): Promise<string> {
  if (typeof json !== "string") return "{}";
  if (json === "-") return wholeOf(process.stdin, "standard input");
  if (!json.startsWith("@")) return json;
  const file = json.slice(1);
  return wholeOf(createReadStream(file, { end: MAX_BYTES }), file);
}

async function wholeOf(stream: NodeJS.ReadableStream, from: string): Promise<string> {
  let read = 0;
  async function* limited() {
    for await (const chunk of stream) {
      read += chunk.length;
      if (read > MAX_BYTES) throw unreadableArgumentsError(from, `more than ${MAX_BYTES / 1024 / 1024} MB`);
      yield chunk as Uint8Array;
    }
  }
  try {
    return await text(limited());
  } catch (thrown) {
    if (thrown instanceof PawlError) throw thrown;
    throw unreadableArgumentsError(from, (thrown as Error).message);
  }
}

function unreadableArgumentsError(from: string, found: string): PawlError {
  return new PawlError(
    "usage",
    `The tool's arguments cannot be read from ${from}: expected a file with a JSON object, found: ${found}. Nothing was called.`,
    'Pass the arguments as JSON: pawl call TOOL \'{"task_id": "TS-01"}\', @FILE, or - for standard input.',
  );
}

function parsed({ name }: Tool, json: string): unknown {
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ""));
  } catch (thrown) {
    throw new PawlError(
      "usage",
      `The arguments of ${name} are not JSON (${(thrown as Error).message}). Nothing was called.`,
      `Quote them as one word: pawl call ${name} '{"task_id": "TS-01"}'. Long texts are easier in a file: pawl call ${name} @FILE. \`pawl call ${name} --schema\` shows what it takes.`,
    );
  }
}
