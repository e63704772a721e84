/**
 * `GET /metrics`: the figures of the projects' logs in Prometheus's format. Contains no names of tasks and no
 * free text.
 */
import { basename } from "node:path";
import { Hono, type MiddlewareHandler } from "hono";
import { loadWorkflows, type Project } from "../../../runtime/project.ts";
import { minutesOf } from "../../../runtime/reports/gate-waits.ts";
import type { Digest } from "../../../runtime/reports/log-digest.ts";
import { overviewContext } from "../../../runtime/reports/overview-context.ts";
import { type Figures, openFigures } from "../../../runtime/reports/stats.ts";
import { type BoardServer, type HttpAddress, listenHttp } from "./http.ts";
import type { BoardOptions } from "./options.ts";
import { type BoardProject, boardProjects, type ProjectSource } from "./projects.ts";
import { admitFigures } from "./request-guards.ts";

const METRICS_HEADERS = {
  "content-type": "text/plain; version=0.0.4; charset=utf-8",
  "cache-control": "no-store",
};

const HELP = {
  pawl_up: "Whether the project could be read.",
  pawl_tasks: "Tasks by their state.",
  pawl_tasks_queued: "Tasks that a free worker could take now.",
  pawl_workers: "Workers on all machines, by their state.",
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

/** Serves the metrics of a program without a board: a worker. */
export function serveMetrics(
  project: ProjectSource,
  { host, port }: Pick<HttpAddress, "host" | "port">,
  metricsToken: BoardOptions["metricsToken"],
): Promise<BoardServer> {
  const app = new Hono();
  addFigures(app, boardProjects([project]), admitFigures(metricsToken));
  return listenHttp(
    { host, port, tls: null },
    (...args) => app.fetch(...args),
    () => true,
  );
}

/** `/healthz` is open to all; `admits` guards `/metrics`. */
export function addFigures(
  app: Hono,
  projects: ReadonlyMap<string, BoardProject>,
  admits: MiddlewareHandler,
): void {
  const figures = openMetrics();
  app.get("/healthz", (context) => context.text("ok\n"));
  app.get("/metrics", admits, async (context) =>
    context.text(await figures(projects.values()), 200, METRICS_HEADERS),
  );
}

function openMetrics(): (projects: Iterable<BoardProject>) => Promise<string> {
  const digests = new Map<string, Promise<Digest<Figures>>>();
  return async (projects) => {
    const samples: Samples = new Map();
    for (const each of projects) {
      const labels = { project: basename(each.root), key: each.key };
      try {
        const figures =
          digests.get(each.key) ?? each.project().then(({ workflows }) => openFigures(workflows));
        digests.set(each.key, figures);
        count(samples, labels, await (await figures).of(await each.log()));
        await countTasks(samples, labels, await each.project());
        add(samples, "pawl_up", labels, 1);
      } catch {
        digests.delete(each.key);
        add(samples, "pawl_up", labels, 0);
      }
    }
    return renderSamples(samples);
  };
}

function count(samples: Samples, labels: Labels, { costs, waits }: Figures): void {
  for (const { accepted, agent, cause, minutes, tokens, usd } of costs.rows()) {
    const runLabels = { ...labels, agent, cause };
    add(samples, "pawl_agent_runs_total", runLabels, 1);
    add(samples, "pawl_agent_seconds_total", runLabels, minutes * 60);
    if (usd !== null) add(samples, "pawl_agent_cost_usd_total", runLabels, usd);
    if (tokens !== null) add(samples, "pawl_agent_tokens_total", runLabels, tokens);
    if (accepted) add(samples, "pawl_steps_accepted_total", { ...labels, agent }, 1);
  }
  for (const wait of waits) {
    const gateLabels = { ...labels, gate: wait.gate };
    add(samples, "pawl_gate_waits_total", gateLabels, 1);
    add(samples, "pawl_gate_wait_seconds_total", gateLabels, minutesOf(wait) * 60);
  }
}

/** Counts the queued tasks and the workers, for an autoscaler. */
async function countTasks(samples: Samples, labels: Labels, { runtime, workflows }: Project): Promise<void> {
  const view = runtime.store.view();
  const context = overviewContext(runtime, view);
  for (const { board } of await loadWorkflows(workflows)) {
    const tasks = await (await board?.())?.load(view, context);
    for (const { state } of tasks?.tasks ?? []) add(samples, "pawl_tasks", { ...labels, state }, 1);
    if (tasks) add(samples, "pawl_tasks_queued", labels, tasks.queued);
  }
  for (const { state } of (await runtime.outside.workers?.list()) ?? [])
    add(samples, "pawl_workers", { ...labels, state }, 1);
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
      const ofName = [...samples].filter(([, sample]) => sample.name === name);
      const type = name.endsWith("_total") ? "counter" : "gauge";
      if (ofName.length === 0) return [];
      return [
        `# HELP ${name} ${HELP[name]}`,
        `# TYPE ${name} ${type}`,
        ...ofName.map(([key, { value }]) => `${key} ${value}`),
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
