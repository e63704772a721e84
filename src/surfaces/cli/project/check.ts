import { type CheckReport, check as checkTable } from "../../../engine/check.ts";
import type { Violation } from "../../../engine/violation.ts";
import type { AgentsBound, Table } from "../../../runtime/module.ts";
import type { Run } from "../line/command.ts";
import { counted } from "../terminal/amounts.ts";
import type { Paint } from "../terminal/terminal.ts";
import { hung, wrap } from "../terminal/text-width.ts";
import { tablesOf, type WorkflowFault } from "./tables.ts";

/**
 * Proves the tables, or prints every violation with the state, event and facts that cause it, and exits with
 * 1. A workflow whose file is faulty is reported after all others, and exits with 1, too.
 */
export const check: Run = async (host, call) => {
  const { tables, faults } = await tablesOf(host.workflows, call.arguments.workflow as string | undefined);
  const reports = tables.map(reportOf);
  const failed = faults.length > 0 || reports.some(({ violations }) => violations.length > 0);
  return {
    text: renderReports(reports, faults, host.terminal.columns, host.terminal.paint),
    data: {
      proved: !failed,
      reports,
      faults: faults.map(({ workflow, fault: { code, message, fix } }) => ({ workflow, code, message, fix })),
    },
    ...(failed ? { exit: 1 as const } : {}),
  };
};

interface PlacedReport extends Omit<CheckReport, "violations"> {
  readonly violations: readonly PlacedViolation[];
  /** What its agents may cost at most, between two decisions of a person. */
  readonly bound?: Exclude<AgentsBound, { readonly loop: Violation }>;
}

/** `place`: its position in a file of the project's own, `release.yaml:12:3`. */
type PlacedViolation = Violation & { readonly place?: string };

function reportOf(table: Table): PlacedReport {
  const checked = checkTable(table);
  const { bound, broken = [], placeOf } = table;
  const loop = bound && "loop" in bound ? bound.loop : null;
  const violations = [...checked.violations, ...broken, ...(loop ? [loop] : [])];
  const report = { ...checked, violations, ...(bound && !("loop" in bound) && { bound }) };
  if (!placeOf) return report;
  return { ...report, violations: report.violations.map((each) => ({ place: placeOf(each), ...each })) };
}

/** The counts of a report and their headings. */
const COUNTS = [
  ["states", "states"],
  ["events", "events"],
  ["configurations", "configs"],
  ["combinations", "inputs"],
  ["rules", "rules"],
  ["replies", "replies"],
] as const;

/** The columns that a narrow screen omits, in this order. */
const LEFT_OUT = ["replies", "configurations", "rules", "events", "combinations", "states"] as const;

type Counts = readonly (typeof COUNTS)[number][];

const VERDICT = "  refused";

/** As many columns as fit between the workflow's name and the verdict. */
function countsWithin(room: number): Counts {
  let shown: Counts = COUNTS;
  for (const left of LEFT_OUT) {
    const width = shown.reduce((sum, [, name]) => sum + name.length + 2, VERDICT.length);
    if (width <= room) break;
    shown = shown.filter(([count]) => count !== left);
  }
  return shown;
}

export function renderReports(
  reports: readonly PlacedReport[],
  faults: readonly WorkflowFault[],
  columns: number,
  paint: Paint,
): string {
  const width = Math.max(8, ...[...reports, ...faults].map(({ workflow }) => workflow.length));
  const counts = countsWithin(columns - width);
  const heading = [
    "workflow".padEnd(width),
    ...counts.map(([, name]) => name.padStart(name.length + 2)),
  ].join("");
  const lines = reports.flatMap((report) => [
    renderReport(report, width, counts, paint),
    ...report.violations.flatMap((violation) => renderViolation(violation, columns, paint)),
    ...(report.bound ? hung("  ", boundWords(report.bound), columns) : []),
  ]);
  const ends = verdict(reports, faults.length, columns, paint);
  const shown = reports.length > 0 ? [paint.dim(heading), ...lines] : [];
  return [
    ...shown,
    ...faults.flatMap((each) => renderFault(each, width, columns, paint)),
    "",
    ...ends,
    "",
  ].join("\n");
}

/** Prints each problem of the file on lines of its own. */
function renderFault({ workflow, fault }: WorkflowFault, width: number, columns: number, paint: Paint) {
  const [first = "", ...problems] = fault.message.split("\n");
  return [
    `${workflow.padEnd(width)}  ${paint.red("refused")}`,
    ...hung(`  ${paint.red("✗")} `, first, columns),
    ...problems.flatMap((problem) => hung("    ", problem, columns)),
    ...hung("    fix: ", fault.fix, columns),
  ];
}

function renderReport(report: CheckReport, width: number, shown: Counts, paint: Paint): string {
  const { counts, violations, workflow } = report;
  const figures = shown.map(([count, name]) => String(counts[count]).padStart(name.length + 2)).join("");
  const mark = violations.length === 0 ? paint.green("proved") : paint.red("refused");
  return `${workflow.padEnd(width)}${figures}  ${mark}`;
}

function boundWords({ orders, tasks, usd }: NonNullable<PlacedReport["bound"]>): string {
  const starts = `Its agents get at most ${counted(orders, "order")}`;
  const begins = tasks === undefined ? "" : `It begins at most ${counted(tasks, "task")} of Bloom`;
  const between = "between two decisions of a person";
  if (orders === 0) return `${begins} ${between}.`;
  const more = begins === "" ? "" : ` ${begins}, each with its own budget.`;
  if (usd === null) return `${starts} ${between}; an agent has no budget in dollars.${more}`;
  return `${starts}, for at most ${usd.toFixed(2)} USD, ${between}.${more}`;
}

function renderViolation(violation: PlacedViolation, columns: number, paint: Paint): string[] {
  const facts = Object.entries(violation.facts ?? {}).map(
    ([fact, value]) => `${fact}=${JSON.stringify(value)}`,
  );
  const shown = [
    ["state", violation.state],
    ["event", violation.event],
    ["facts", facts.join(", ")],
    ["rules", violation.rules.join(", ")],
    ["path", violation.path?.join(" → ")],
    ["times", violation.times === undefined ? undefined : String(violation.times)],
  ].filter((line): line is [string, string] => Boolean(line[1]));
  return [
    ...hung(`  ${paint.red("✗")} `, placed(violation), columns),
    ...shown.flatMap(([name, value]) => hung(`    ${paint.dim(name.padEnd(5))}  `, value, columns)),
  ];
}

function placed({ message, place }: PlacedViolation): string {
  return place === undefined ? message : `${place}: ${message}`;
}

function verdict(
  reports: readonly CheckReport[],
  faults: number,
  columns: number,
  paint: Paint,
): readonly string[] {
  const violations = reports.reduce((sum, report) => sum + report.violations.length, 0);
  const combinations = reports.reduce((sum, { counts }) => sum + counts.combinations, 0);
  const tables = counted(reports.length, "table");
  if (violations > 0 || faults > 0) {
    const counts = [
      ...(reports.length > 0 ? [`${tables}, ${counted(violations, "violation")}.`] : []),
      ...(faults > 0 ? [`${counted(faults, "workflow")} cannot be read.`] : []),
    ];
    return [paint.red(counts.join(" "))];
  }
  return wrap(
    `${tables}: for each of ${combinations} combinations of inputs exactly one rule applies; nothing is unreachable, no run is trapped, and every rule has its reply.`,
    columns,
  );
}
