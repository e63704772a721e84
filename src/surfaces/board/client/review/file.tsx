/** One file's difference: loaded when it comes near the view, closed when it is marked as viewed. */
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { fileMarks } from "../../../../runtime/review/brief.ts";
import type { ReviewFile } from "../../../../runtime/review/model.ts";
import type { FileDiff, Refused } from "../../wire.ts";
import { get, projectPath, refusedOf } from "../api.ts";
import { Lines, type View } from "../diff/lines.tsx";
import { type DiffLine, lineToName, parseDiff } from "../diff/parse.ts";
import { renderBytes } from "../moment.tsx";
import { Badge, Problem } from "../notice.tsx";
import { hasPages, type PageProps } from "../route.ts";
import { OneLine, oneLine } from "../words.tsx";
import { addPoint, change, type Drafted } from "./draft.ts";
import { PointField, PointsAt, useNewPoint } from "./point-field.tsx";

interface FileProps extends PageProps, Drafted {
  readonly file: ReviewFile;
  readonly since: boolean;
  readonly view: View;
  /** A verdict can be given, so points can be written. */
  readonly takesPoints: boolean;
}

export function File(props: FileProps) {
  const { draft, file, version } = props;
  const point = useNewPoint(props, file.path, oneLine(file.path, 200));
  const isViewed = draft.value.viewed[file.path] !== undefined;
  const [isOpen, setOpen] = useState(props.takesPoints && !isViewed && file.folded === null);
  const box = useRef<HTMLElement>(null);
  const isNear = useNear(box);
  const view = () => {
    const { [file.path]: _, ...others } = draft.value.viewed;
    change(props, { viewed: isViewed ? others : { ...others, [file.path]: version } });
    setOpen(isViewed);
  };
  return (
    <article class="file" ref={box} aria-label={oneLine(file.path, 200)} data-place={`file ${file.path}`}>
      <header class="file-head">
        <button
          type="button"
          class="file-name"
          aria-expanded={isOpen}
          data-stop
          onClick={() => setOpen(!isOpen)}
          onKeyDown={(pressed) => {
            const isPlain = !pressed.ctrlKey && !pressed.metaKey && !pressed.altKey;
            if (pressed.key === "c" && isPlain && props.takesPoints) point.write();
          }}
        >
          <span class="twist" aria-hidden="true" />
          <OneLine class="mono path" text={file.path} max={400} />
        </button>
        {file.isNew === true && props.since === false && <Badge tone="accent">New</Badge>}
        {fileMarks(file).map((mark) => (
          <Badge key={mark} tone={mark.startsWith("weakened") ? "bad" : "plain"}>
            <OneLine text={mark} max={120} />
          </Badge>
        ))}
        <Counts file={file} />
        <span class="file-tools">
          {props.takesPoints && point.button}
          <label class="check small">
            <input type="checkbox" checked={isViewed} onChange={view} />
            Viewed<span class="unseen"> {oneLine(file.path, 200)}</span>
          </label>
        </span>
      </header>
      <div class="under">
        <PointsAt draft={draft} version={version} at={file.path} />
        {point.field}
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
  if (file.image) return null;
  const lines = Math.min((file.added ?? 20) + (file.deleted ?? 0) + 8, 2_000);
  return <div class="reserved" style={{ height: `${lines * 21}px` }} aria-hidden="true" />;
}

const MAX_QUOTED = 300;

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
  const [context, setContext] = useState(0);
  // Reloads for another version, and on a retry.
  useEffect(() => {
    const abort = new AbortController();
    const query = new URLSearchParams({ path: file.path, ...(since && { since: "last" }) });
    if (context > 0) query.set("context", String(context));
    get<FileDiff>(`${projectPath(project, "diff", run)}?${query}`, abort.signal).then(
      (answer) => {
        setDiff(answer);
        setProblem(null);
      },
      (failure) => abort.signal.aborted || setProblem(refusedOf(failure)),
    );
    return () => abort.abort();
  }, [file.path, project, run, since, version, tries, context]);
  if (problem) return <Problem refused={problem} retry={() => setTries(tries + 1)} />;
  if (file.image) return <Pictures {...props} image={file.image} />;
  if (diff === null) return <Reserved file={file} />;
  if (diff.isBinary)
    return <p class="file-note quiet">A binary file: there is nothing to read line by line.</p>;
  if (diff.patch === "") return <p class="file-note quiet">Only its mode or its name differs.</p>;
  return (
    <>
      <Commented {...props} diff={diff} />
      {context < WHOLE && file.added !== null && (
        <button type="button" class="link file-more" onClick={() => setContext(context === 0 ? 25 : WHOLE)}>
          {context === 0 ? "More lines around" : "The whole file"}
          <span class="unseen"> of {oneLine(file.path, 200)}</span>
        </button>
      )}
      {diff.leftOut !== 0 && (
        <p class="file-note quiet">
          The rest is left out here: {diff.leftOut === null ? "it is very long" : renderBytes(diff.leftOut)}.
          All of it: <code>git diff -- {oneLine(file.path, 200)}</code>
        </p>
      )}
    </>
  );
}

