/**
 * A small workflow for tests of the surfaces: someone knocks at a door, and a person lets them in or not. It has one
 * table, tools, a verb, a prompt, a resource and a gate.
 */
import { once } from "node:events";
import { z } from "zod";
import { PawlError } from "../../src/core/error.ts";
import { checkId } from "../../src/core/id.ts";
import { projectPath } from "../../src/core/path.ts";
import type { Workflow } from "../../src/engine/workflow.ts";
import type { Context, Proposal, Reply, Transaction, WorkflowModule } from "../../src/runtime/module.ts";
import { hasAnswered } from "../../src/runtime/transaction/person.ts";
import { withInput } from "../../src/runtime/transaction/transaction.ts";

interface Door {
  readonly state: "closed" | "knocked" | "open";
  readonly notes?: string;
  readonly by?: string;
}

type LoadedDoor = { readonly door: Door; readonly text: string | null };
type DoorTransaction<Input> = Transaction<Input, LoadedDoor, undefined, Reply>;

const FOLDER = projectPath(".door");
const fileOf = (id: string) => projectPath(".door", `${checkId(id, "door id")}.json`);

async function readDoor(
  read: (path: ReturnType<typeof fileOf>) => Promise<string | null>,
  id: string,
): Promise<LoadedDoor> {
  const text = await read(fileOf(id));
  if (text === null) return { door: { state: "closed" }, text };
  try {
    return { door: JSON.parse(text), text };
  } catch (cause) {
    throw new PawlError(
      "state-unreadable",
      `.door/${id}.json:1:1: expected JSON.`,
      `Mend or remove .door/${id}.json.`,
      cause,
    );
  }
}

function moved(id: string, from: Door, to: Door, message: string, context: Context): Proposal<Reply> {
  return {
    reply: { text: `# ${message}`, data: { status: "success", message } },
    changes: [{ type: "write", path: fileOf(id), text: `${JSON.stringify(to)}\n` }],
    events: [
      {
        type: "run:advanced",
        ...context.now,
        run: `door:${id}`,
        machine: "door",
        event: to.state,
        row: to.state,
        from: from.state,
        to: to.state,
        summary: message,
        by: context.caller,
      },
    ],
  };
}

const refused = (message: string): Proposal<Reply> => ({
  reply: { text: message, data: { status: "error", message }, refused: true },
});

const knock: DoorTransaction<{ id: string }> = {
  run: ({ id }) => `door:${checkId(id, "door id")}`,
  read: (view, { id }) => readDoor((path) => view.read(path), id),
  /** Some doors are far away: nobody is there before the caller's input has ended. */
  observe: async (_, { id }) => {
    if (id.startsWith("far")) await once(process.stdin, "end");
    return undefined;
  },
  propose: ({ door }, _, { id }, context) =>
    door.state === "closed"
      ? moved(id, door, { state: "knocked" }, `Somebody knocks at ${id}.`, context)
      : refused(`The door ${id} is ${door.state}.`),
};

interface Verdict {
  readonly id: string;
  readonly is_approved: boolean;
  readonly feedback_notes?: string | undefined;
}

const answer: DoorTransaction<Verdict> = {
  run: ({ id }) => `door:${checkId(id, "door id")}`,
  read: (view, { id }) => readDoor((path) => view.read(path), id),
  propose({ door }, _, { id, is_approved, feedback_notes }, context) {
    if (door.state !== "knocked") return refused(`Nobody knocks at ${id}.`);
    const message = `Somebody knocks at ${id}${door.notes ? ` and says ${door.notes}` : ""}. Let them in?`;
    const isRelayed = context.caller.channel === "mcp" && context.settings.alfred.human_review === "relay";
    if (!isRelayed && !hasAnswered(context, message))
      return { reply: { text: "", data: {} }, ask: { message } };
    const state = is_approved ? "open" : "closed";
    const by = context.caller.channel;
    return moved(
      id,
      door,
      feedback_notes ? { state, by, notes: feedback_notes } : { state, by },
      `The door ${id} is ${state}.`,
      context,
    );
  },
};

