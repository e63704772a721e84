/**
 * `GET /metrics`: the figures of the projects' logs in Prometheus's format. Contains no names of tasks and no
 * free text.
 */
import { basename } from "node:path";
import { minutesOf } from "../../../runtime/reports/gate-waits.ts";
import type { Digest } from "../../../runtime/reports/log-digest.ts";
import { type Figures, openFigures } from "../../../runtime/reports/stats.ts";
import type { BoardProject } from "./projects.ts";

export const METRICS_HEADERS = {
  "content-type": "text/plain; version=0.0.4; charset=utf-8",
  "cache-control": "no-store",
};

const HELP = {
  pawl_up: "Whether the project could be read.",
  pawl_agent_runs_total: "Runs of agents.",
  pawl_agent_seconds_total: "Agent time.",
  pawl_agent_cost_usd_total: "Dollars, where agents report them.",
  pawl_agent_tokens_total: "Tokens, where agents report them.",
  pawl_steps_accepted_total: "Completed steps.",
  pawl_gate_waits_total: "Waits for a person that are over.",
  pawl_gate_wait_seconds_total: "How long these lasted.",
} as const;

type Name = keyof typeof HELP;
type Labels = Readonly<Record<string, string>>;
type Samples = Map<string, { readonly name: Name; value: number }>;

export function openMetrics(): (projects: Iterable<BoardProject>) => Promise<string> {
  const known = new Map<string, Promise<Digest<Figures>>>();
  return async (projects) => {
    const samples: Samples = new Map();
    for (const each of projects) {
      const labels = { project: basename(each.root), key: each.key };
      try {
        const figures = known.get(each.key) ?? each.project().then(({ workflows }) => openFigures(workflows));
        known.set(each.key, figures);
        count(samples, labels, await (await figures).of(await each.log()));
        add(samples, "pawl_up", labels, 1);
      } catch {
        known.delete(each.key);
        add(samples, "pawl_up", labels, 0);
      }
    }
    return renderSamples(samples);
  };
}

function count(samples: Samples, labels: Labels, { costs, waits }: Figures): void {
  for (const { accepted, agent, cause, minutes, tokens, usd } of costs.rows()) {
    const own = { ...labels, agent, cause };
    add(samples, "pawl_agent_runs_total", own, 1);
    add(samples, "pawl_agent_seconds_total", own, minutes * 60);
    if (usd !== null) add(samples, "pawl_agent_cost_usd_total", own, usd);
    if (tokens !== null) add(samples, "pawl_agent_tokens_total", own, tokens);
    if (accepted) add(samples, "pawl_steps_accepted_total", { ...labels, agent }, 1);
  }
  for (const wait of waits) {
    const own = { ...labels, gate: wait.gate };
    add(samples, "pawl_gate_waits_total", own, 1);
    add(samples, "pawl_gate_wait_seconds_total", own, minutesOf(wait) * 60);
  }
}

function add(samples: Samples, name: Name, labels: Labels, value: number): void {
  const key = `${name}{${Object.entries(labels)
    .map(([label, text]) => `${label}="${escaped(text)}"`)
    .join(",")}}`;
  const sample = samples.get(key) ?? { name, value: 0 };
  sample.value += Number.isFinite(value) ? value : 0;
  samples.set(key, sample);
}

function renderSamples(samples: Samples): string {
  return (Object.keys(HELP) as Name[])
    .flatMap((name) => {
      const own = [...samples].filter(([, sample]) => sample.name === name);
      const type = name === "pawl_up" ? "gauge" : "counter";
      if (own.length === 0) return [];
      return [
        `# HELP ${name} ${HELP[name]}`,
        `# TYPE ${name} ${type}`,
        ...own.map(([key, { value }]) => `${key} ${value}`),
      ];
    })
    .map((line) => `${line}\n`)
    .join("");
}

/** Escapes a label, because any process may have written the log. */
function escaped(text: string): string {
  return String(text)
    .slice(0, 200)
    .replace(/[\\"\n]/g, (letter) => (letter === "\n" ? "\\n" : `\\${letter}`));
}
