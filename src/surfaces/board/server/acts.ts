/**
 * What a person does on the board: the same transactions as the commands', with the channel `board`.
 *
 * A1  A verdict names the version of the review that was read; another one is refused inside the transaction.
 * A2  What the transaction asks is answered for the person only if the review has shown it all. Otherwise (stray edits, a
 *     signature) the question goes to the page, word for word, and only an order that names it by its hash answers it.
 * A3  A record is signed by the key of the person who started the board; its passphrase is typed at the board's terminal.
 */
import { createHash } from "node:crypto";
import { PawlError } from "../../../core/error.ts";
import type { Caller } from "../../../core/event.ts";
import { TASK_ACTS, type TaskAct } from "../../../runtime/board.ts";
import type { GateInput, Proposal, Reply, SignedRecord, Transaction } from "../../../runtime/module.ts";
import { findRun } from "../../../runtime/overview.ts";
import { loadWorkflows, type Project } from "../../../runtime/project.ts";
import { type Point, parsePlace, withPoints } from "../../../runtime/review/points.ts";
import { advance } from "../../../runtime/run-transaction.ts";
import type { Asked, Done, VerdictOrder } from "../wire.ts";

const DIGITS = 8;
const MOST_PENDING = 100;

interface Pending {
  readonly message: string;
  /** What is signed, and what that covers in words; null: a yes is enough. */
  readonly sign: { readonly record: string; readonly words: string } | null;
}

export interface Acts {
  verdict(project: Project, run: string, order: VerdictOrder): Promise<Done | Asked>;
  task(project: Project, act: TaskAct, id: string, words: string): Promise<Done>;
}

export function openActs(caller: Caller): Acts {
  const pending = new Map<string, Pending>();
  let signing: Promise<unknown> = Promise.resolve();
  /** One at a time: there is one terminal to type a passphrase at. */
  const sign = (project: Project, record: string): Promise<SignedRecord> => {
    const signed = signing.then(() => signedRecord(project, record));
    signing = signed.catch(() => {});
    return signed;
  };
  const ask = ({ message, sign: asked }: Pending): Asked => {
    const hash = createHash("sha256")
      .update(asked?.record ?? message)
      .digest("hex");
    pending.set(hash, { message, sign: asked });
    const [oldest] = pending.keys();
    if (pending.size > MOST_PENDING && oldest !== undefined) pending.delete(oldest);
    const shown = asked === null ? message : `${message}\n\n${asked.words}`;
    return { asked: { hash, message: shown, digits: asked === null ? 0 : DIGITS } };
  };
  return {
    async verdict(project, run, order) {
      const { id, plan } = await gateOf(project, run, order);
      const input = inputOf(id, order);
      const advanced = (answered?: Parameters<typeof advance>[4]) =>
        advance(project.runtime, plan, input, caller, answered);
      const answers = order.asked === undefined ? undefined : pending.get(order.asked);
      let proposal: Proposal<Reply>;
      if (answers === undefined) {
        proposal = await advanced();
        const isShown = proposal.ask && !proposal.ask.sign && !(await strays(project, run));
        if (isShown && proposal.ask) proposal = await advanced({ message: proposal.ask.message });
      } else {
        const { message, sign: asked } = answers;
        if (asked !== null) checkDigits(order);
        const signed = asked && (await sign(project, asked.record));
        proposal = await advanced({ message, ...(signed && { signed }) });
        pending.delete(order.asked ?? "");
      }
      if (proposal.ask) return ask({ message: proposal.ask.message, sign: proposal.ask.sign ?? null });
      return doneOf(proposal, caller, project.runtime.now());
    },
    async task(project, act, id, words) {
      const board = await boardOf(project);
      const plan = await board.acts[act]();
      const proposal = await advance(project.runtime, plan, { id, words }, caller);
      if (proposal.ask) throw atTerminal();
      return doneOf(proposal, caller, project.runtime.now());
    },
  };
}

export function isTaskAct(word: string): word is TaskAct {
  return TASK_ACTS.some((act) => act === word);
}

/** The first workflow whose runs are tasks. */
async function boardOf({ workflows }: Project) {
  const modules = await loadWorkflows(workflows);
  const load = modules.find(({ board }) => board)?.board;
  if (load) return load();
  throw new PawlError("no-effect", "This project has no tasks of agents.", "See its runs instead.");
}

/** What strayed is shown with the question, and accepted with the answer. */
export async function strays({ runtime }: Project, run: string): Promise<boolean> {
  return ((await runtime.strays?.look(run)) ?? null) !== null;
}

async function gateOf(
  project: Project,
  name: string,
  { version }: VerdictOrder,
): Promise<{ readonly id: string; readonly plan: Transaction<GateInput, unknown, unknown, Reply> }> {
  const { id, module, run } = await findRun(project, name);
  if (module.fault) throw module.fault;
  if (!module.gate)
    throw new PawlError(
      "no-effect",
      `${run} has no gate: people approve or reject nothing in ${module.title}.`,
      "`pawl status` shows what each run waits for.",
    );
  if (module.review && version === "")
    throw new PawlError(
      "usage",
      "The verdict names no version of a review: expected that of the one that was read.",
      "Load the review, and decide on that.",
    );
  return { id, plan: await module.gate() };
}

function inputOf(id: string, { approve, notes, points, version }: VerdictOrder): GateInput {
  const placed = points.map(
    ({ text, at }): Point => (at === undefined ? { text } : { text, at: parsePlace(at) }),
  );
  const all = withPoints(notes, placed);
  return { id, approve, ...(version === "" ? {} : { version }), ...(all === "" ? {} : { notes: all }) };
}

function checkDigits({ asked = "", digits = "" }: VerdictOrder): void {
  if (digits.trim().toLowerCase() === asked.slice(0, DIGITS)) return;
  throw new PawlError(
    "person-declined",
    "The digits are not those of the record. Nothing was changed, and the run waits as before.",
    "Type the first eight digits of the hash that the board shows.",
  );
}

async function signedRecord({ runtime: { outside } }: Project, record: string): Promise<SignedRecord> {
  if (!outside.signatures) throw new PawlError("internal", "This program cannot sign.", "Report this.");
  try {
    return { record, signature: await outside.signatures.sign(record) };
  } catch (thrown) {
    if (!(thrown instanceof PawlError) || thrown.code !== "signature-failed") throw thrown;
    const fix =
      "Give the verdict with `pawl approve` or `pawl reject` in a terminal, where the key can ask for what it needs.";
    throw new PawlError("signature-failed", thrown.message, fix, thrown);
  }
}

function atTerminal(): PawlError {
  return new PawlError(
    "terminal-missing",
    "A person must confirm this at a terminal. Nothing was changed.",
    "Run the command of the same name in a terminal.",
  );
}

function doneOf({ reply, verdict }: Proposal<Reply>, caller: Caller, now: Date): Done {
  const { message } = reply.data;
  const words = typeof message === "string" ? message : reply.text;
  if (reply.refused)
    throw new PawlError("no-effect", words.trim(), "Load the page again: it shows what waits now.");
  if (!verdict) return { words, receipt: null };
  const { artifact, strength, work } = verdict;
  return {
    words,
    receipt: {
      time: now.toISOString(),
      by: caller.who ?? "",
      ...{ channel: caller.channel, strength, artifact },
      work: work.in === "commit" ? work.commit : null,
    },
  };
}
