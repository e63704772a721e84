import type { CostSum } from "../../../runtime/reports/costs.ts";
import { loadStats, type Stats, type StatsBy, type StatsSum } from "../../../runtime/reports/stats.ts";
import type { Run } from "../line/command.ts";
import { counted } from "../terminal/amounts.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { cut, pad, widthOf, wrapHanging } from "../terminal/text-width.ts";

/** Prints the costs of the work, in total and by task, agent or day. */
export const stats: Run = async (host, { options }) => {
  const by = (options.by ?? "task") as StatsBy;
  const stats = await loadStats(await host.projects.open(), by);
  return { text: renderStats(stats, host.terminal), data: { by, total: stats.total, groups: stats.groups } };
};

export function renderStats(
  { by, groups, total }: Stats,
  terminal: Pick<Terminal, "columns" | "paint">,
): string {
  if (total.runs === 0 && !total.gates)
    return "Nothing to count yet: costs come from agents of `pawl run`, waiting times from gates.\n";
  const { columns, paint } = terminal;
  const lines = [
    ...totalLines(total).flatMap(([name, words]) => wrapHanging(`${pad(name, 9)} ${words}`, columns)),
    "",
    ...tableLines(by, groups, columns, paint.bold),
  ];
  return `${lines.join("\n")}\n`;
}

function totalLines(total: StatsSum): readonly (readonly [string, string])[] {
  const { accepted, gateMinutes, gates, runs } = total;
  const perStep = accepted === 0 ? "" : `, ${(runs / accepted).toFixed(1)} per step`;
  const what = total.usd === null ? "time" : "money";
  return [
    ["Steps", `${accepted} accepted`],
    ["Tries", `${counted(runs, "run")} of agents${perStep}`],
    ["Money", moneyWords(total)],
    ["Tokens", tokenWords(total)],
    ["Time", `${minutes(total.minutes)} of agents`],
    ["Again", `${percent(total.again)} of the ${what} went into retries, rework and conflicts`],
    [
      "Waiting",
      gates ? `${counted(gates, "gate")} waited ${minutes(gateMinutes ?? 0)} for a person` : "for nobody",
    ],
  ];
}

function moneyWords({ runs, usd, usdPerStep, withoutUsd }: CostSum): string {
  if (usd === null) return "no agent reported any";
  const perStep = usdPerStep === null ? "" : `, ${money(usdPerStep)} per accepted step`;
  return `${money(usd)}${perStep}${missing(withoutUsd, runs)}`;
}

function tokenWords({ runs, tokens, withoutTokens }: CostSum): string {
  return tokens === null ? "no agent reported any" : `${large(tokens)}${missing(withoutTokens, runs)}`;
}

function missing(count: number, runs: number): string {
  return count === 0 ? "" : `; ${count} of ${counted(runs, "run")} reported none`;
}

const NAME_NARROWEST = 6;
const GAP = "  ";

/**
 * Figures are aligned; a long name is cut to make room for them. `+`: more than that, because some was not
 * reported.
 */
function tableLines(
  by: StatsBy,
  groups: Stats["groups"],
  columns: number,
  bold: (text: string) => string,
): readonly string[] {
  const rows = groups.map((group) => [
    ...(group.runs === 0
      ? ["–", "–", "–", "–", "–", "–"]
      : [
          group.usd === null ? "–" : `${money(group.usd)}${group.withoutUsd > 0 ? "+" : ""}`,
          group.tokens === null ? "–" : `${large(group.tokens)}${group.withoutTokens > 0 ? "+" : ""}`,
          minutes(group.minutes),
          String(group.runs),
          String(group.accepted),
          percent(group.again),
        ]),
    ...(by === "agent" ? [] : [group.gates ? minutes(group.gateMinutes ?? 0) : "–"]),
  ]);
  const heading = [
    "money",
    "tokens",
    "time",
    "tries",
    "steps",
    "again",
    ...(by === "agent" ? [] : ["waited"]),
  ];
  const widths = heading.map((title, at) =>
    Math.max(widthOf(title), ...rows.map((row) => widthOf(row[at] ?? ""))),
  );
  const room = Math.max(NAME_NARROWEST, columns - widths.reduce((sum, width) => sum + width + GAP.length, 0));
  const names = [by, ...groups.map(({ name }) => cut(name, room))];
  const width = Math.max(...names.map(widthOf));
  return [heading, ...rows].map((cells, at) => {
    const figures = cells.map((cell, column) => cell.padStart(widths[column] ?? 0));
    const line = [pad(names[at] ?? "", width), ...figures].join(GAP);
    return at === 0 ? bold(line) : line;
  });
}

function money(usd: number): string {
  return usd > 0 && usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`;
}

function large(count: number): string {
  if (count >= 1e6) return `${(count / 1e6).toFixed(1)}M`;
  return count >= 1e4 ? `${Math.round(count / 1e3)}k` : String(count);
}

function minutes(count: number): string {
  if (count < 1) return `${Math.round(count * 60)}s`;
  if (count < 90) return `${Math.round(count)}min`;
  return count < 60 * 48 ? `${(count / 60).toFixed(1)}h` : `${Math.round(count / 60 / 24)}d`;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}
