/**
 * Makes docs/demo.svg from a real run of the demo: `node scripts/record-demo.ts`. The text is what the demo printed;
 * only the temporary folder's name is made constant, so that the picture changes when the product does.
 */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const GATE_LINES = 37;
const MAX_COLUMNS = 84;
const CELL = { width: 7.8, height: 18 };
const PAD = 16;

const COLOURS: Readonly<Record<string, string>> = {
  "33": "#e5c07b",
  "34": "#61afef",
  "35": "#c678dd",
  "36": "#56b6c2",
  "32": "#98c379",
  "31": "#e06c75",
};

interface Span {
  readonly text: string;
  readonly style: string;
}

const run = spawnSync(process.execPath, ["demo/run.ts", "--fast"], {
  cwd: ROOT,
  encoding: "utf8",
  env: { ...process.env, FORCE_COLOR: "1" },
});
if (run.status !== 0) throw new Error(`The demo failed:\n${run.stderr}`);

const text = run.stdout.replaceAll(/\/[^\s]*pawl-demo-\w+/g, "~");
writeFileSync(`${ROOT}docs/demo.svg`, render(excerpt(text.trimEnd().split("\n"))));

/** The picture holds what fits: how a task enters its gates, and what the agents do. */
function excerpt(lines: readonly string[]): readonly string[] {
  const chapter = (number: number) =>
    lines.findIndex((line) => line.includes(`${number}. `) && !line.startsWith("  "));
  const first = lines.slice(0, chapter(1) + GATE_LINES);
  return [...first, "  …", "", ...lines.slice(chapter(3), chapter(4))];
}

function render(lines: readonly string[]): string {
  const width = MAX_COLUMNS * CELL.width + 2 * PAD;
  const height = lines.length * CELL.height + 2 * PAD;
  const rows = lines.map((line, index) => {
    const y = PAD + (index + 0.8) * CELL.height;
    const spans = parseAnsi(line).map(
      ({ text, style }) => `<tspan style="${style}">${escapeXml(text)}</tspan>`,
    );
    return `<text x="${PAD}" y="${y.toFixed(1)}" xml:space="preserve">${spans.join("")}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="A terminal recording of the demo">
<rect width="100%" height="100%" rx="8" fill="#1e2127"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="13" fill="#d7dae0">
${rows.join("\n")}
</g>
</svg>
`;
}

/** The line's pieces with their styles; cut at the picture's width. */
function parseAnsi(line: string): Span[] {
  const spans: Span[] = [];
  const on = new Set<string>();
  let room = MAX_COLUMNS;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is parsed
  for (const [, code, text] of line.matchAll(/(?:\u001b\[([\d;]*)m)|([^\u001b]+)/g)) {
    if (code !== undefined) for (const one of code.split(";")) apply(on, one);
    else if (text && room > 0) {
      spans.push({ text: text.slice(0, room), style: styleOf(on) });
      room -= text.length;
    }
  }
  return spans;
}

function apply(on: Set<string>, code: string): void {
  if (code === "0" || code === "") on.clear();
  else if (code === "22") for (const weight of ["1", "2"]) on.delete(weight);
  else if (code === "39") for (const colour of Object.keys(COLOURS)) on.delete(colour);
  else on.add(code);
}

function styleOf(on: ReadonlySet<string>): string {
  const parts: string[] = [];
  if (on.has("1")) parts.push("font-weight:bold");
  if (on.has("2")) parts.push("opacity:.65");
  for (const [code, colour] of Object.entries(COLOURS)) if (on.has(code)) parts.push(`fill:${colour}`);
  return parts.join(";");
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
