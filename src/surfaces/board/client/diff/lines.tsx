/** The lines of one file's difference: only those in view are drawn. A grid with a single tab stop. */
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import type { FileDiff } from "../../wire.ts";
import { Code, MAX_LINE } from "./code.tsx";
import { type Heights, openHeights } from "./heights.ts";
import { changedPart, type DiffLine, type DiffRow, partners, splitRows, unifiedRows } from "./parse.ts";

export type View = "unified" | "split";

export interface LinesProps {
  readonly id: string;
  readonly diff: FileDiff;
  readonly lines: readonly DiffLine[];
  readonly view: View;
  /** The content below a line: its points, and the field for a new one. */
  readonly under: (line: DiffLine) => ComponentChildren;
  /** `first`: the other end of a range; the line itself if it is none. */
  readonly comment: ((line: DiffLine, first: DiffLine) => void) | null;
}

const ROW_PX = 21;
/** How far above and below the view rows are drawn. */
const MARGIN_PX = 900;
/** The window moves in steps of this many rows. */
const STEP = 16;

export function Lines(props: LinesProps) {
  const { comment, diff, id, lines, under, view } = props;
  const rows = useMemo(() => (view === "split" ? splitRows(lines) : unifiedRows(lines)), [lines, view]);
  const pairs = useMemo(() => partners(lines), [lines]);
  const heights = useMemo(() => openHeights(new Float64Array(rows.length).fill(ROW_PX)), [rows]);
  const grid = useRef<HTMLDivElement>(null);
  const [from, to] = useWindow(grid, heights, rows.length);
  const [cursor, setCursor] = useState(-1);
  /** Where a range began: Shift extends it. */
  const [anchor, setAnchor] = useState(-1);
  const [wide, setWide] = useState<ReadonlySet<DiffLine>>(new Set());
  useMeasured(grid, heights);
  const show = { colours: diff.colours, pairs, view, wide };
  const lineOf = (row: number) => rows[row]?.right ?? rows[row]?.left ?? null;
  const move = (pressed: KeyboardEvent) => {
    const next = moved(pressed.key, cursor, rows.length);
    if (next !== null && pressed.target === grid.current) {
      pressed.preventDefault();
      setCursor(next);
      if (!pressed.shiftKey) setAnchor(next);
      if (grid.current) reveal(grid.current, heights, next);
    }
    const line = lineOf(cursor);
    const asks = pressed.key === "c" || pressed.key === "Enter";
    if (asks && line && comment && pressed.target === grid.current && isCommentable(line)) {
      pressed.preventDefault();
      const first = lineOf(anchor);
      comment(line, first && isCommentable(first) ? first : line);
    }
  };
  const press = (event: MouseEvent) => {
    const place = placeOf(event, rows);
    if (place === null) return;
    if (place.isMore) setWide(new Set([...wide, place.line]));
    else {
      const first = event.shiftKey ? lineOf(anchor) : null;
      if (first === null) setAnchor(rows.findIndex(({ left, right }) => (right ?? left) === place.line));
      comment?.(place.line, first && isCommentable(first) ? first : place.line);
    }
  };
  return (
    <div
      ref={grid}
      id={id}
      class={`lines ${view}`}
      role="grid"
      tabIndex={0}
      aria-label={`Lines of ${diff.path}. Arrow keys move${comment ? ", with Shift over a range; c writes a point" : ""}.`}
      aria-rowcount={rows.length}
      aria-activedescendant={cursor >= from && cursor < to ? `${id}-${cursor}` : undefined}
      onKeyDown={move}
      onClick={press}
      onFocus={(event) => event.target === grid.current && cursor < 0 && setCursor(firstOf(rows))}
    >
      <div aria-hidden="true" style={{ height: `${heights.top(from)}px` }} />
      {rows.slice(from, to).map((row, at) => (
        <Row
          key={from + at}
          id={id}
          index={from + at}
          row={row}
          isAt={from + at === cursor}
          show={show}
          under={under}
        />
      ))}
      <div aria-hidden="true" style={{ height: `${heights.top(rows.length) - heights.top(to)}px` }} />
    </div>
  );
}

interface Show {
  readonly colours: FileDiff["colours"];
  readonly pairs: ReadonlyMap<DiffLine, DiffLine>;
  readonly view: View;
  readonly wide: ReadonlySet<DiffLine>;
}

interface RowProps {
  readonly id: string;
  readonly index: number;
  readonly row: DiffRow;
  readonly isAt: boolean;
  readonly show: Show;
  readonly under: LinesProps["under"];
}

function Row({ id, index, isAt, row, show, under }: RowProps) {
  const { left, right } = row;
  const only = left ?? right;
  const below = [left, right === left ? null : right].map((line) => (line ? under(line) : null));
  const isFull = only?.kind === "hunk" || only?.kind === "note";
  return (
    <div
      class={isAt ? "row-box at" : "row-box"}
      role="row"
      id={`${id}-${index}`}
      data-row={index}
      aria-rowindex={index + 1}
      aria-selected={isAt}
    >
      {isFull ? (
        <span role="gridcell" class={`full ${only.kind}`}>
          {only.kind === "hunk" ? only.text || "⋯" : only.text}
        </span>
      ) : show.view === "split" ? (
        <span role="presentation" class="pair">
          <Half line={left} side="before" show={show} />
          <Half line={right} side="after" show={show} />
        </span>
      ) : (
        <Half line={only} side="both" show={show} />
      )}
      {below.some((each) => each !== null && each !== undefined && each !== false) && (
        <div role="gridcell" class="under">
          {below}
        </div>
      )}
    </div>
  );
}

