/**
 * `pawl verify`: checks whether every change in a range of commits was approved; for CI, where agents cannot
 * write.
 */
import { PawlError } from "../../../core/error.ts";
import type { Approval, Fault, Report } from "../../../verify/report.ts";
import type { Call, Run } from "../line/command.ts";
import { clean } from "../terminal/terminal.ts";

export const verify: Run = async (host, call) => {
  const { format = "table", rerun } = call.options;
  const forge = forgeOf(call);
  const report = await host.repositories.verify({
    range: String(call.arguments.range),
    rerun: rerun === true,
    forge,
  });
  const text =
    format === "table"
      ? renderReport(report)
      : MACHINE_FORMATS[format as keyof typeof MACHINE_FORMATS](report, host.version);
  const { faults } = report;
  return {
    text,
    data: { ...report, verified: faults.length === 0 },
    ...(faults.length > 0 ? { exit: 1 as const } : {}),
  };
};

function forgeOf({ options }: Call): { readonly pull: number | null } | null {
  const { forge, pull } = options as { readonly forge?: true; readonly pull?: string };
  if (!forge && pull === undefined) return null;
  if (pull === undefined) return { pull: null };
  if (forge && /^[1-9]\d{0,8}$/.test(pull)) return { pull: Number(pull) };
  throw new PawlError(
    "usage",
    forge
      ? `${JSON.stringify(pull)} is not the number of a pull request.`
      : "--pull names a pull request for --forge, which was not given.",
    "For instance, write --forge --pull 7.",
  );
}

function renderReport({ approval, base, commits, faults, head, records }: Report): string {
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
    ...(approval === null ? [] : approvalLines(approval)),
    "",
    ...faults.map(({ message, rule }) => `FAULT ${rule}: ${message}`),
    faults.length === 0
      ? `Verified: every commit of ${range} is covered by what was approved.`
      : `Not verified: ${faults.length} ${faults.length === 1 ? "fault" : "faults"}.`,
  ];
  return `${clean(lines.join("\n"))}\n`;
}

function approvalLines({ covers, login, process_files, pull }: Approval): readonly string[] {
  const files = process_files.length === 0 ? "none" : process_files.join(", ");
  return [
    `${pull}  review  approve  ${login}  reviewed on GitHub  covers ${covers.slice(0, 12)}`,
    `Changed files that decide how the work is judged: ${files}`,
    "This is GitHub's word that the login approved it: weaker than a signature.",
  ];
}

const MACHINE_FORMATS = {
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
function renderJunit({ approval, base, faults, head, records }: Report): string {
  const passed = [
    ...records.map(({ gate, run, seq }) => `${run} ${seq} ${gate}`),
    ...(approval === null ? [] : [`${approval.pull} reviewed by ${approval.login}`]),
  ].map((name) => `  <testcase classname="gates" name="${escaped(name)}"/>`);
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
