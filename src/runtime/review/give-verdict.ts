/**
 * A person's verdict from a page that shows the review: the board's, or the client's app. Uses the same
 * transactions as the commands.
 *
 * V1  It names the version of the review that was read; another one is refused inside the transaction.
 * V2  A question of the transaction is answered for the person only if the review has shown all of it.
 *     Otherwise (out-of-scope edits, a signature) the page shows the question, word for word, and only an
 *     order that names it by its hash answers it.
 * V3  A record is signed by the key of the person who started the program, who types its passphrase at that
 *     program's terminal.
 * V4  A device of the board approves with an assertion of its passkey over the hash of the verdict and of what
 *     was shown with it. The challenge is used once.
 */
import { BoundedMap } from "../../core/bounded-map.ts";
import { PawlError } from "../../core/error.ts";
import type { Caller } from "../../core/event.ts";
import { hashOf } from "../../core/hash.ts";
import { canonical } from "../../core/json.ts";
import type { GateInput, SignedRecord, WorkflowModule } from "../module.ts";
import type { Project } from "../project.ts";
import { findRun } from "../reports/overview.ts";
import { loadSteps } from "../run-log/read.ts";
import { runTransaction } from "../transaction/run-transaction.ts";
import {
  askedIn,
  type Proposal,
  type Reply,
  type ShownQuestion,
  shownIn,
  type Transaction,
} from "../transaction/transaction.ts";
import { type Point, parsePlace, withPoints } from "./points.ts";
import { type Receipt, receiptOf } from "./receipt.ts";
import { decidedWords } from "./version.ts";

/** The page's request. */
export interface VerdictOrder {
  readonly approve: boolean;
  /** A rejected task stays blocked. */
  readonly block?: boolean;
  readonly notes: string;
  readonly points: readonly { readonly text: string; readonly at?: string }[];
  /** Of the review that was read. */
  readonly version: string;
  /** The hash of the `VerdictQuestion` that the person answers. */
  readonly asked?: string;
  /** The digits that the person typed, if the question needs any. */
  readonly digits?: string;
  /** The answer of the device's passkey, if the question asks it. */
  readonly assertion?: Readonly<Record<string, unknown>>;
}

/** The passkey of the device from which the verdict comes. */
export interface DevicePasskey {
  /** What the browser asks the passkey, to prove the hash. Throws `verdict-too-weak` if the device has none. */
  ask(hash: string): Promise<Readonly<Record<string, unknown>>>;
  /** Throws `board-refused` unless the passkey has proved exactly this hash, and not before. */
  check(hash: string, assertion: Readonly<Record<string, unknown>> | undefined): Promise<void>;
}

/**
 * The person must read or sign more before the verdict counts; nothing has changed yet. The same order with
 * `asked` (and `digits`) answers it.
 */
export interface VerdictQuestion {
  readonly asked: {
    readonly hash: string;
    /** The whole text to which the person agrees. */
    readonly message: string;
    /** How many of the hash's first digits the person types to sign it; 0: a yes is enough. */
    readonly digits: number;
    /** What the device's passkey is asked (WebAuthn's request options); absent: nothing. */
    readonly passkey?: Readonly<Record<string, unknown>>;
  };
}

/** The result of each action of a page on a run. */
export interface Done {
  readonly words: string;
  /** Only of a verdict. */
  readonly receipt: Receipt | null;
}

const DIGITS = 8;
const MAX_PENDING = 100;

interface Pending {
  readonly to: ShownQuestion;
  /** The text to sign, and its content in words; null: a yes is enough. */
  readonly sign: { readonly record: string; readonly words: string } | null;
  /** The hash of the verdict that the device's passkey proves; null: it is not asked. */
  readonly bound: string | null;
  /** The project's folder: a board may serve several. */
  readonly root: string;
}

export function openVerdicts() {
  const pending = new BoundedMap<string, Pending>(MAX_PENDING);
  let signing: Promise<unknown> = Promise.resolve();
  /** One at a time: there is only one terminal for passphrases. */
  const sign = (project: Project, record: string): Promise<SignedRecord> => {
    const signed = signing.then(() => signedRecord(project, record));
    signing = signed.catch(() => {});
    return signed;
  };
  const ask = async (question: Pending, passkey: DevicePasskey | undefined): Promise<VerdictQuestion> => {
    const { sign: signRequest, to } = question;
    const message = shownIn(to);
    const proof = proofOf(question);
    const hash = hashOf(signRequest?.record ?? proof ?? message);
    const options = proof === null ? undefined : await devicePasskey(passkey).ask(proof);
    pending.set(hash, question);
    const shown = signRequest === null ? message : `${message}\n\n${signRequest.words}`;
    const digits = signRequest === null ? 0 : DIGITS;
    return { asked: { hash, message: shown, digits, ...(options && { passkey: options }) } };
  };
  return {
    /**
     * Throws `review-changed`, `verdict-too-weak` and other errors that invalidate the verdict: then nothing
     * has changed.
     */
    async give(
      project: Project,
      run: string,
      order: VerdictOrder,
      caller: Caller,
      passkey?: DevicePasskey,
    ): Promise<Done | VerdictQuestion> {
      const { id, plan } = await gateOf(project, run, order);
      const input = inputOf(id, order);
      const advanced = (answered?: Parameters<typeof runTransaction>[4]) =>
        runTransaction(project.runtime, plan, input, caller, answered)
          .then(checkInTime)
          .catch(async (thrown: unknown) => {
            throw await withDecided(project, run, thrown);
          });
      const answers = order.asked === undefined ? undefined : pending.get(order.asked);
      let proposal: Proposal<Reply>;
      if (answers === undefined) {
        proposal = await advanced();
        const needsMore = proposal.ask?.sign ?? proposal.ask?.passkey;
        const isShown = proposal.ask && !needsMore && !(await hasOutOfScopeEdits(project, run));
        if (isShown && proposal.ask) proposal = await advanced({ to: askedIn(proposal.ask) });
      } else {
        const { bound, sign: signRequest, to } = answers;
        if (signRequest !== null) checkDigits(order);
        const proof = proofOf(answers);
        if (proof !== null) await devicePasskey(passkey).check(proof, order.assertion);
        const signed = signRequest && (await sign(project, signRequest.record));
        proposal = await advanced({
          to,
          ...(signed && { signed }),
          ...(bound !== null && { passkey: bound }),
        });
        pending.delete(order.asked ?? "");
      }
      if (proposal.ask) {
        const { passkey: bound = null, sign: record = null } = proposal.ask;
        return ask({ to: askedIn(proposal.ask), sign: record, bound, root: project.root }, passkey);
      }
      return doneOf(proposal);
    },
  };
}

