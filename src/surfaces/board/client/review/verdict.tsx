/** The verdict: notes, points and both buttons in one place. */
import type { Signal } from "@preact/signals";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Review } from "../../../../runtime/review/model.ts";
import type { Done, Refused, ReviewPage, Session, VerdictOrder, VerdictQuestion } from "../../wire.ts";
import { announce } from "../announce.ts";
import { projectPath, RefusedError, session } from "../api.ts";
import { renderCount } from "../moment.tsx";
import { Key, Problem } from "../notice.tsx";
import { type AskedBack, useOrder } from "../order.ts";
import { route } from "../route.ts";
import { OneLine, oneLine, Words } from "../words.tsx";
import { change, type Draft, type Drafted, discard, isUnwritten } from "./draft.ts";
import { OwnPoint, useNewPoint } from "./point-field.tsx";

export interface VerdictProps {
  readonly project: string;
  readonly review: Review;
  readonly strayed: ReviewPage["strayed"];
  /** Why no verdict is possible here; null: one is. */
  readonly closed: Refused | null;
  readonly draft: Signal<Draft>;
  readonly reload: () => Promise<void>;
  readonly finish: (done: Done, approved: boolean) => void;
}

const HOME = "verdict";
/** The levels that want a signature. */
const SIGNED = /^(?:signed|touch)$/;

/** Focuses the button to approve, or the notes to reject, because a rejection needs a reason. */
export function focusVerdict(verdict: "approve" | "reject"): void {
  const home = document.getElementById(HOME);
  const approve = home?.querySelector<HTMLElement>("[data-approve], [data-yes]");
  const target = verdict === "approve" ? approve : home?.querySelector<HTMLElement>("textarea");
  home?.scrollIntoView({ block: "nearest" });
  target?.focus({ preventScroll: true });
  target?.scrollIntoView({ block: "nearest" });
}

export function Verdict(props: VerdictProps) {
  const { closed, review } = props;
  const asked = route.value.query.get("verdict");
  useEffect(() => {
    if (asked === "approve" || asked === "reject") focusVerdict(asked);
  }, [asked]);
  const readOnly = session.value?.readOnly === true;
  return (
    <>
      <aside class="verdict" id={HOME} aria-labelledby="verdict-title">
        <h2 id="verdict-title" tabIndex={-1} data-stop>
          Your verdict
        </h2>
        <Viewed review={review} viewed={props.draft.value.viewed} />
        {closed ? (
          <Problem refused={closed} />
        ) : readOnly ? (
          <p class="quiet">
            This board is read-only. Decide in the terminal, or start it without --read-only.
          </p>
        ) : (
          <Form {...props} />
        )}
      </aside>
      {!readOnly && !closed && <Bar points={props.draft.value.points.length} lacks={lacksHere(review)} />}
    </>
  );
}

function Viewed({ review, viewed }: { readonly review: Review; readonly viewed: Draft["viewed"] }) {
  const { changes } = review;
  const shown = changes?.kind === "changes" ? changes.files.filter(({ folded }) => folded === null) : [];
  if (shown.length === 0) return null;
  const seen = shown.filter(({ path }) => viewed[path] !== undefined).length;
  return (
    <p class="quiet small">
      {seen} of {renderCount(shown.length, "file")} viewed
    </p>
  );
}

/** On narrow screens the verdict is at the end; this bar leads to it, until it is in view. */
function Bar({ lacks, points }: { readonly points: number; readonly lacks: Review["lacks"] }) {
  const [isThere, setThere] = useState(false);
  useEffect(() => {
    const verdict = document.querySelector(".verdict-buttons");
    const observer = new IntersectionObserver((seen) => setThere(seen.at(-1)?.isIntersecting === true));
    if (verdict) observer.observe(verdict);
    return () => observer.disconnect();
  }, []);
  if (isThere) return null;
  return (
    <div class="verdict-bar">
      <span class="small quiet">{points === 0 ? "No points yet" : renderCount(points, "point")}</span>
      {!lacks?.includes("reject") && (
        <button type="button" onClick={() => focusVerdict("reject")}>
          Reject…
        </button>
      )}
      {!lacks?.includes("approve") && (
        <button type="button" class="primary" onClick={() => focusVerdict("approve")}>
          Approve…
        </button>
      )}
    </div>
  );
}