export const DOOR_TABLE: Workflow = {
  name: "door",
  title: "A door with a person behind it",
  states: {
    closed: { description: "nobody is there" },
    knocked: { description: "somebody waits" },
    open: { description: "they are in", final: true },
  },
  initial: "closed",
  events: { knock: { description: "somebody knocks" }, answer: { description: "the person answers" } },
  facts: { approved: { description: "the person says yes", values: [true, false] } },
  rules: [
    { id: "K1", from: ["closed"], on: "knock", to: "knocked", outcome: "moved", reply: "knocked" },
    { id: "K2", from: ["knocked"], on: "knock", to: "same", outcome: "no-effect", reply: "waiting" },
    {
      id: "A1",
      from: ["knocked"],
      on: "answer",
      when: [{ approved: [true] }],
      to: "open",
      outcome: "moved",
      reply: "open",
    },
    {
      id: "A2",
      from: ["knocked"],
      on: "answer",
      when: [{ approved: [false] }],
      to: "closed",
      outcome: "moved",
      reply: "closed",
    },
    { id: "A3", from: ["closed"], on: "answer", to: "same", outcome: "blocked", reply: "nobody" },
  ],
  goals: ["open"],
};

const id = z.string().describe("Which door.");

export const DOOR: WorkflowModule = {
  name: "door",
  title: "Door",
  summary: "Lets people in, if the person behind it says so.",
  tables: async () => [{ workflow: DOOR_TABLE, replies: ["knocked", "waiting", "open", "closed", "nobody"] }],
  async overview(view) {
    const names = (await view.list(FOLDER)).map(({ name }) => name.replace(/\.json$/, ""));
    return Promise.all(
      names.map(async (name) => {
        const run = { run: `door:${name}`, title: `The door ${name}`, since: null };
        try {
          const { door } = await readDoor((path) => view.read(path), name);
          return door.state === "knocked"
            ? { ...run, state: door.state, awaits: "human" as const, next: "let them in, or not" }
            : { ...run, state: door.state, awaits: "nobody" as const, next: "" };
        } catch (thrown) {
          const { message, fix } = thrown as PawlError;
          return { ...run, state: "unknown", awaits: "human" as const, next: "", problem: { message, fix } };
        }
      }),
    );
  },
  mcp: {
    guidance: "Begin with knock.",
    tools: async () => [
      {
        name: "knock",
        title: "Knock",
        description: "Knock at a door.",
        input: z.strictObject({ id }),
        readOnly: false,
        idempotent: false,
        transaction: knock,
      },
      {
        name: "answer",
        title: "Answer",
        description: "Pass on what the person behind the door says.",
        input: z.strictObject({
          id,
          is_approved: z.boolean().describe("Whether they may come in."),
          feedback_notes: z.string().optional().describe("What the person says."),
        }),
        readOnly: false,
        idempotent: false,
        transaction: answer,
      },
    ],
    prompts: async () => [
      {
        name: "visit",
        title: "Visit somebody",
        description: "Knock at a door and wait.",
        arguments: [{ name: "door", description: "which door", required: true }],
        render: ({ door }) => `Knock at the door ${door}.`,
      },
    ],
    resources: async () => [
      {
        name: "doors",
        uri: "pawl://door/doors",
        title: "Doors",
        description: "Every door there is.",
        mimeType: "application/json",
        transaction: {
          run: () => null,
          read: (view) => view.list(FOLDER),
          propose: (entries) => ({ reply: { text: JSON.stringify(entries), data: {} } }),
        } as Transaction<Record<string, never>, unknown, unknown, Reply>,
      },
    ],
  },
  verbs: [
    {
      name: "door knock",
      summary: "knock at a door",
      arguments: [{ name: "id", description: "which door", required: true }],
      options: [{ flags: "--loud", description: "so that it is heard" }],
      transaction: async () => knock,
    },
  ],
  gate: { verdict: async () => withInput(answer, toVerdict) },
};

function toVerdict(input: { id: string; approve: boolean; notes?: string }): Verdict {
  return {
    id: input.id,
    is_approved: input.approve,
    ...(input.notes ? { feedback_notes: input.notes } : {}),
  };
}
