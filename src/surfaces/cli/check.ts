import { type CheckReport, check as checkTable } from "../../engine/check.ts";
import type { Violation } from "../../engine/violation.ts";
import type { Run } from "./command.ts";
import { tablesOf } from "./tables.ts";
import { clean, type Paint, wrap } from "./terminal.ts";

/** Proves the tables, or shows every violation with the state, event and facts that show it; then it exits with 1. */
export const check: Run = async (host, call) => {
  const tables = await tablesOf(host.workflows, call.arguments.workflow as string | undefined);
  const reports = tables.map((table) => checkTable(table));
  const failed = reports.some(({ violations }) => violations.length > 0);
  return {
    text: renderReports(reports, host.terminal.columns, host.terminal.paint),
    data: { proved: !failed, reports },
    ...(failed ? { exit: 1 as const } : {}),
  };
};

/** What was counted, and how it is called where there is little room. */
const COUNTS = [
  ["states", "states"],
  ["events", "events"],
  ["configurations", "configs"],
  ["worlds", "worlds"],
  ["rows", "rows"],
  ["replies", "replies"],
] as const;

export function renderReports(reports: readonly CheckReport[], columns: number, paint: Paint): string {
  const width = Math.max(8, ...reports.map(({ workflow }) => workflow.length));
  const heading = [
    "workflow".padEnd(width),
    ...COUNTS.map(([, name]) => name.padStart(name.length + 2)),
  ].join("");
  const lines = reports.flatMap((report) => [
    renderReport(report, width, paint),
    ...report.violations.flatMap((violation) => renderViolation(violation, columns, paint)),
  ]);
  const violations = reports.reduce((sum, report) => sum + report.violations.length, 0);
  return [paint.dim(heading), ...lines, "", ...verdict(reports, violations, columns, paint), ""].join("\n");
}

function renderReport({ workflow, counts, violations }: CheckReport, width: number, paint: Paint): string {
  const figures = COUNTS.map(([count, name]) => String(counts[count]).padStart(name.length + 2)).join("");
  const mark = violations.length === 0 ? paint.green("proved") : paint.red("refused");
  return `${workflow.padEnd(width)}${figures}  ${mark}`;
}

function renderViolation(violation: Violation, columns: number, paint: Paint): string[] {
  const facts = Object.entries(violation.facts ?? {}).map(
    ([fact, value]) => `${fact}=${JSON.stringify(value)}`,
  );
  const shown = [
    ["state", violation.state],
    ["event", violation.event],
    ["facts", facts.join(", ")],
    ["rows", violation.rows.join(", ")],
    ["path", violation.path?.join(" → ")],
    ["times", violation.times === undefined ? undefined : String(violation.times)],
  ].filter((line): line is [string, string] => Boolean(line[1]));
  return [
    ...wrap(violation.message, columns - 4).map((line, at) =>
      at === 0 ? `  ${paint.red("✗")} ${line}` : `    ${line}`,
    ),
    ...shown.flatMap(([name, value]) =>
      wrap(clean(value), columns - 11).map(
        (line, at) => `    ${paint.dim((at === 0 ? name : "").padEnd(5))}  ${line}`,
      ),
    ),
  ];
}

function verdict(
  reports: readonly CheckReport[],
  violations: number,
  columns: number,
  paint: Paint,
): readonly string[] {
  const worlds = reports.reduce((sum, { counts }) => sum + counts.worlds, 0);
  const tables = `${reports.length} ${reports.length === 1 ? "table" : "tables"}`;
  if (violations > 0) {
    return [paint.red(`${tables}, ${violations} ${violations === 1 ? "violation" : "violations"}.`)];
  }
  return wrap(
    `${tables}: in each of ${worlds} worlds exactly one row applies; nothing is unreachable, no run is trapped, and every row has its reply.`,
    columns,
  );
}