function Form({ draft, finish, project, reload, review, strayed }: VerdictProps) {
  const { back, leave, problem, send, sending, setProblem } = useOrder<VerdictOrder>(
    (done, { approve }) => {
      discard(draft);
      finish(done, approve);
    },
    async (failure) => {
      if (!(failure instanceof RefusedError) || failure.status !== 409) return;
      leave();
      announce("The verdict was not recorded. Your notes are kept.");
      await reload();
    },
  );
  useEffect(() => {
    if (back) announce("One more question before the verdict counts.");
  }, [back]);
  /** The version for which the person has seen the warning about failures after pressing Approve. */
  const [warned, setWarned] = useState("");
  // A signer sees the whole record before typing the digits, so needs no warning.
  const red = SIGNED.test(review.level) ? [] : review.brief.against;
  const isWarned = red.length > 0 && warned === review.version;
  const [isBlock, setBlock] = useState(false);
  const { block } = review.leads;
  const { version } = draft.value;
  const device = session.value?.device;
  const isStale = version !== "" && version !== review.version;
  const decide = (approve: boolean) => {
    if (approve && red.length > 0 && !isWarned) {
      setWarned(review.version);
      announce(`Not approved yet: ${red.join("; ")}.`);
    } else if (approve || !isUnwritten(draft.value))
      void send(projectPath(project, "verdict", review.run), orderOf(draft.value, review, approve, isBlock));
    else {
      setProblem(WORDLESS);
      focusVerdict("reject");
    }
  };
  if (back)
    return (
      <AskBack
        key={back.asked.hash}
        back={back}
        problem={problem}
        isSending={sending !== null}
        answer={(digits) => void send(back.path, back.order, () => proofOf(back.asked, digits))}
        leave={leave}
      />
    );
  return (
    <div class="verdict-form">
      {isStale && <Stale draft={draft} version={review.version} />}
      <Strayed words={strayed} />
      <Collected draft={draft} version={review.version} />
      <Notes draft={draft} version={review.version} />
      {problem && <Problem refused={problem} />}
      {isWarned && <Red words={red} />}
      {device && <FromDevice device={device} level={review.level} />}
      <BlockInstead words={block} value={isBlock} choose={setBlock} />
      <Buttons
        reject={block === undefined ? "Reject" : isBlock ? "Reject and block" : "Send back"}
        sending={sending}
        approve={
          isWarned ? "Approve anyway" : draft.value.points.length > 0 ? "Approve with points" : "Approve"
        }
        lacks={lacksHere(review)}
        decide={decide}
      />
      <p class="quiet small">
        You judge version <span class="mono">{oneLine(review.version).slice(0, 12)}</span>. Your decision
        stays in the history; to change it, start a new round.
      </p>
    </div>
  );
}

/** What answers the server's question: the digits, or the device's passkey. */
async function proofOf(
  { hash, passkey }: VerdictQuestion["asked"],
  digits: string,
): Promise<Partial<VerdictOrder>> {
  const assertion = passkey && (await (await import("../passkey.ts")).askPasskey(passkey));
  return { asked: hash, ...(digits !== "" && { digits }), ...(assertion && { assertion }) };
}

/** A device signs nothing, and approves only with its passkey. */
function lacksHere({ lacks = [], level }: Review): NonNullable<Review["lacks"]> {
  const device = session.value?.device;
  if (!device) return lacks;
  if (SIGNED.test(level)) return ["approve", "reject"];
  return device.passkey ? lacks : [...lacks, "approve"];
}

function FromDevice({ device, level }: Required<Pick<Session, "device">> & Pick<Review, "level">) {
  if (SIGNED.test(level))
    return (
      <p class="stale">
        This gate wants a verdict that is signed ({level}). A device's counts as <b>passkey</b> at most, which
        is weaker. Decide in a terminal, or on the board at the machine.
      </p>
    );
  if (device.passkey)
    return (
      <p class="quiet small">
        An approval from here is recorded as <b>passkey</b>, a rejection as <b>board</b>.
      </p>
    );
  return (
    <p class="stale">
      This device has no passkey, so it cannot approve. Approve in a terminal or on the board at the machine;
      or revoke this device there (<code>pawl board --revoke</code>) and register it with a passkey.
    </p>
  );
}

interface BlockInsteadProps {
  readonly words: string | undefined;
  readonly value: boolean;
  readonly choose: (value: boolean) => void;
}

/** The other way to reject, where there is one. */
function BlockInstead({ choose, value, words }: BlockInsteadProps) {
  if (words === undefined) return null;
  return (
    <label class="check small">
      <input type="checkbox" checked={value} onChange={() => choose(!value)} />
      <OneLine text={words} max={200} />
    </label>
  );
}

function Strayed({ words }: { readonly words: string | null }) {
  if (words === null) return null;
  return (
    <div class="stale">
      <Words text={words} max={1_000} />
      <p>An approval accepts them.</p>
    </div>
  );
}

function Red({ words }: { readonly words: readonly string[] }) {
  return (
    <div class="stale" role="alert">
      <p>Not everything supports it:</p>
      <ul>
        {words.map((each) => (
          <li key={each}>{each}</li>
        ))}
      </ul>
    </div>
  );
}

function Notes(drafted: Drafted) {
  return (
    <label>
      <span class="label">Notes</span>
      <textarea
        rows={5}
        maxLength={20_000}
        placeholder="What should change, and why. The agent gets these words."
        value={drafted.draft.value.notes}
        onInput={({ currentTarget }) => change(drafted, { notes: currentTarget.value })}
      />
    </label>
  );
}

