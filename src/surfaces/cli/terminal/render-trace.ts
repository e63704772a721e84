import type { TraceSpan } from "../../../runtime/reports/trace.ts";
import type { Terminal } from "./terminal.ts";
import { cut, pad, widthOf } from "./text-width.ts";

interface Row {
  readonly span: TraceSpan;
  /** The lines of the tree that lead to it. */
  readonly stem: string;
  readonly until: number;
}

const COLOURS = { run: "bold", step: null, agent: "cyan", check: null, merge: null, wait: "yellow" } as const;
const WIDEST_BAR = 24;
const NAME_NARROWEST = 30;
const GAP = "  ";

/** A trace as a tree. Durations and money are aligned; bars show when each span lasted, if there is room for them. */
export function renderTrace(
  spans: readonly TraceSpan[],
  now: number,
  { columns, paint }: Pick<Terminal, "columns" | "paint">,
): string {
  const rows = rowsOf(spans, now);
  const lasts = column(rows.map(({ span, until }) => formatDuration(until - span.start, span.end === null)));
  const costs = column(rows.map(({ span }) => moneyOf(span)));
  const fixed = [lasts, costs].reduce(
    (sum, [cell = ""]) => sum + (cell === "" ? 0 : widthOf(cell) + GAP.length),
    0,
  );
  const bar = Math.min(WIDEST_BAR, columns - fixed - GAP.length - NAME_NARROWEST);
  const room = columns - fixed - (bar < 8 ? 0 : bar + GAP.length);
  const names = rows.map(
    ({ span, stem }) => `${stem}${cut(nameOf(span), Math.max(1, room - widthOf(stem)))}`,
  );
  const width = Math.max(...names.map(widthOf));
  const within = {
    from: Math.min(...rows.map(({ span }) => span.start)),
    to: Math.max(...rows.map(({ until }) => until)),
  };
  const lines = rows.map((row, at) => {
    const name = pad(names[at] ?? "", width);
    const colour = row.span.failed === null ? COLOURS[row.span.kind] : "red";
    return [
      colour === null ? name : paint[colour](name),
      ...(bar < 8 ? [] : [paint.dim(barOf(row, within, bar))]),
      lasts[at] ?? "",
      costs[at] ?? "",
    ]
      .join(GAP)
      .trimEnd();
  });
  return `${lines.join("\n")}\n`;
}

/** The tree from its roots; siblings in the order in which they began. */
function rowsOf(spans: readonly TraceSpan[], now: number): readonly Row[] {
  const ids = new Set(spans.map(({ id }) => id));
  const below = Map.groupBy(spans, ({ parent }) => (parent !== null && ids.has(parent) ? parent : null));
  const rowsBelow = (parent: string | null, stem: string): readonly Row[] => {
    const children = (below.get(parent) ?? []).toSorted((one, other) => one.start - other.start);
    return children.flatMap((span, at) => {
      const isLast = at === children.length - 1;
      const [branch, further] = parent === null ? ["", ""] : isLast ? ["└─ ", "   "] : ["├─ ", "│  "];
      const row = { span, stem: stem + branch, until: span.end ?? Math.max(now, span.start) };
      return [row, ...rowsBelow(span.id, stem + further)];
    });
  };
  return rowsBelow(null, "");
}

function nameOf({ attributes, failed, kind, name, words }: TraceSpan): string {
  const summary = {
    run: `${name}${attributes["pawl.state"] === undefined ? "" : ` ${attributes["pawl.state"]}`}`,
    step: name,
    agent: `${attributes["gen_ai.agent.name"]} (${attributes["pawl.agent.purpose"]})`,
    check: `check ${words}`,
    merge: `merge ${words}`,
    wait: `${name}: ${attributes["pawl.verdict"]}`,
  }[kind];
  return failed === null ? summary : `✗ ${summary}: ${failed}`;
}

/** Right-aligned cells of equal width; all empty if there is nothing to show. */
function column(cells: readonly string[]): readonly string[] {
  const width = Math.max(...cells.map(widthOf));
  return cells.map((cell) => cell.padStart(width));
}

function moneyOf({ attributes }: TraceSpan): string {
  const usd = attributes["pawl.cost.usd"];
  if (typeof usd !== "number") return "";
  return usd > 0 && usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`;
}

function formatDuration(milliseconds: number, isOpen: boolean): string {
  const seconds = milliseconds / 1000;
  const more = isOpen ? "…" : "";
  if (seconds < 10) return `${seconds.toFixed(1)}s${more}`;
  if (seconds < 120) return `${Math.round(seconds)}s${more}`;
  if (seconds < 7200) return `${Math.round(seconds / 60)}min${more}`;
  return `${seconds < 172_800 ? `${(seconds / 3600).toFixed(1)}h` : `${Math.round(seconds / 86_400)}d`}${more}`;
}

function barOf(
  { span, until }: Row,
  { from, to }: { readonly from: number; readonly to: number },
  width: number,
) {
  const scale = width / Math.max(1, to - from);
  const start = Math.min(width - 1, Math.floor((span.start - from) * scale));
  const length = Math.max(1, Math.min(width - start, Math.round((until - span.start) * scale)));
  return `${"·".repeat(start)}${"━".repeat(length)}${"·".repeat(width - start - length)}`;
}
