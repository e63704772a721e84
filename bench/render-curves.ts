/** The tables of docs/performance.md and its picture, from what was measured. */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

export type Point = readonly [at: number, value: number];
type Curve = Readonly<Record<string, readonly Point[]>>;

export interface Curves {
  readonly cores: number;
  readonly tasks: Curve;
  readonly events: Curve;
  readonly agents: Curve;
}

const DOCS = resolve(import.meta.dirname, "../docs");
const PAGE = resolve(DOCS, "performance.md");
const PICTURE = resolve(DOCS, "performance.svg");

export function writePage(curves: Curves): void {
  writeFileSync(PICTURE, renderPicture(curves));
  writeFileSync(PAGE, withTables(readFileSync(PAGE, "utf8"), curves));
}

/** The page with each part between `<!-- curve: NAME -->` and `<!-- end -->` as it was measured. */
export function withTables(page: string, curves: Curves): string {
  return page.replace(
    /(<!-- curve: (tasks|events|agents) -->\n).*?(<!-- end -->)/gs,
    (_, begin: string, name: "tasks" | "events" | "agents", end: string) =>
      `${begin}${renderTable(name, curves[name])}${end}`,
  );
}

const number = (value: number) => value.toLocaleString("en-US");

function renderTable(name: string, curve: Curve): string {
  const heads = Object.keys(curve);
  const ats = Object.values(curve)[0]?.map(([at]) => at) ?? [];
  const unit = name === "agents" ? "" : " ×";
  const rows = ats.map((at, row) => {
    const cells = heads.map((head) => `${curve[head]?.[row]?.[1].toFixed(2)}${unit}`);
    return `| ${number(at)} | ${cells.join(" | ")} |`;
  });
  const head = `| ${name} | ${heads.join(" | ")} |\n| --- |${" --- |".repeat(heads.length)}`;
  return `${head}\n${rows.join("\n")}\n`;
}

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [420, 300, 48, 40, 20, 92];
const COLOURS = ["#2563eb", "#d97706", "#059669", "#dc2626"];

/** One panel for each curve, side by side: what grows to the right by its logarithm, ratios upwards. */
export function renderPicture({ agents, events, tasks }: Curves): string {
  const panels = [
    renderPanel("Cold commands by tasks, × node -e 0", tasks),
    renderPanel("Cold commands by events, × node -e 0", events),
    renderPanel("24 tasks of 1 s by agents", agents),
  ];
  const moved = panels.map((panel, at) => `<g transform="translate(${at * WIDTH} 0)">${panel}</g>`);
  const style = "font-family: system-ui, sans-serif; font-size: 12px; fill: #57606a";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${3 * WIDTH} ${HEIGHT}" style="${style}">
<title>Cold commands by tasks and by events, and the loop by agents</title>
<rect width="100%" height="100%" fill="#ffffff"/>
${moved.join("\n")}
</svg>
`;
}

function renderPanel(title: string, curve: Curve): string {
  const all = Object.values(curve).flat();
  const most = Math.max(1, ...all.map(([, value]) => value));
  const last = Math.log(Math.max(2, ...all.map(([at]) => at)));
  const x = (at: number) => round(LEFT + (Math.log(at) / last) * (WIDTH - LEFT - RIGHT));
  const y = (value: number) => round(HEIGHT - BOTTOM - (value / most) * (HEIGHT - TOP - BOTTOM));
  const ats = [...new Set(all.map(([at]) => at))];
  const marks = [0, most / 2, most].map(
    (value) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}" stroke="#d0d7de"/>` +
      `<text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${value.toFixed(1)}</text>`,
  );
  const feet = ats.map(
    (at) => `<text x="${x(at)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${number(at)}</text>`,
  );
  const lines = Object.entries(curve).map(([name, points], index) => {
    const colour = COLOURS[index % COLOURS.length];
    const path = points.map(([at, value]) => `${x(at)},${y(value)}`).join(" ");
    const dots = points.map(
      ([at, value]) => `<circle cx="${x(at)}" cy="${y(value)}" r="3" fill="${colour}"/>`,
    );
    const [column, row] = [index % 2, Math.floor(index / 2)];
    const legend = `<text x="${LEFT + column * 180}" y="${HEIGHT - BOTTOM + 44 + row * 18}" fill="${colour}">${name}</text>`;
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${dots.join("")}${legend}`;
  });
  const heading = `<text x="${LEFT}" y="22" font-weight="600" fill="#1f2328">${title}</text>`;
  return [heading, ...marks, ...feet, ...lines].join("\n");
}

const round = (value: number) => Number(value.toFixed(1));