function Buttons({
  approve,
  decide,
  lacks,
  reject,
  sending,
}: {
  readonly decide: (approve: boolean) => void;
  /** The labels of the buttons. */
  readonly approve: string;
  readonly reject: string;
  readonly lacks: NonNullable<Review["lacks"]>;
  /** The order under way. */
  readonly sending: VerdictOrder | null;
}) {
  return (
    <div class="buttons verdict-buttons">
      <button
        type="button"
        class="approve"
        data-approve
        disabled={sending !== null || lacks.includes("approve")}
        onClick={() => decide(true)}
      >
        {sending?.approve === true ? "Approving…" : approve}
        <Key keys="a" />
      </button>
      <button
        type="button"
        class="reject"
        data-reject
        disabled={sending !== null || lacks.includes("reject")}
        onClick={() => decide(false)}
      >
        {sending?.approve === false ? "Rejecting…" : reject}
        <Key keys="r" />
      </button>
    </div>
  );
}

/** The full text of what the person agrees to; at a signed gate they type the first digits of its hash. */
function AskBack({
  answer,
  back,
  isSending,
  leave,
  problem,
}: {
  readonly answer: (digits: string) => void;
  readonly back: AskedBack<VerdictOrder>;
  readonly isSending: boolean;
  readonly leave: () => void;
  readonly problem: Refused | null;
}) {
  const { asked, order } = back;
  const [digits, setDigits] = useState("");
  const box = useRef<HTMLDivElement>(null);
  const hint = useId();
  useEffect(() => box.current?.querySelector<HTMLElement>("input, [data-yes]")?.focus(), []);
  const isReady = !isSending && digits.trim().length >= asked.digits;
  const confirm = () => isReady && answer(digits.trim());
  const verb = order.approve ? "approve" : "reject";
  return (
    // Not a form element, because in a sandboxed page no form is ever submitted.
    <div ref={box} class="verdict-form" role="group" aria-label="Before the verdict counts">
      <Words text={asked.message} isCode max={20_000} label="What you agree to" />
      {asked.digits > 0 && (
        <label class="digits">
          <span class="label">Sign: the first {asked.digits} digits of its hash</span>
          <span class="mono small record" id={hint}>
            <b>{asked.hash.slice(0, asked.digits)}</b>
            {asked.hash.slice(asked.digits, 64)}
          </span>
          <input
            class="mono"
            type="text"
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            maxLength={asked.digits}
            aria-describedby={hint}
            value={digits}
            onInput={({ currentTarget }) => setDigits(currentTarget.value)}
            onKeyDown={({ key }) => key === "Enter" && confirm()}
          />
        </label>
      )}
      {problem && <Problem refused={problem} />}
      <div class="buttons verdict-buttons">
        <button
          type="button"
          class={order.approve ? "approve" : "reject"}
          data-yes
          disabled={!isReady}
          onClick={confirm}
        >
          {isSending ? "One moment…" : `${wayOf(asked)} ${verb}`}
        </button>
        <button type="button" disabled={isSending} onClick={leave}>
          Back
        </button>
      </div>
    </div>
  );
}

function wayOf({ digits, passkey }: VerdictQuestion["asked"]): string {
  if (passkey) return "With the passkey,";
  return digits > 0 ? "Sign and" : "Yes,";
}

const WORDLESS: Refused = {
  code: "board-notes",
  message: "A rejection needs words: there are neither notes nor points.",
  fix: "Write what should change in the notes, or a point on a line.",
};

function orderOf(draft: Draft, review: Review, approve: boolean, block: boolean): VerdictOrder {
  return {
    approve,
    ...(!approve && block && { block }),
    notes: draft.notes.trim(),
    points: draft.points.map(({ at, quote = "", text }) => ({
      text: quote === "" ? text : `${text} (there: ${quote})`,
      ...(at !== "" && { at }),
    })),
    version: review.version,
  };
}

function Stale({ draft, version }: Drafted) {
  return (
    <div class="stale">
      <p>
        You wrote {isUnwritten({ ...draft.value, points: [] }) ? "these points" : "these notes"} on an earlier
        version. Lines may have moved.
      </p>
      <div class="buttons">
        <button type="button" onClick={() => (draft.value = { ...draft.value, version })}>
          They still hold
        </button>
        <button type="button" onClick={() => discard(draft)}>
          Discard them
        </button>
      </div>
    </div>
  );
}

function Collected(drafted: Drafted) {
  const { points } = drafted.draft.value;
  const { button, field } = useNewPoint(drafted, "", "the whole");
  return (
    <div class="collected">
      <p class="label">
        Points {points.length > 0 && <span class="count">{points.length}</span>}
        {button}
      </p>
      {points.length === 0 && !field && (
        <p class="quiet small">Press a line's number, or c on a line, to write on it.</p>
      )}
      <ul class="own-points">
        {points.map((point) => (
          <OwnPoint {...drafted} key={point.id} point={point} showsPlace />
        ))}
      </ul>
      {field}
    </div>
  );
}