/** A tool's answer to a model says the same as an error. */
function checkInTime(proposal: Proposal<Reply>): Proposal<Reply> {
  const { data, message } = proposal.reply.data as {
    data?: { code?: string; fix?: string };
    message?: string;
  };
  if (data?.code !== "review-changed") return proposal;
  throw new PawlError("review-changed", message ?? "", data.fix ?? "");
}

/** Adds to the error of a late verdict who has decided. */
async function withDecided({ runtime }: Project, run: string, thrown: unknown): Promise<unknown> {
  if (!(thrown instanceof PawlError) || thrown.code !== "review-changed") return thrown;
  const logins = await runtime.outside.workers?.logins(run);
  const decided = decidedWords(await loadSteps(runtime.store.view(), run), logins);
  return decided === ""
    ? thrown
    : new PawlError(thrown.code, `${thrown.message}${decided}`, thrown.fix, thrown);
}

/** The hash of the verdict, of its project, and of the out-of-scope edits that were shown with it. */
function proofOf({ bound, root, to: { edits = "" } }: Pending): string | null {
  return bound === null ? null : hashOf(canonical({ bound, edits, root }));
}

function devicePasskey(passkey: DevicePasskey | undefined): DevicePasskey {
  if (passkey) return passkey;
  throw new PawlError("internal", "This surface asks no passkey.", "Report this.");
}

/** Out-of-scope edits are shown with the question, and accepted with the answer. */
async function hasOutOfScopeEdits({ runtime }: Project, run: string): Promise<boolean> {
  return ((await runtime.scopeWatch?.find(run)) ?? null) !== null;
}

export interface FoundGate {
  /** `workflow:id` */
  readonly run: string;
  readonly id: string;
  readonly module: WorkflowModule;
  readonly plan: Transaction<GateInput, unknown, unknown, Reply>;
}

/** The gate of the run's workflow; throws `no-effect` if that has none. */
export async function findGate(
  project: Pick<Project, "runtime" | "workflows">,
  name: string,
): Promise<FoundGate> {
  const { id, module, run } = await findRun(project, name);
  if (module.fault) throw module.fault;
  if (module.gate) return { run, id, module, plan: await module.gate.verdict() };
  throw new PawlError(
    "no-effect",
    `${run} has no gate: people approve or reject nothing in ${module.title}.`,
    "`pawl status` shows what each run waits for.",
  );
}

async function gateOf(project: Project, name: string, { version }: VerdictOrder): Promise<FoundGate> {
  const gate = await findGate(project, name);
  if (gate.module.gate?.review && version === "")
    throw new PawlError(
      "usage",
      "The verdict names no version of a review: expected that of the one that was read.",
      "Load the review, and decide on that.",
    );
  return gate;
}

function inputOf(id: string, { approve, block, notes, points, version }: VerdictOrder): GateInput {
  const placed = points.map(
    ({ text, at }): Point => (at === undefined ? { text } : { text, at: parsePlace(at) }),
  );
  const all = withPoints(notes, placed);
  return {
    id,
    approve,
    ...(block === true && { block }),
    ...(version === "" ? {} : { version }),
    ...(all === "" ? {} : { notes: all }),
  };
}

function checkDigits({ asked = "", digits = "" }: VerdictOrder): void {
  if (digits.trim().toLowerCase() === asked.slice(0, DIGITS)) return;
  throw new PawlError(
    "person-declined",
    "The digits are not those of the record. Nothing was changed, and the run waits as before.",
    "Type the first eight digits of the hash that the page shows.",
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

export function doneOf(proposal: Proposal<Reply>): Done {
  const { reply } = proposal;
  const { message } = reply.data;
  const words = typeof message === "string" ? message : reply.text;
  if (reply.refused)
    throw new PawlError("no-effect", words.trim(), "Load the page again: it shows what waits now.");
  return { words, receipt: receiptOf(proposal) };
}
