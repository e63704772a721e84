/** Costs in a table, one row per part. Unknown values are shown as a dash, not as zero. */
import type { ComponentChildren } from "preact";
import { renderLarge, renderMinutes, renderUsd } from "./moment.tsx";
import { OneLine } from "./words.tsx";

export interface CostLine {
  readonly name: string;
  /** Null: not known. */
  readonly usd: number | null;
  readonly tokens: number | null;
  readonly minutes: number | null;
}

export interface CostColumn<Line> {
  readonly title: string;
  readonly isNumber?: true;
  cell(line: Line): ComponentChildren;
}

const UNKNOWN = "–";

export const MONEY: CostColumn<CostLine> = {
  ...{ title: "Money", isNumber: true },
  cell: ({ usd }) => (usd === null ? UNKNOWN : renderUsd(usd)),
};
export const TOKENS: CostColumn<CostLine> = {
  ...{ title: "Tokens", isNumber: true },
  cell: ({ tokens }) => (tokens === null ? UNKNOWN : renderLarge(tokens)),
};
export const TIME: CostColumn<CostLine> = {
  ...{ title: "Time", isNumber: true },
  cell: ({ minutes }) => (minutes === null ? UNKNOWN : renderMinutes(minutes)),
};

interface CostTableProps<Line> {
  /** For screen readers. */
  readonly label: string;
  /** The kind of rows: `Step`. */
  readonly of: string;
  readonly lines: readonly Line[];
  readonly columns: readonly CostColumn<Line>[];
}

export function CostTable<Line extends CostLine>({ columns, label, lines, of }: CostTableProps<Line>) {
  const classOf = ({ isNumber }: CostColumn<Line>) => (isNumber ? "number" : undefined);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard
    <div class="scroll-x" tabIndex={0} role="group" aria-label={label}>
      <table class="cost">
        <thead>
          <tr>
            <th scope="col">{of}</th>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line, at) => (
            <tr key={`${at} ${line.name}`}>
              <th scope="row">
                <OneLine text={line.name} max={80} />
              </th>
              {columns.map((column) => (
                <td key={column.title} class={classOf(column)}>
                  {column.cell(line)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
