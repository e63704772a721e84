/** Whether everything that a range of commits changes was approved; for CI, where no agent can write. */
import type { Fault, Report } from "../../verify/report.ts";
import type { Run } from "./command.ts";
import { clean } from "./terminal.ts";

export const verify: Run = async (host, call) => {
  const { format = "table", rerun } = call.options;
  const report = await host.verify({
    range: String(call.arguments.range),
    rerun: rerun === true,
  });
  const text =
    format === "table"
      ? renderReport(report)
      : MACHINES[format as keyof typeof MACHINES](report, host.version);
  const { faults } = report;
  return {
    text,
    data: { ...report, verified: faults.length === 0 },
    ...(faults.length > 0 ? { exit: 1 as const } : {}),
  };
};

function renderReport({ base, commits, faults, head, records }: Report): string {
  const range = `${base.slice(0, 12)}..${head.slice(0, 12)}`;
  const count = `${commits} ${commits === 1 ? "commit" : "commits"}`;
  const rows = records.map(({ covers, gate, run, seq, signer, strength, verdict }) => [
    `${run} ${seq}`,
    gate,
    verdict,
    signer,
    strength,
    covers === null ? "" : `covers ${covers.slice(0, 12)}`,
  ]);
  const lines = [
    `${range}: ${count}`,
    ...rows.map((row) => row.join("  ").trimEnd()),
    "",
    ...faults.map(({ message, rule }) => `FAULT ${rule}: ${message}`),
    faults.length === 0
      ? `Verified: every commit of ${range} is covered by what was approved.`
      : `Not verified: ${faults.length} ${faults.length === 1 ? "fault" : "faults"}.`,
  ];
  return `${clean(lines.join("\n"))}\n`;
}

const MACHINES = {
  json: (report: Report) =>
    `${JSON.stringify({ ...report, verified: report.faults.length === 0 }, null, 2)}\n`,
  sarif: renderSarif,
  junit: renderJunit,
} as const;

/** SARIF 2.1.0: one result for each fault. */
function renderSarif({ faults }: Report, version: string): string {
  const rules = [...new Set(faults.map(({ rule }) => rule))].map((id) => ({ id }));
  const results = faults.map(({ message, path, rule }) => ({
    ruleId: rule,
    level: "error",
    message: { text: clean(message) },
    locations: [{ physicalLocation: { artifactLocation: { uri: encodeURI(path ?? "pawl.yaml") } } }],
  }));
  const driver = { name: "pawl verify", version, rules };
  const sarif = {
    version: "2.1.0",
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    runs: [{ tool: { driver }, results }],
  };
  return `${JSON.stringify(sarif, null, 2)}\n`;
}

/** One case per record and one for the range, so that a report without faults is not empty. */
function renderJunit({ base, faults, head, records }: Report): string {
  const passed = records.map(
    ({ gate, run, seq }) => `  <testcase classname="gates" name="${escaped(`${run} ${seq} ${gate}`)}"/>`,
  );
  const range = `${base.slice(0, 12)}..${head.slice(0, 12)}`;
  const cases = faults.map(({ message, rule }: Fault) =>
    [
      `  <testcase classname="pawl verify" name="${escaped(rule)}">`,
      `    <failure message="${escaped(message)}"/>`,
      "  </testcase>",
    ].join("\n"),
  );
  const whole = faults.length === 0 ? [`  <testcase classname="pawl verify" name="${range}"/>`] : cases;
  const count = passed.length + whole.length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuite name="pawl verify" tests="${count}" failures="${faults.length}">`,
    ...passed,
    ...whole,
    "</testsuite>",
    "",
  ].join("\n");
}

const ESCAPES: Readonly<Record<string, string>> = {
  "<": "&lt;",
  ">": "&gt;",
  "&": "&amp;",
  '"': "&quot;",
  "\n": " ",
};

function escaped(text: string): string {
  return clean(text).replace(/[<>&"\n]/g, (character) => ESCAPES[character] ?? "");
}
