/** Points of feedback in a draft: the field for one, and the list at a place. */
import { useEffect, useRef, useState } from "preact/hooks";
import { OneLine, oneLine, Words } from "../words.tsx";
import { addPoint, change, type Drafted, type DraftPoint } from "./draft.ts";

interface PointFieldProps {
  readonly at: string;
  readonly first?: string;
  readonly save: (text: string) => void;
  readonly cancel: () => void;
}

/** The button or Ctrl+Enter saves the point; Escape closes the field. */
export function PointField({ at, cancel, first = "", save }: PointFieldProps) {
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

/** A new point at a place: the button for it, and its field once that is pressed. `on`: the place, in words. */
export function useNewPoint(drafted: Drafted, at: string, on: string) {
  const [isWriting, setWriting] = useState(false);
  const save = (text: string) => {
    addPoint(drafted, { text, at });
    setWriting(false);
  };
  const write = () => setWriting(true);
  const button = (
    <button type="button" class="plain small" onClick={write}>
      Add a point<span class="unseen"> on {on}</span>
    </button>
  );
  const field = isWriting && <PointField at={at} save={save} cancel={() => setWriting(false)} />;
  return { button, field, write };
}

export function PointsAt({ at, ...drafted }: Drafted & { readonly at: string }) {
  const points = drafted.draft.value.points.filter((point) => point.at === at);
  if (points.length === 0) return null;
  return (
    <ul class="own-points">
      {points.map((point) => (
        <OwnPoint {...drafted} key={point.id} point={point} />
      ))}
    </ul>
  );
}

type OwnPointProps = Drafted & { readonly point: DraftPoint; readonly showsPlace?: boolean };

export function OwnPoint({ point, showsPlace = false, ...drafted }: OwnPointProps) {
  const { points } = drafted.draft.value;
  const [isEditing, setEditing] = useState(false);
  const edit = (text: string) => {
    change(drafted, { points: points.map((each) => (each.id === point.id ? { ...each, text } : each)) });
    setEditing(false);
  };
  const remove = () => change(drafted, { points: points.filter(({ id }) => id !== point.id) });
  return (
    <li class="own-point">
      {showsPlace && point.at !== "" && <OneLine class="mono small quiet" text={point.at} max={120} />}
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
