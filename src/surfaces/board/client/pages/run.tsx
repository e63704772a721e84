/**
 * One run or task: what happened, with what failed first, what a person can do, its work, its history, and last its
 * state in its table.
 */
import { orderDeeds } from "../../../../runtime/board.ts";
import type { Move, RunPage as RunAnswer, TimelineEntry, WorkPage } from "../../wire.ts";
import { projectPath, session } from "../api.ts";
import { MachinePicture } from "../graph/machine.tsx";
import { useKeys } from "../keys.ts";
import { Ago, Clock, renderDuration, renderUsd } from "../moment.tsx";
import { Badge, Empty, Heading, Key, Loaded, Problem } from "../notice.tsx";
import { Part } from "../part.tsx";
import { useResource } from "../resource.ts";
import { Changes } from "../review/changes.tsx";
import { Checks, Cost } from "../review/checks.tsx";
import { draftOf } from "../review/draft.ts";
import { History } from "../review/history.tsx";
import { goTo, linkTo, type PageProps } from "../route.ts";
import { Deeds, TaskActs } from "../task-acts.tsx";
import { OneLine, oneLine, Words } from "../words.tsx";
import { Awaits } from "./runs.tsx";

export function RunPage({ project, run }: PageProps) {
  const page = useResource<RunAnswer>(
    projectPath(project, "run", run),
    (event) => event.project === project && event.run === run,
  );
  const entry = page.data?.entry;
  // Neither on a board that only shows, nor on a device.
  const mayEdit = !session.value?.readOnly && !session.value?.device;
  const waits = entry?.isGate === true;
  useKeys(
    "Run",
    waits ? [{ keys: "v", words: "Review it", run: () => goTo(linkTo("review", project, run)) }] : [],
  );
  return (
    <>
      <Heading title={oneLine(entry?.title || run, 160)}>
        {entry && <Awaits entry={entry} />}
        {page.data?.task && mayEdit && (
          <a class="button" href={linkTo("edit", project, run)}>
            Edit
          </a>
        )}
        {waits && (
          <a class="button primary" href={linkTo("review", project, run)}>
            Review
            <Key keys="v" />
          </a>
        )}
      </Heading>
      <Loaded from={page}>{(data) => <Content data={data} project={project} />}</Loaded>
    </>
  );
}

function Content({ data, project }: { readonly data: RunAnswer; readonly project: string }) {
  const { entry, machine, story, task, timeline } = data;
  // The part with the buttons shows it already.
  const isShownBelow = entry.order !== undefined || task?.reason?.includes(entry.next) === true;
  return (
    <>
      <p class="quiet small about">
        <OneLine class="mono" text={entry.run} max={120} />
        {!isShownBelow && <OneLine text={entry.next} max={240} />}
        <span>
          <Ago time={entry.since} />
        </span>
      </p>
      {entry.problem && <Problem refused={entry.problem} />}
      {task && <Stuck task={task} project={project} />}
      {entry.order && (
        <section class="part stuck" aria-label="What one can do">
          <div class="reason">
            <Words text={entry.order.words} max={1_500} />
          </div>
          <Deeds project={project} about={entry.run} deeds={orderDeeds(entry.order)} />
        </section>
      )}
      <Work failed={task?.failed?.command ?? null} project={project} run={entry.run} />
      <Part title="What happened">
        <Timeline entries={timeline} />
        {story.trim() !== "" && (
          <details class="artifact">
            <summary>The whole history, as text</summary>
            <Words text={story} isCode max={20_000} label="The whole history" />
          </details>
        )}
      </Part>
      {(machine !== null || entry.problem === null) && <StateAndMoves data={data} />}
    </>
  );
}