function Half({
  line,
  show,
  side,
}: {
  readonly line: DiffLine | null;
  readonly show: Show;
  readonly side: "before" | "after" | "both";
}) {
  if (line === null) return <span role="gridcell" class="half none" />;
  const partner = show.pairs.get(line);
  const isWide = show.wide.has(line) || line.text.length <= MAX_LINE;
  const text = isWide ? line.text : line.text.slice(0, MAX_LINE);
  const number = side === "before" ? line.before : line.after;
  return (
    <span role="presentation" class={`half ${line.kind}`} data-side={side}>
      {side === "both" && <Num number={line.before} />}
      <Num number={side === "both" ? line.after : number} />
      <span role="gridcell" class="code" dir="ltr">
        <Code
          text={text}
          colours={coloursOf(line, show)}
          changed={partner ? changedPart(line.text, partner.text) : null}
        />
        {!isWide && (
          <button type="button" class="link more" data-more>
            … {line.text.length - MAX_LINE} more characters
          </button>
        )}
      </span>
    </span>
  );
}

function Num({ number }: { readonly number: number | null }) {
  return (
    <span role="gridcell" class="num" data-num>
      {number ?? ""}
    </span>
  );
}

function coloursOf(line: DiffLine, { colours }: Show) {
  if (colours === null) return undefined;
  return line.after !== null ? colours.after[line.after - 1] : colours.before[(line.before ?? 0) - 1];
}

function isCommentable(line: DiffLine): boolean {
  return line.kind !== "hunk" && line.kind !== "note";
}

function firstOf(rows: readonly DiffRow[]): number {
  return Math.max(
    0,
    rows.findIndex(({ left, right }) => left?.kind === "removed" || right?.kind === "added"),
  );
}

/** The row to which a key moves in the grid; null: not a key of the grid. */
function moved(key: string, cursor: number, count: number): number | null {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: cursor + 1,
    ArrowUp: cursor - 1,
    PageDown: cursor + 20,
    PageUp: cursor - 20,
    Home: 0,
    End: count - 1,
  };
  const next = steps[key];
  return next === undefined ? null : Math.min(Math.max(next, 0), count - 1);
}

function reveal(grid: HTMLElement, heights: Heights, row: number): void {
  const top = grid.getBoundingClientRect().top + heights.top(row);
  const height = heights.top(row + 1) - heights.top(row);
  if (top < 96) scrollBy(0, top - 96);
  else if (top + height > innerHeight - 72) scrollBy(0, top + height - innerHeight + 72);
}

/** The line whose number or whose "more" was clicked. */
function placeOf(event: MouseEvent, rows: readonly DiffRow[]): { line: DiffLine; isMore: boolean } | null {
  if (!(event.target instanceof Element)) return null;
  const isMore = event.target.closest("[data-more]") !== null;
  if (!isMore && event.target.closest("[data-num]") === null) return null;
  const row = rows[Number.parseInt(event.target.closest<HTMLElement>("[data-row]")?.dataset.row ?? "", 10)];
  const side = event.target.closest<HTMLElement>("[data-side]")?.dataset.side;
  const line = side === "before" ? row?.left : side === "after" ? row?.right : (row?.right ?? row?.left);
  return line && isCommentable(line) ? { line, isMore } : null;
}

/** The rows in or near the view. */
function useWindow(
  grid: { readonly current: HTMLElement | null },
  heights: Heights,
  count: number,
): readonly [number, number] {
  const [range, setRange] = useState<readonly [number, number]>([0, Math.min(count, 3 * STEP)]);
  useEffect(() => {
    let frame = 0;
    const update = () => {
      frame = 0;
      if (!grid.current) return;
      const { top } = grid.current.getBoundingClientRect();
      const first = Math.floor(heights.at(Math.max(0, -top - MARGIN_PX)) / STEP) * STEP;
      const last = Math.ceil((heights.at(Math.max(0, innerHeight - top + MARGIN_PX)) + 1) / STEP) * STEP;
      const next: readonly [number, number] = [first, Math.min(count, Math.max(last, first + STEP))];
      setRange((was) => (was[0] === next[0] && was[1] === next[1] ? was : next));
    };
    const ask = () => {
      if (frame === 0) frame = requestAnimationFrame(update);
    };
    update();
    addEventListener("scroll", ask, { passive: true });
    addEventListener("resize", ask);
    return () => {
      cancelAnimationFrame(frame);
      removeEventListener("scroll", ask);
      removeEventListener("resize", ask);
    };
  }, [grid, heights, count]);
  return [Math.min(range[0], count), Math.min(range[1], count)];
}

/** Measures the drawn rows, because lines wrap and points are below them. */
function useMeasured(grid: { readonly current: HTMLElement | null }, heights: Heights): void {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  useLayoutEffect(() => {
    const drawn = [...(grid.current?.querySelectorAll<HTMLElement>(":scope > [data-row]") ?? [])];
    const differ = drawn.map((row) =>
      heights.measure(Number.parseInt(row.dataset.row ?? "0", 10), row.offsetHeight),
    );
    if (differ.includes(true)) redraw(0);
  });
  useEffect(() => {
    const watched = new ResizeObserver(() => redraw(0));
    if (grid.current) watched.observe(grid.current);
    return () => watched.disconnect();
  }, [grid]);
}
