/** One run: its state in its table, what may happen next and who may do it, and its history. */
import type { Move, RunPage as RunAnswer, TimelineEntry } from "../../wire.ts";
import { projectPath } from "../api.ts";
import { MachinePicture } from "../graph/machine.tsx";
import { useKeys } from "../keys.ts";
import { Ago, Clock, renderDuration, renderUsd } from "../moment.tsx";
import { Empty, Heading, Key, Loaded, Problem } from "../notice.tsx";
import { useResource } from "../resource.ts";
import { goTo, linkTo, type PageProps } from "../route.ts";
import { OneLine, oneLine, Words } from "../words.tsx";
import { Awaits } from "./runs.tsx";

export function RunPage({ project, run }: PageProps) {
  const page = useResource<RunAnswer>(
    projectPath(project, "run", run),
    (event) => event.project === project && event.run === run,
  );
  const entry = page.data?.entry;
  const waits = entry?.awaits === "human";
  useKeys(
    "Run",
    waits ? [{ keys: "v", words: "Review it", run: () => goTo(linkTo("review", project, run)) }] : [],
  );
  return (
    <>
      <Heading title={oneLine(entry?.title || run, 160)}>
        {entry && <Awaits entry={entry} />}
        {waits && (
          <a class="button primary" href={linkTo("review", project, run)}>
            Review
            <Key keys="v" />
          </a>
        )}
      </Heading>
      <Loaded from={page}>{(data) => <Content data={data} />}</Loaded>
    </>
  );
}

function Content({ data }: { readonly data: RunAnswer }) {
  const { entry, machine, story, timeline } = data;
  return (
    <>
      <p class="quiet small about">
        <span class="mono">
          <OneLine text={entry.run} max={120} />
        </span>
        <span>
          <OneLine text={entry.next} max={240} />
        </span>
        <span>
          <Ago time={entry.since} />
        </span>
      </p>
      {entry.problem && <Problem refused={entry.problem} />}
      {(machine !== null || entry.problem === null) && <Standing data={data} />}
      <section class="part" aria-label="What happened">
        <div class="part-head">
          <h2>What happened</h2>
        </div>
        <Timeline entries={timeline} />
        {story.trim() !== "" && (
          <details class="artifact">
            <summary>The whole history, as text</summary>
            <Words text={story} isCode max={20_000} label="The whole history" />
          </details>
        )}
      </section>
    </>
  );
}

function Standing({ data: { at, machine, moves } }: { readonly data: RunAnswer }) {
  return (
    <div class="run-columns">
      <section class="part" aria-label="State">
        <div class="part-head">
          <h2>State</h2>
        </div>
        {machine ? (
          <MachinePicture machine={machine} at={at} />
        ) : (
          <Empty title="No table has this state: the run is over, or has not begun." />
        )}
      </section>
      <section class="part" aria-label="What may happen next">
        <div class="part-head">
          <h2>What may happen next</h2>
        </div>
        <Moves moves={moves} />
      </section>
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
            <span class="mono">
              <OneLine text={event} max={80} />
            </span>
            {description !== "" && <OneLine text={description} max={240} />}
            <span class="quiet small">
              <OneLine text={by} max={120} />
            </span>
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
                <span class="mono">
                  <OneLine text={move.event} max={80} />
                </span>
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
              {entry.by !== null && (
                <span>
                  <OneLine text={entry.by} max={80} />
                </span>
              )}
              {entry.duration_ms !== null && <span>{renderDuration(entry.duration_ms)}</span>}
              {entry.usd !== null && <span>{renderUsd(entry.usd)}</span>}
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}
