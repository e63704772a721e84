/**
 * Makes docs/caught.svg from a real run of the demo repository's two tasks: `node scripts/record-demo.ts`, after a build. The
 * text is what the program printed; only the folder's name is made constant.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
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

const PLAY = `pawl() { "$NODE" "$MAIN" "$@"; }
show() { printf '\\033[1m$ %s\\033[22m\\n' "$*"; }
pawl demo >/dev/null; cd pawl-demo; pawl init --reviews light >/dev/null; git add -A; git commit -qm "Set Pawl up"; pawl trust --yes >/dev/null
show pawl run --once; pawl run --once; show pawl show SALE; pawl show SALE | sed -n '1,12p'; show git log --oneline main; git log --oneline main`;

const home = mkdtempSync(join(tmpdir(), "pawl-record-"));
const run = spawnSync("bash", ["-c", PLAY], {
  cwd: home,
  encoding: "utf8",
  env: {
    PATH: process.env.PATH,
    HOME: home,
    FORCE_COLOR: "1",
    COLUMNS: String(MAX_COLUMNS),
    NODE: process.execPath,
    MAIN: join(ROOT, "dist/main.js"),
  },
});
rmSync(home, { recursive: true, force: true });
if (run.status !== 0) throw new Error(`The demo failed:\n${run.stderr}`);
writeFileSync(`${ROOT}docs/caught.svg`, render(run.stdout.replaceAll(home, "~").trimEnd().split("\n")));

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
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img" aria-label="An agent says that all tests pass; Pawl runs them, they fail, and the work does not reach main">
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