const WHOLE = 100_000;

/** Both pictures, with their sizes; a client that embeds the page shows the sizes alone. */
function Pictures({ file, image, project, run }: FileProps & Required<Pick<ReviewFile, "image">>) {
  return (
    <div class="pictures">
      {(["before", "after"] as const).map((side) => {
        const bytes = image[side];
        const path = side === "before" ? (file.was ?? file.path) : file.path;
        const query = new URLSearchParams({ path, side });
        return (
          <figure key={side}>
            {bytes !== null && hasPages.value && (
              <img
                src={`${projectPath(project, "image", run)}?${query}`}
                alt={`${oneLine(path, 200)}, ${side}`}
              />
            )}
            <figcaption class="small quiet">
              {side === "before" ? "Before" : "After"}: {bytes === null ? "none" : renderBytes(bytes)}
            </figcaption>
          </figure>
        );
      })}
    </div>
  );
}

function Commented({ diff, ...props }: FileProps & { readonly diff: FileDiff }) {
  const { draft, file, takesPoints, version, view } = props;
  const lines = useMemo(() => parseDiff(diff.patch), [diff]);
  const [range, setRange] = useState<readonly [DiffLine, DiffLine] | null>(null);
  const at = range?.[1] ?? null;
  /**
   * A point is shown on the last line with its number, because a removed line has the same number as the line
   * before it.
   */
  const byLine = new Map<number, true>();
  for (const { at: place } of draft.value.points) {
    const [, path, line] = /^(.*):(?:\d+-)?(\d+)$/s.exec(place) ?? [];
    if (path === file.path) byLine.set(Number(line), true);
  }
  const under = (line: DiffLine) => {
    const hasPoints = line.after !== null && byLine.has(line.after);
    if (line !== at && !hasPoints) return null;
    const placed = placeOf(file.path, lines, range ?? [line, line]);
    return (
      <>
        {hasPoints &&
          [...new Set(draft.value.points.map((point) => point.at))]
            .filter((at) => at.startsWith(`${file.path}:`) && /\d+$/.exec(at)?.[0] === String(line.after))
            .map((at) => <PointsAt key={at} draft={draft} version={version} at={at} />)}
        {line === at && (
          <PointField
            at={placed}
            first={line.kind === "removed" ? `The removed line ${line.before}: ` : ""}
            save={(text) => {
              const quote = line.text.trim().slice(0, MAX_QUOTED);
              addPoint({ draft, version }, { text, at: placed, ...(quote !== "" && { quote }) });
              setRange(null);
            }}
            cancel={() => setRange(null)}
          />
        )}
      </>
    );
  };
  const id = useId();
  return (
    <Lines
      id={id}
      diff={diff}
      lines={lines}
      view={view}
      under={under}
      comment={takesPoints ? (line, first) => setRange(inOrder(lines, first, line)) : null}
    />
  );
}

function inOrder(lines: readonly DiffLine[], one: DiffLine, other: DiffLine): readonly [DiffLine, DiffLine] {
  return lines.indexOf(one) <= lines.indexOf(other) ? [one, other] : [other, one];
}

function placeOf(
  path: string,
  lines: readonly DiffLine[],
  [first, last]: readonly [DiffLine, DiffLine],
): string {
  const [from, to] = [lineToName(lines, first), lineToName(lines, last)];
  return `${path}:${from < to ? `${from}-` : ""}${to}`;
}