/** Why it is stuck, the failing output first, and what a person can do about it. */
function Stuck({
  project,
  task,
}: {
  readonly project: string;
  readonly task: NonNullable<RunAnswer["task"]>;
}) {
  const { failed, reason, tail } = task;
  return (
    <section class="part stuck" aria-label="What one can do">
      {failed && (
        <>
          <p>
            <Badge tone="bad">{failed.exit === null ? "Failed" : `Failed, exit ${failed.exit}`}</Badge>{" "}
            <code>{oneLine(failed.command, 200)}</code>
          </p>
          {failed.tail !== "" && (
            <Words text={failed.tail} isCode fromEnd max={8_000} label="The end of what it printed" />
          )}
        </>
      )}
      {reason !== null && (
        <div class="reason">
          <Words text={reason} max={1_500} />
        </div>
      )}
      {tail.length > 0 && (
        <Words
          text={tail.join("\n").slice(-8_000)}
          isCode
          fromEnd
          max={4_000}
          label="Its agent's last words"
        />
      )}
      <TaskActs project={project} task={task} />
    </section>
  );
}

/** Its checks, changes and costs, as a review shows them. `failed`: the command that is shown above. */
function Work({ failed, project, run }: PageProps & { readonly failed: string | null }) {
  const page = useResource<WorkPage>(
    projectPath(project, "work", run),
    (event) => event.project === project && event.run === run,
  );
  const review = page.data?.review ?? null;
  if (page.data === null && page.problem === null) return <p class="quiet">Looking at its work…</p>;
  if (review === null) return page.problem && <Problem refused={page.problem} />;
  const checks = review.checks.filter(({ command, state }) => state !== "failed" || command !== failed);
  return (
    <>
      <Checks checks={checks} />
      <Changes project={project} review={review} draft={draftOf(project, run)} takesPoints={false} />
      <Cost cost={review.cost} />
      <History rounds={review.history} />
    </>
  );
}

function StateAndMoves({ data: { at, machine, moves } }: { readonly data: RunAnswer }) {
  return (
    <div class="run-columns">
      <Part title="State">
        {machine ? (
          <MachinePicture machine={machine} at={at} />
        ) : (
          <Empty title="The run is over, or has not begun." />
        )}
      </Part>
      <Part title="What may happen next">
        <Moves moves={moves} />
      </Part>
    </div>
  );
}

function Moves({ moves }: { readonly moves: readonly Move[] }) {
  if (moves.length === 0) return <Empty title="Nothing: it is over." />;
  const allowed = moves.filter(({ refused }) => refused === null);
  const refused = moves.filter((move) => move.refused !== null);
  return (
    <>
      <ul class="moves">
        {allowed.map(({ by, description, event, leads }, at) => (
          <li key={at}>
            <OneLine class="mono" text={event} max={80} />
            {description !== "" && <OneLine text={description} max={240} />}
            <OneLine class="quiet small" text={by} max={120} />
            <Leads leads={leads} />
          </li>
        ))}
      </ul>
      {refused.length > 0 && (
        <details class="refused">
          <summary>Not now ({refused.length})</summary>
          <ul class="moves">
            {refused.map((move, at) => (
              <li key={at}>
                <OneLine class="mono" text={move.event} max={80} />
                <span class="quiet small">
                  <Words text={move.refused ?? ""} max={400} />
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

const FIRST_LEADS = 2;

function Leads({ leads }: Pick<Move, "leads">) {
  const rest = leads.slice(FIRST_LEADS);
  const item = (words: string) => (
    <li key={words}>
      <OneLine text={words} max={300} />
    </li>
  );
  return (
    <>
      <ul class="quiet small leads-to">{leads.slice(0, FIRST_LEADS).map(item)}</ul>
      {rest.length > 0 && (
        <details class="quiet small">
          <summary>{rest.length} more</summary>
          <ul class="leads-to">{rest.map(item)}</ul>
        </details>
      )}
    </>
  );
}

function Timeline({ entries }: { readonly entries: readonly TimelineEntry[] }) {
  if (entries.length === 0) return <Empty title="Nothing has happened yet." />;
  return (
    <ol class="timeline">
      {entries.toReversed().map((entry, at) => (
        <li key={at}>
          <span class="small quiet time">
            <Clock time={entry.time} />
          </span>
          <div>
            <Words text={entry.words} max={600} />
            <p class="small quiet about">
              {entry.by !== null && <OneLine text={entry.by} max={80} />}
              {entry.duration_ms !== null && <span>{renderDuration(entry.duration_ms)}</span>}
              {entry.usd !== null && <span>{renderUsd(entry.usd)}</span>}
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}
