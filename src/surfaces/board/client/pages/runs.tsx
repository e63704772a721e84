/** All runs of a project, by workflow. */
import { useState } from "preact/hooks";
import { PHASES, stateWords } from "../../../../runtime/reports/state-words.ts";
import type { RunEntry, Runs } from "../../wire.ts";
import { projectPath } from "../api.ts";
import { useKeys } from "../keys.ts";
import { Ago } from "../moment.tsx";
import { Badge, Empty, Heading, Loaded, Problem, type Tone } from "../notice.tsx";
import { useResource } from "../resource.ts";
import { linkTo, type PageProps } from "../route.ts";
import { OneLine } from "../words.tsx";

const FIRST = 100;

export function RunsPage({ project }: PageProps) {
  const runs = useResource<Runs>(projectPath(project, "runs"), (event) => event.project === project);
  const [sought, setSought] = useState("");
  const step = (by: number) => {
    const links = [...document.querySelectorAll<HTMLElement>("[data-item]")];
    const at = links.indexOf(document.activeElement as HTMLElement);
    links[Math.min(Math.max(at + by, 0), links.length - 1)]?.focus();
  };
  useKeys("Runs", [
    { keys: "j", words: "The next run", run: () => step(1) },
    { keys: "k", words: "The run before", run: () => step(-1) },
    {
      keys: "/",
      words: "Search",
      run: () => document.querySelector<HTMLElement>("input[type=search]")?.focus(),
    },
  ]);
  return (
    <>
      <Heading title="Runs">
        <label class="search">
          <span class="unseen">Search in runs</span>
          <input
            type="search"
            placeholder="Search"
            value={sought}
            onInput={({ currentTarget }) => setSought(currentTarget.value)}
          />
        </label>
      </Heading>
      <Loaded from={runs}>
        {(data) => <Workflows data={data} sought={sought.trim().toLowerCase()} project={project} />}
      </Loaded>
    </>
  );
}

function Workflows({
  data,
  project,
  sought,
}: {
  readonly data: Runs;
  readonly project: string;
  readonly sought: string;
}) {
  const found = data.workflows.map((workflow) => ({
    ...workflow,
    runs: workflow.runs.filter(({ run, state, title }) =>
      `${run} ${title} ${stateWords(state)}`.toLowerCase().includes(sought),
    ),
  }));
  const shown = found.filter(({ problem, runs }) => problem !== null || runs.length > 0);
  if (shown.length === 0)
    return sought === "" ? (
      <Empty title="No run has begun." command="pawl init">
        A run begins with the first step of a workflow; this sets one up:
      </Empty>
    ) : (
      <Empty title="No run matches." />
    );
  return shown.map(({ name, problem, runs, title }) => (
    <section key={name} class="part" aria-label={title}>
      <div class="part-head">
        <h2>
          <OneLine text={title} max={60} />
        </h2>
        <span class="count">{runs.length}</span>
      </div>
      {problem && <Problem refused={problem} />}
      {runs.length > 0 && <List runs={runs} project={project} title={title} />}
    </section>
  ));
}

function List({
  project,
  runs,
  title,
}: {
  readonly runs: readonly RunEntry[];
  readonly project: string;
  readonly title: string;
}) {
  const [most, setMost] = useState(FIRST);
  return (
    <>
      <ul class="runs" aria-label={title}>
        {runs.slice(0, most).map((entry) => (
          <li key={entry.run} class="run-row">
            <span class="run-names">
              <a href={linkTo("run", project, entry.run)} data-item>
                <OneLine text={entry.title || entry.run} max={160} />
              </a>
              <span class="mono small quiet">
                <OneLine text={entry.run} max={80} />
              </span>
            </span>
            <span class="run-state">
              <Awaits entry={entry} />
              <span class="small quiet">
                <OneLine text={entry.problem?.message ?? entry.next} max={160} />
              </span>
            </span>
            <span class="small quiet run-since">
              <Ago time={entry.since} />
            </span>
          </li>
        ))}
      </ul>
      {runs.length > most && (
        <button type="button" class="link more" onClick={() => setMost(most + 500)}>
          Show more ({runs.length - most})
        </button>
      )}
    </>
  );
}

const AWAITS: Readonly<Record<RunEntry["awaits"], Tone>> = {
  human: "accent",
  agent: "good",
  assistant: "good",
  nobody: "plain",
};

export function Awaits({ entry }: { readonly entry: RunEntry }) {
  return (
    <Badge tone={entry.problem ? "bad" : (AWAITS[entry.awaits] ?? "plain")}>
      <OneLine
        text={entry.problem ? "cannot be read" : entry.isBegun ? stateWords(entry.state) : PHASES.open}
        max={40}
      />
      {entry.awaits === "human" && stateWords(entry.state) !== PHASES.yours && <span> · {PHASES.yours}</span>}
    </Badge>
  );
}
