/**
 * The loop's tasks: by state, and as a graph of dependencies; with answers to questions, and messages to
 * agents.
 */
import { useEffect, useState } from "preact/hooks";
import { stateWords } from "../../../../runtime/reports/state-words.ts";
import type { TaskCard, Tasks } from "../../wire.ts";
import { projectPath } from "../api.ts";
import { Dependencies } from "../graph/dependencies.tsx";
import { useKeys } from "../keys.ts";
import { FirstOf, Search, Switch, searchKey } from "../lists.tsx";
import { Ago, renderCount, renderUsd } from "../moment.tsx";
import { Badge, Empty, Heading, Loaded, Problem, type Tone } from "../notice.tsx";
import { useResource } from "../resource.ts";
import { linkTo, type PageProps, route } from "../route.ts";
import { TaskActs } from "../task-acts.tsx";
import { OneLine, oneLine, Words } from "../words.tsx";

type Card = Tasks["tasks"][number];

const COLUMNS: readonly { readonly name: TaskCard["column"]; readonly title: string; readonly tone: Tone }[] =
  [
    { name: "waiting", title: "Waiting", tone: "accent" },
    { name: "blocked", title: "Blocked", tone: "bad" },
    { name: "working", title: "Working", tone: "good" },
    { name: "open", title: "Not begun", tone: "plain" },
    { name: "done", title: "Done", tone: "plain" },
  ];

export function TasksPage({ project }: PageProps) {
  const tasks = useResource<Tasks>(projectPath(project, "tasks"), (event) => event.project === project);
  const [isGraph, setGraph] = useState(false);
  const [query, setQuery] = useState("");
  useKeys("Tasks", [
    { keys: "v", words: "Columns, or the graph of what waits for what", run: () => setGraph(!isGraph) },
    searchKey("Find a task"),
  ]);
  const words = query.toLowerCase();
  const isFound = ({ id, state, title }: Card) => `${id} ${title} ${state}`.toLowerCase().includes(words);
  const total = tasks.data?.tasks.length ?? 0;
  return (
    <>
      <Heading title="Tasks">
        {total > 0 && (
          <>
            <Search label="Find a task" value={query} change={setQuery} />
            <Switch
              name="How tasks are shown"
              options={[
                [false, "Columns"],
                [true, "Graph"],
              ]}
              value={isGraph}
              choose={setGraph}
            />
          </>
        )}
      </Heading>
      <Loaded from={tasks}>
        {(data) => (
          <>
            {data.problem && <Problem refused={data.problem} />}
            <Accounts accounts={data.accounts} />
            <Overlaps overlaps={data.overlaps} />
            {data.tasks.length === 0 && data.problem === null && (
              <Empty title="There is no task yet." command="pawl run">
                Write them into tasks.yaml, each with an id and a title. Then the loop works through them:
              </Empty>
            )}
            {data.tasks.length > 0 &&
              (isGraph ? (
                <Dependencies tasks={data.tasks} project={project} isFound={words === "" ? null : isFound} />
              ) : (
                <Columns tasks={data.tasks.filter(isFound)} project={project} />
              ))}
          </>
        )}
      </Loaded>
    </>
  );
}

function Accounts({ accounts }: Pick<Tasks, "accounts">) {
  const words = [...new Set(accounts.map((account) => account.words))];
  if (words.length === 0) return null;
  return (
    <p class="quiet">
      <OneLine text={`Agents: ${words.join("; ")}.`} max={600} />
    </p>
  );
}

function Overlaps({ overlaps }: Pick<Tasks, "overlaps">) {
  if (overlaps.length === 0) return null;
  return (
    <details class="overlaps">
      <summary>
        <Badge tone="warn">{renderCount(overlaps.length, "overlap")}</Badge> Open tasks whose plans name the
        same files: they may conflict when they are merged.
      </summary>
      <ul>
        {overlaps.map(({ files, tasks: [one, other] }) => (
          <li key={`${one} ${other}`}>
            <span class="mono">
              {oneLine(one, 60)} and {oneLine(other, 60)}
            </span>
            : <OneLine text={files.join(", ")} max={300} />
          </li>
        ))}
      </ul>
    </details>
  );
}

function Columns({ project, tasks: all }: { readonly tasks: readonly Card[]; readonly project: string }) {
  return (
    <div class="columns">
      {COLUMNS.map(({ name, title, tone }) => {
        const tasks = all.filter(({ column }) => column === name);
        if (tasks.length === 0 && (name === "blocked" || name === "waiting")) return null;
        return (
          <section key={name} class={`column ${name}`} aria-label={title}>
            <h2>
              {title} <span class={`count ${tone}`}>{tasks.length}</span>
            </h2>
            <Cards tasks={tasks} project={project} />
          </section>
        );
      })}
    </div>
  );
}

function Cards({ project, tasks }: { readonly tasks: readonly Card[]; readonly project: string }) {
  if (tasks.length === 0) return <p class="quiet small nothing">None</p>;
  return (
    <FirstOf all={tasks} first={30} more={200}>
      {(shown) => (
        <ul class="cards">
          {shown.map((task) => (
            <OneCard key={task.id} task={task} project={project} />
          ))}
        </ul>
      )}
    </FirstOf>
  );
}

function OneCard({ project, task }: { readonly task: Card; readonly project: string }) {
  const sought = route.value.query.get("task");
  const isSought = sought === task.id || sought === task.run;
  const id = `task-${task.id}`;
  useEffect(() => {
    if (isSought) document.getElementById(id)?.focus();
  }, [isSought, id]);
  return (
    <li class={isSought ? "card sought" : "card"} id={id} tabIndex={-1}>
      <h3>
        <a href={linkTo("run", project, task.run)}>
          <OneLine text={task.title || task.id} max={140} />
        </a>
      </h3>
      <p class="small quiet about">
        <OneLine class="mono" text={task.id} max={60} />
        <OneLine text={stateWords(task.state)} max={60} />
        <Ago time={task.since} />
        {task.usd !== null && <span>{renderUsd(task.usd)}</span>}
      </p>
      {task.dependsOn.length > 0 && task.column !== "done" && (
        <p class="small quiet">
          after <OneLine text={task.dependsOn.join(", ")} max={160} />
        </p>
      )}
      {task.reason !== null && task.questions.length === 0 && (
        <div class="small reason">
          <Words text={task.reason} max={400} />
        </div>
      )}
      {task.step && <Step task={task} step={task.step} />}
      {task.tail.length > 0 && (
        <Words
          text={task.tail.slice(-4).join("\n").slice(-2_000)}
          isCode
          max={1_200}
          fromEnd
          label="Its agent's last words"
        />
      )}
      <TaskActs project={project} task={task} />
    </li>
  );
}

function Step({ step, task }: { readonly task: Card; readonly step: NonNullable<Card["step"]> }) {
  return (
    <div class="step small">
      <progress
        max={Math.max(step.of, 1)}
        value={Math.min(step.index, step.of)}
        aria-label={`Step ${step.index} of ${step.of}`}
      />
      <span>
        {step.index}/{step.of} <OneLine text={step.title} max={80} />
      </span>
      {task.agent !== null && <OneLine class="quiet" text={task.agent} max={40} />}
    </div>
  );
}
