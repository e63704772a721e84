/** The verdict: notes, points and both buttons in one place. */
import type { Signal } from "@preact/signals";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Review } from "../../../../runtime/review/model.ts";
import type { Done, Refused, ReviewPage, VerdictOrder } from "../../wire.ts";
import { announce } from "../announce.ts";
import { post, projectPath, RefusedError, refusedOf, session } from "../api.ts";
import { renderCount } from "../moment.tsx";
import { Key, Problem } from "../notice.tsx";
import { route } from "../route.ts";
import { OneLine } from "../words.tsx";
import { change, type Draft, discard, isUnwritten } from "./draft.ts";
import { OwnPoint, PointField } from "./point-field.tsx";

export interface VerdictProps {
  readonly project: string;
  readonly review: Review;
  readonly signing: ReviewPage["signing"];
  readonly draft: Signal<Draft>;
  readonly reload: () => Promise<void>;
  readonly finish: (done: Done, approved: boolean) => void;
}

const HOME = "verdict";

/** Approving needs no words, rejecting does. */
export function focusVerdict(verdict: "approve" | "reject"): void {
  const home = document.getElementById(HOME);
  const digits = home?.querySelector<HTMLElement>("[data-digits]");
  const approve = digits ?? home?.querySelector<HTMLElement>("[data-approve]");
  const target = verdict === "approve" ? approve : home?.querySelector<HTMLElement>("textarea");
  home?.scrollIntoView({ block: "nearest" });
  target?.focus({ preventScroll: true });
  target?.scrollIntoView({ block: "nearest" });
}

export function Verdict(props: VerdictProps) {
  const { review } = props;
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
        <p class="quiet small">
          <OneLine text={review.question} max={300} />
        </p>
        {readOnly ? (
          <p class="quiet">
            This board is read-only. Decide in the terminal, or start it without --read-only.
          </p>
        ) : (
          <Form {...props} />
        )}
      </aside>
      {!readOnly && <Bar points={props.draft.value.points.length} />}
    </>
  );
}

/** On narrow screens the verdict stands at the end: this leads there. */
function Bar({ points }: { readonly points: number }) {
  return (
    <div class="verdict-bar">
      <span class="small quiet">{points === 0 ? "No points yet" : renderCount(points, "point")}</span>
      <button type="button" onClick={() => focusVerdict("reject")}>
        Reject…
      </button>
      <button type="button" class="primary" onClick={() => focusVerdict("approve")}>
        Approve…
      </button>
    </div>
  );
}

function Form({ draft, finish, project, reload, review, signing }: VerdictProps) {
  const [digits, setDigits] = useState("");
  const [problem, setProblem] = useState<Refused | null>(null);
  const [sending, setSending] = useState<"approve" | "reject" | null>(null);
  const { points, version } = draft.value;
  const isStale = version !== "" && version !== review.version;
  const send = async (approve: boolean) => {
    if (sending !== null) return;
    if (!approve && isUnwritten(draft.value)) {
      setProblem(WORDLESS);
      focusVerdict("reject");
      return;
    }
    setSending(approve ? "approve" : "reject");
    setProblem(null);
    try {
      const order = orderOf(draft.value, review, approve, signing === null ? null : digits);
      const done = await post<Done>(projectPath(project, "verdict", review.run), order);
      discard(draft);
      finish(done, approve);
    } catch (failure) {
      setProblem(refusedOf(failure));
      setSending(null);
      setDigits("");
      if (failure instanceof RefusedError && failure.status !== 0) {
        announce("The verdict was not taken. Your notes are kept.");
        await reload();
      }
    }
  };
  return (
    <form class="verdict-form" onSubmit={(event) => event.preventDefault()}>
      {isStale && <Stale draft={draft} version={review.version} />}
      <Collected draft={draft} version={review.version} />
      <label>
        <span class="label">Notes</span>
        <textarea
          rows={5}
          maxLength={20_000}
          placeholder="What should change, and why. The agent gets these words."
          value={draft.value.notes}
          onInput={({ currentTarget }) => change(draft, review.version, { notes: currentTarget.value })}
        />
      </label>
      {signing && <Digits signing={signing} digits={digits} setDigits={setDigits} />}
      {problem && <Problem refused={problem} />}
      <div class="buttons verdict-buttons">
        <button
          type="submit"
          class="approve"
          data-approve
          disabled={sending !== null}
          onClick={() => void send(true)}
        >
          {sending === "approve" ? "Approving…" : points.length > 0 ? "Approve with points" : "Approve"}
          <Key keys="a" />
        </button>
        <button
          type="button"
          class="reject"
          data-reject
          disabled={sending !== null}
          onClick={() => void send(false)}
        >
          {sending === "reject" ? "Rejecting…" : "Reject"}
          <Key keys="r" />
        </button>
      </div>
      <p class="quiet small">
        Judged is version <span class="mono">{review.version.slice(0, 12)}</span>. What is decided stays in
        the history; a change of mind is a new round.
      </p>
    </form>
  );
}

const WORDLESS: Refused = {
  code: "board-notes",
  message: "A rejection without words helps nobody: neither notes nor points are written.",
  fix: "Write what should change in the notes, or a point on a line.",
};

function orderOf(draft: Draft, review: Review, approve: boolean, digits: string | null): VerdictOrder {
  return {
    approve,
    notes: draft.notes.trim(),
    points: draft.points.map(({ at, text }) => (at === "" ? { text } : { text, at })),
    version: review.version,
    ...(digits === null ? {} : { digits: digits.trim() }),
  };
}

function Stale({ draft, version }: { readonly draft: Signal<Draft>; readonly version: string }) {
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

function Collected({ draft, version }: { readonly draft: Signal<Draft>; readonly version: string }) {
  const [isWriting, setWriting] = useState(false);
  const { points } = draft.value;
  return (
    <div class="collected">
      <p class="label">
        Points {points.length > 0 && <span class="count">{points.length}</span>}
        <button type="button" class="plain small" onClick={() => setWriting(true)}>
          Add a point<span class="unseen"> on the whole</span>
        </button>
      </p>
      {points.length === 0 && !isWriting && (
        <p class="quiet small">Press a line's number, or c on a line, to write on it.</p>
      )}
      <ul class="own-points">
        {points.map((point) => (
          <OwnPoint key={point.id} point={point} draft={draft} version={version} showsPlace />
        ))}
      </ul>
      {isWriting && (
        <PointField
          at=""
          save={(text) => {
            change(draft, version, { points: [...points, { id: Date.now(), text, at: "" }] });
            setWriting(false);
          }}
          cancel={() => setWriting(false)}
        />
      )}
    </div>
  );
}

function Digits({
  digits,
  setDigits,
  signing,
}: {
  readonly digits: string;
  readonly setDigits: (digits: string) => void;
  readonly signing: NonNullable<ReviewPage["signing"]>;
}) {
  const hint = useId();
  const field = useRef<HTMLInputElement>(null);
  return (
    <label class="digits">
      <span class="label">Sign: the first {signing.digits} digits of the record</span>
      <span class="mono small record" id={hint}>
        <b>{signing.hash.slice(0, signing.digits)}</b>
        {signing.hash.slice(signing.digits, 32)}
      </span>
      <input
        ref={field}
        data-digits
        class="mono"
        type="text"
        inputMode="text"
        autocomplete="off"
        spellcheck={false}
        maxLength={signing.digits}
        aria-describedby={hint}
        value={digits}
        onInput={({ currentTarget }) => setDigits(currentTarget.value)}
      />
    </label>
  );
}
