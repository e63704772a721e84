/** One file's difference: loaded when it comes near the view, closed when it is marked as viewed. */
import type { Signal } from "@preact/signals";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import type { ReviewFile } from "../../../../runtime/review/model.ts";
import type { FileDiff, Refused } from "../../wire.ts";
import { get, projectPath, refusedOf } from "../api.ts";
import { Lines, type View } from "../diff/lines.tsx";
import { type DiffLine, lineToName, parseDiff } from "../diff/parse.ts";
import { renderBytes } from "../moment.tsx";
import { Badge, Problem } from "../notice.tsx";
import { OneLine, oneLine } from "../words.tsx";
import { change, type Draft } from "./draft.ts";
import { PointField, PointsAt } from "./point-field.tsx";

interface FileProps {
  readonly file: ReviewFile;
  readonly draft: Signal<Draft>;
  readonly project: string;
  readonly run: string;
  readonly version: string;
  readonly since: boolean;
  readonly view: View;
}

export function File(props: FileProps) {
  const { draft, file, version } = props;
  const isViewed = draft.value.viewed[file.path] !== undefined;
  const [isOpen, setOpen] = useState(!isViewed);
  const [isWriting, setWriting] = useState(false);
  const box = useRef<HTMLElement>(null);
  const isNear = useNear(box);
  const view = () => {
    const { [file.path]: _, ...others } = draft.value.viewed;
    change(draft, version, { viewed: isViewed ? others : { ...others, [file.path]: version } });
    setOpen(isViewed);
  };
  return (
    <article class="file" ref={box} aria-label={oneLine(file.path, 200)}>
      <header class="file-head">
        <button
          type="button"
          class="file-name"
          aria-expanded={isOpen}
          data-stop
          onClick={() => setOpen(!isOpen)}
          onKeyDown={(pressed) => {
            const isPlain = !pressed.ctrlKey && !pressed.metaKey && !pressed.altKey;
            if (pressed.key === "v" && isPlain) view();
            if (pressed.key === "c" && isPlain) setWriting(true);
          }}
        >
          <span class="twist" aria-hidden="true" />
          <span class="mono path">
            <OneLine text={file.path} max={400} />
          </span>
        </button>
        {file.isNew === true && props.since === false && <Badge tone="accent">New</Badge>}
        {file.group !== "plan" && file.item !== null && (
          <Badge>
            <OneLine text={file.item} max={30} />
          </Badge>
        )}
        <Counts file={file} />
        <span class="file-tools">
          <button type="button" class="plain small" onClick={() => setWriting(true)}>
            Add a point<span class="unseen"> on {oneLine(file.path, 200)}</span>
          </button>
          <label class="check small">
            <input type="checkbox" checked={isViewed} onChange={view} />
            Viewed<span class="unseen"> {oneLine(file.path, 200)}</span>
          </label>
        </span>
      </header>
      <div class="under">
        <PointsAt draft={draft} version={version} at={file.path} />
        {isWriting && (
          <PointField
            at={file.path}
            save={(text) => {
              addPoint(draft, version, file.path, text);
              setWriting(false);
            }}
            cancel={() => setWriting(false)}
          />
        )}
      </div>
      {isOpen && (isNear ? <Body {...props} /> : <Reserved file={file} />)}
    </article>
  );
}

function Counts({ file }: { readonly file: ReviewFile }) {
  if (file.added === null && file.deleted === null) return null;
  return (
    <span class="counts small mono">
      <span class="plus">
        <span class="unseen">added </span>+{file.added ?? 0}
      </span>{" "}
      <span class="minus">
        <span class="unseen">removed </span>−{file.deleted ?? 0}
      </span>
    </span>
  );
}

/** A placeholder about as high as the content, so that what is below does not jump. */
function Reserved({ file }: { readonly file: ReviewFile }) {
  const lines = Math.min((file.added ?? 20) + (file.deleted ?? 0) + 8, 2_000);
  return <div class="reserved" style={{ height: `${lines * 21}px` }} aria-hidden="true" />;
}

function addPoint(draft: Signal<Draft>, version: string, at: string, text: string): void {
  change(draft, version, { points: [...draft.value.points, { id: Date.now(), text, at }] });
}

const LOADED_WITHIN = "1200px 0px";

/** True once it has come near the view. */
function useNear(box: { readonly current: HTMLElement | null }): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (!box.current) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        setNear(true);
        observer.disconnect();
      },
      // Names the document as the root, because in another site's frame the margin would not apply.
      { root: document, rootMargin: LOADED_WITHIN },
    );
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  return isNear;
}

function Body(props: FileProps) {
  const { file, project, run, since, version } = props;
  const [diff, setDiff] = useState<FileDiff | null>(null);
  const [problem, setProblem] = useState<Refused | null>(null);
  const [tries, setTries] = useState(0);
  // Reloads for another version, and on a retry.
  useEffect(() => {
    const abort = new AbortController();
    const query = new URLSearchParams({ path: file.path, ...(since ? { since: "last" } : {}) });
    get<FileDiff>(`${projectPath(project, "diff", run)}?${query}`, abort.signal).then(
      (answer) => {
        setDiff(answer);
        setProblem(null);
      },
      (failure) => abort.signal.aborted || setProblem(refusedOf(failure)),
    );
    return () => abort.abort();
  }, [file.path, project, run, since, version, tries]);
  if (problem) return <Problem refused={problem} retry={() => setTries(tries + 1)} />;
  if (diff === null) return <Reserved file={file} />;
  if (diff.isBinary)
    return <p class="file-note quiet">A binary file: there is nothing to read line by line.</p>;
  if (diff.patch === "") return <p class="file-note quiet">Only its mode or its name differs.</p>;
  return (
    <>
      <Commented {...props} diff={diff} />
      {diff.leftOut !== 0 && (
        <p class="file-note quiet">
          The rest is left out here: {diff.leftOut === null ? "it is very long" : renderBytes(diff.leftOut)}.
          All of it: <code>git diff -- {oneLine(file.path, 200)}</code>
        </p>
      )}
    </>
  );
}

function Commented({ diff, draft, file, version, view }: FileProps & { readonly diff: FileDiff }) {
  const lines = useMemo(() => parseDiff(diff.patch), [diff]);
  const [at, setAt] = useState<DiffLine | null>(null);
  /**
   * A point is shown on the last line with its number, because a removed line has the same number as the line
   * before it.
   */
  const byLine = new Map<number, true>();
  for (const { at: place } of draft.value.points) {
    const [, path, line] = /^(.*):(\d+)$/s.exec(place) ?? [];
    if (path === file.path) byLine.set(Number(line), true);
  }
  const under = (line: DiffLine) => {
    const hasPoints = line.after !== null && byLine.has(line.after);
    if (line !== at && !hasPoints) return null;
    return (
      <>
        {hasPoints && <PointsAt draft={draft} version={version} at={`${file.path}:${line.after}`} />}
        {line === at && (
          <PointField
            at={`${file.path}:${lineToName(lines, line)}`}
            first={line.kind === "removed" ? `The removed line ${line.before}: ` : ""}
            save={(text) => {
              addPoint(draft, version, `${file.path}:${lineToName(lines, line)}`, text);
              setAt(null);
            }}
            cancel={() => setAt(null)}
          />
        )}
      </>
    );
  };
  const id = useId();
  return <Lines id={id} diff={diff} lines={lines} view={view} under={under} comment={setAt} />;
}
