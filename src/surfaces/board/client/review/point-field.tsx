/** Points of feedback in a draft: the field for one, and the list at a place. */
import type { Signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { OneLine, oneLine, Words } from "../words.tsx";
import { change, type Draft, type DraftPoint } from "./draft.ts";

/** Its button or Ctrl+Enter saves it; Escape closes it. */
export function PointField({
  at,
  first = "",
  save,
  cancel,
}: {
  readonly at: string;
  readonly first?: string;
  readonly save: (text: string) => void;
  readonly cancel: () => void;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const back = useRef<Element | null>(null);
  const [text, setText] = useState(first);
  useEffect(() => {
    back.current = document.activeElement;
    field.current?.focus();
    field.current?.setSelectionRange(first.length, first.length);
  }, [first]);
  const leave = (words: string | null) => {
    if (words === null) cancel();
    else save(words);
    if (back.current instanceof HTMLElement) back.current.focus({ preventScroll: true });
  };
  const submit = () => text.trim() !== "" && leave(text.trim());
  return (
    <div class="point-field">
      <label>
        <span class="small quiet">
          A point on <OneLine text={at || "the whole"} max={120} />
        </span>
        <textarea
          ref={field}
          rows={3}
          maxLength={4_000}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(pressed) => {
            if (pressed.key === "Enter" && (pressed.ctrlKey || pressed.metaKey)) submit();
            if (pressed.key === "Escape") leave(null);
            pressed.stopPropagation();
          }}
        />
      </label>
      <div class="buttons">
        <button type="button" class="primary" disabled={text.trim() === ""} onClick={submit}>
          {first === "" || first.endsWith(": ") ? "Add the point" : "Keep it"}
        </button>
        <button type="button" onClick={() => leave(null)}>
          Leave it
        </button>
        <span class="quiet small wide-only">Ctrl+Enter adds, Esc leaves</span>
      </div>
    </div>
  );
}

export function PointsAt({
  at,
  draft,
  version,
}: {
  readonly at: string;
  readonly draft: Signal<Draft>;
  readonly version: string;
}) {
  const points = draft.value.points.filter((point) => point.at === at);
  if (points.length === 0) return null;
  return (
    <ul class="own-points">
      {points.map((point) => (
        <OwnPoint key={point.id} point={point} draft={draft} version={version} />
      ))}
    </ul>
  );
}

export function OwnPoint({
  draft,
  point,
  showsPlace = false,
  version,
}: {
  readonly draft: Signal<Draft>;
  readonly point: DraftPoint;
  readonly showsPlace?: boolean;
  readonly version: string;
}) {
  const [isEditing, setEditing] = useState(false);
  const edit = (text: string) => {
    const points = draft.value.points.map((each) => (each.id === point.id ? { ...each, text } : each));
    change(draft, version, { points });
    setEditing(false);
  };
  const remove = () =>
    change(draft, version, { points: draft.value.points.filter(({ id }) => id !== point.id) });
  return (
    <li class="own-point">
      {showsPlace && point.at !== "" && (
        <span class="mono small quiet">
          <OneLine text={point.at} max={120} />
        </span>
      )}
      {isEditing ? (
        <PointField at={point.at} first={point.text} save={edit} cancel={() => setEditing(false)} />
      ) : (
        <Words text={point.text} max={1_000} />
      )}
      <button type="button" class="plain small" onClick={() => setEditing(!isEditing)}>
        Edit<span class="unseen"> the point: {oneLine(point.text, 60)}</span>
      </button>
      <button type="button" class="plain small" onClick={remove}>
        Remove<span class="unseen"> the point: {oneLine(point.text, 60)}</span>
      </button>
    </li>
  );
}
