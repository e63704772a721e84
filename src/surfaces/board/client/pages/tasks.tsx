/**
 * The loop's tasks: by state, and as a graph of dependencies; with answers to questions, and messages to
 * agents.
 */
import { useEffect, useState } from "preact/hooks";
import type { Done, Refused, TaskCard, Tasks, WordsOrder } from "../../wire.ts";
import { announce } from "../announce.ts";
import { post, projectPath, refusedOf, session } from "../api.ts";
import { Picture } from "../graph/picture.tsx";
import { useKeys } from "../keys.ts";
import { Ago, renderCount, renderUsd } from "../moment.tsx";
import { Badge, Empty, Heading, Loaded, Problem, type Tone } from "../notice.tsx";
import { useResource } from "../resource.ts";
import { linkTo, type PageProps, route } from "../route.ts";
import { OneLine, oneLine, Words } from "../words.tsx";

type Card = Tasks["tasks"][number];

const COLUMNS: readonly { readonly name: TaskCard["column"]; readonly title: string; readonly tone: Tone }[] =
  [
    { name: "waiting", title: "Waits for you", tone: "accent" },
    { name: "blocked", title: "Blocked", tone: "bad" },
    { name: "working", title: "Working", tone: "good" },
    { name: "open", title: "Open", tone: "plain" },
    { name: "done", title: "Done", tone: "plain" },
  ];

