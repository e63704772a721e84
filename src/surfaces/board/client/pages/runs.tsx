/** All runs of a project, by workflow. */
import { useState } from "preact/hooks";
import { PHASES, stateWords } from "../../../../runtime/reports/state-words.ts";
import type { RunEntry, Runs } from "../../wire.ts";
import { projectPath } from "../api.ts";
import { useKeys } from "../keys.ts";
import { FirstOf, itemKeys, Search, searchKey } from "../lists.tsx";
import { Ago } from "../moment.tsx";
import { Badge, Empty, Heading, Loaded, Problem, type Tone } from "../notice.tsx";
import { Part } from "../part.tsx";
import { useResource } from "../resource.ts";
import { linkTo, type PageProps } from "../route.ts";
import { OneLine, oneLine } from "../words.tsx";

export function RunsPage({ project }: PageProps) {
  const runs = useResource<Runs>(projectPath(project, "runs"), (event) => event.project === project);
  const [query, setQuery] = useState("");
  useKeys("Runs", [...itemKeys("run"), searchKey("Search")]);
  return (
    <>
      <Heading title="Runs">
        <Search label="Search in runs" hint="Search" value={query} change={setQuery} />
      </Heading>
      <Loaded from={runs}>
        {(data) => <Workflows data={data} query={query.trim().toLowerCase()} project={project} />}
      </Loaded>
    </>
  );
}

function Workflows({
  data,
  project,
  query,
}: {
  readonly data: Runs;
  readonly project: string;
  readonly query: string;
}) {
  const found = data.workflows.map((workflow) => ({
    ...workflow,
    runs: workflow.runs.filter(({ run, state, title }) =>
      `${run} ${title} ${stateWords(state)}`.toLowerCase().includes(query),
    ),
  }));
  const shown = found.filter(({ problem, runs }) => problem !== null || runs.length > 0);
  if (shown.length === 0)
    return query === "" ? (
      <Empty title="No run has begun." command="pawl">
        Your assistant can begin one with Alfred or Spells, and the loop with tasks.yaml. This says how:
      </Empty>
    ) : (
      <Empty title="No run matches." />
    );
  return shown.map(({ name, problem, runs, title }) => (
    <Part key={name} title={oneLine(title, 60)} side={<span class="count">{runs.length}</span>}>
      {problem && <Problem refused={problem} />}
      {runs.length > 0 && <List runs={runs} project={project} title={title} />}
    </Part>
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
  return (
    <FirstOf all={runs} first={100} more={500}>
      {(shown) => (
        <ul class="runs" aria-label={title}>
          {shown.map((entry) => (
            <li key={entry.run} class="run-row">
              <span class="run-names">
                <a href={linkTo("run", project, entry.run)} data-item>
                  <OneLine text={entry.title || entry.run} max={160} />
                </a>
                <OneLine class="mono small quiet" text={entry.run} max={80} />
              </span>
              <span class="run-state">
                <Awaits entry={entry} />
                <OneLine class="small quiet" text={entry.problem?.message ?? entry.next} max={160} />
              </span>
              <span class="small quiet run-since">
                <Ago time={entry.since} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </FirstOf>
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