export function TasksPage({ project }: PageProps) {
  const tasks = useResource<Tasks>(projectPath(project, "tasks"), (event) => event.project === project);
  const [isGraph, setGraph] = useState(false);
  useKeys("Tasks", [
    { keys: "v", words: "Columns, or the graph of what waits for what", run: () => setGraph(!isGraph) },
  ]);
  const total = tasks.data?.tasks.length ?? 0;
  return (
    <>
      <Heading title="Tasks">
        {total > 0 && (
          <fieldset class="switch">
            <legend class="unseen">How tasks are shown</legend>
            <button type="button" aria-pressed={!isGraph} onClick={() => setGraph(false)}>
              Columns
            </button>
            <button type="button" aria-pressed={isGraph} onClick={() => setGraph(true)}>
              Graph
            </button>
          </fieldset>
        )}
      </Heading>
      <Loaded from={tasks}>
        {(data) => (
          <>
            {data.problem && <Problem refused={data.problem} />}
            <Overlaps overlaps={data.overlaps} />
            {data.tasks.length === 0 && data.problem === null && (
              <Empty title="There is no task yet." command="pawl run">
                Write them into tasks.yaml, each with an id and a title. Then the loop works through them:
              </Empty>
            )}
            {data.tasks.length > 0 &&
              (isGraph ? <Dependencies tasks={data.tasks} /> : <Columns data={data} project={project} />)}
          </>
        )}
      </Loaded>
    </>
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

const FIRST = 30;

function Columns({ data, project }: { readonly data: Tasks; readonly project: string }) {
  return (
    <div class="columns">
      {COLUMNS.map(({ name, title, tone }) => {
        const tasks = data.tasks.filter(({ column }) => column === name);
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
  const [most, setMost] = useState(FIRST);
  if (tasks.length === 0) return <p class="quiet small nothing">None</p>;
  return (
    <>
      <ul class="cards">
        {tasks.slice(0, most).map((task) => (
          <OneCard key={task.id} task={task} project={project} />
        ))}
      </ul>
      {tasks.length > most && (
        <button type="button" class="link more" onClick={() => setMost(most + 200)}>
          Show more ({tasks.length - most})
        </button>
      )}
    </>
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
        <OneLine text={task.title || task.id} max={140} />
      </h3>
      <p class="small quiet about">
        <span class="mono">
          <OneLine text={task.id} max={60} />
        </span>
        <span>
          <OneLine text={task.state} max={60} />
        </span>
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
      {task.column === "waiting" && task.questions.length === 0 && (
        <a class="button" href={linkTo("review", project, task.run)}>
          Review<span class="unseen"> {oneLine(task.title || task.id, 80)}</span>
        </a>
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
      {task.questions.map(({ id: question, text }) => (
        <Speak key={question} kind="answer" project={project} about={question} asked={text} words="Answer" />
      ))}
      {task.column === "working" && !session.value?.readOnly && <Working project={project} task={task} />}
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
      {task.agent !== null && (
        <span class="quiet">
          <OneLine text={task.agent} max={40} />
        </span>
      )}
    </div>
  );
}

function Working({ project, task }: { readonly project: string; readonly task: Card }) {
  const [isSpeaking, setSpeaking] = useState(false);
  const [problem, setProblem] = useState<Refused | null>(null);
  const [isSure, setSure] = useState(false);
  const stop = async () => {
    if (!isSure) {
      setSure(true);
      return;
    }
    try {
      announce((await post<Done>(projectPath(project, "stop", task.id), { words: "" })).words);
      setProblem(null);
    } catch (failure) {
      setProblem(refusedOf(failure));
    }
    setSure(false);
  };
  return (
    <>
      <div class="buttons small">
        <button
          type="button"
          class="plain"
          aria-expanded={isSpeaking}
          onClick={() => setSpeaking(!isSpeaking)}
        >
          Interject<span class="unseen"> in {task.id}</span>
        </button>
        <button type="button" class="plain danger" onBlur={() => setSure(false)} onClick={() => void stop()}>
          {isSure ? "Really stop it?" : "Stop"}
          <span class="unseen"> {task.id}</span>
        </button>
      </div>
      {isSpeaking && <Speak kind="interject" project={project} about={task.id} asked={null} words="Send" />}
      {problem && <Problem refused={problem} />}
    </>
  );
}

/** A form for a short message to an agent. */
function Speak({
  about,
  asked,
  kind,
  project,
  words,
}: {
  readonly kind: "answer" | "interject";
  readonly project: string;
  /** The question to answer, or the task to send a message to. */
  readonly about: string;
  readonly asked: string | null;
  readonly words: string;
}) {
  const [text, setText] = useState("");
  const [said, setSaid] = useState<string | null>(null);
  const [problem, setProblem] = useState<Refused | null>(null);
  const send = async () => {
    if (text.trim() === "") return;
    try {
      const order: WordsOrder = { words: text.trim() };
      const done = await post<Done>(projectPath(project, kind, about), order);
      setSaid(done.words);
      setProblem(null);
      setText("");
      announce(done.words);
    } catch (failure) {
      setProblem(refusedOf(failure));
    }
  };
  return (
    <form
      class="speak"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {asked !== null && (
        <blockquote class="said">
          <Words text={asked} max={1_200} />
        </blockquote>
      )}
      {said !== null && <p class="small good-words">{oneLine(said, 300)}</p>}
      {!session.value?.readOnly && (
        <div class="speak-row">
          <label>
            <span class="unseen">
              {kind === "answer"
                ? `Your answer to ${oneLine(asked ?? about, 80)}`
                : `Words for the agent of ${about}`}
            </span>
            <textarea
              rows={2}
              maxLength={20_000}
              placeholder={kind === "answer" ? "Your answer" : "The agent reads this before its next step"}
              value={text}
              onInput={({ currentTarget }) => setText(currentTarget.value)}
              onKeyDown={(pressed) => {
                if (pressed.key === "Enter" && (pressed.ctrlKey || pressed.metaKey)) void send();
              }}
            />
          </label>
          <button type="submit" class="primary" disabled={text.trim() === ""}>
            {words}
          </button>
        </div>
      )}
      {problem && <Problem refused={problem} />}
    </form>
  );
}

const MOST_IN_A_PICTURE = 150;

function Dependencies({ tasks }: { readonly tasks: readonly Card[] }) {
  const linked = new Set(
    tasks.flatMap(({ dependsOn, id }) => (dependsOn.length > 0 ? [id, ...dependsOn] : [])),
  );
  const undone = tasks.filter(({ column, id }) => linked.has(id) || column !== "done");
  const shown = undone.slice(0, MOST_IN_A_PICTURE);
  return (
    <>
      {undone.length > shown.length && (
        <p class="quiet small">
          The first {shown.length} of {undone.length} tasks.
        </p>
      )}
      <Picture
        name="What waits for what"
        direction="LR"
        nodes={shown.map(({ column, id, title }) => ({
          id,
          label: id,
          kind: column,
          title: oneLine(title, 200),
        }))}
        edges={shown.flatMap(({ dependsOn, id }) => dependsOn.map((from) => ({ from, to: id, label: "" })))}
      />
    </>
  );
}
