/** The board as it was at any moment: a slider over the log of events. */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Events, Happened, Replay } from "../../wire.ts";
import { projectPath } from "../api.ts";
import { useKeys } from "../keys.ts";
import { Clock } from "../moment.tsx";
import { Badge, Empty, Heading, Loaded } from "../notice.tsx";
import { useResource } from "../resource.ts";
import { linkTo, type PageProps } from "../route.ts";
import { OneLine } from "../words.tsx";

/** While it is dragged, the server is asked no more often. */
const SETTLE_MS = 80;
const PAGE = 60;

export function ReplayPage({ project }: PageProps) {
  const newest = useResource<Events>(
    `${projectPath(project, "events")}?limit=${PAGE}`,
    (event) => event.project === project,
  );
  const [at, setAt] = useState<number | null>(null);
  const end = newest.data?.end ?? 0;
  const asked = useSettled(at ?? end);
  const replay = useResource<Replay>(
    newest.data === null ? null : `${projectPath(project, "replay")}?at=${asked}`,
    () => false,
  );
  const around = useResource<Events>(
    newest.data === null ? null : `${projectPath(project, "events")}?limit=${PAGE}&before=${asked}`,
    () => false,
  );
  const last = useRef<Replay | null>(null);
  if (replay.data) last.current = replay.data;
  const shown = replay.data ?? last.current;
  const events = around.data?.events ?? [];
  const jump = (event: Happened | undefined) => event && setAt(event.offset);
  useKeys("Replay", [
    { keys: "k", words: "One event back", run: () => jump(events[1]) },
    { keys: "e", words: "To the end", run: () => setAt(null) },
  ]);
  return (
    <>
      <Heading title="Replay">
        {at === null ? <Badge tone="good">Now</Badge> : <Badge tone="accent">As it was</Badge>}
      </Heading>
      <Loaded from={newest}>
        {() =>
          end === 0 ? (
            <Empty title="Nothing has happened yet.">
              Each event of the project is kept, and can be looked at from here.
            </Empty>
          ) : (
            <>
              <Slider
                at={at ?? end}
                end={end}
                time={shown?.time ?? null}
                move={(next) => setAt(next >= end ? null : next)}
              />
              <div class="replay">
                <section class="part" aria-label="Runs at that moment">
                  <div class="part-head">
                    <h2>Runs at that moment</h2>
                    <span class="count">{shown?.runs.length ?? 0}</span>
                  </div>
                  <Stood replay={shown} project={project} />
                </section>
                <section class="part" aria-label="What had just happened">
                  <div class="part-head">
                    <h2>What had just happened</h2>
                  </div>
                  <JustHappened events={events} go={jump} />
                </section>
              </div>
            </>
          )
        }
      </Loaded>
    </>
  );
}

function Slider({
  at,
  end,
  move,
  time,
}: {
  readonly at: number;
  readonly end: number;
  readonly time: string | null;
  readonly move: (at: number) => void;
}) {
  const words = time === null ? "the beginning" : new Date(time).toLocaleString();
  return (
    <div class="slider">
      <label>
        <span class="unseen">Moment</span>
        <input
          type="range"
          min={0}
          max={end}
          step="any"
          value={at}
          aria-valuetext={words}
          onInput={({ currentTarget }) => move(Math.round(currentTarget.valueAsNumber))}
          onKeyDown={(pressed) => {
            const by = { ArrowLeft: -0.005, ArrowRight: 0.005, PageUp: -0.05, PageDown: 0.05 }[pressed.key];
            if (by === undefined) return;
            pressed.preventDefault();
            move(Math.min(Math.max(Math.round(at + by * end), 0), end));
          }}
        />
      </label>
      <p class="moment">{time === null ? "Before the first event" : <Clock time={time} />}</p>
    </div>
  );
}

function Stood({ project, replay }: { readonly replay: Replay | null; readonly project: string }) {
  const [most, setMost] = useState(100);
  if (replay === null || replay.runs.length === 0) return <Empty title="No run had begun." />;
  return (
    <>
      <ul class="runs">
        {replay.runs.slice(0, most).map(({ run, since, state }) => (
          <li key={run} class="run-row short">
            <a class="mono" href={linkTo("run", project, run)}>
              <OneLine text={run} max={80} />
            </a>
            <Badge>
              <OneLine text={state} max={40} />
            </Badge>
            <span class="small quiet run-since">
              <Clock time={since} />
            </span>
          </li>
        ))}
      </ul>
      {replay.runs.length > most && (
        <button type="button" class="link more" onClick={() => setMost(most + 500)}>
          Show more ({replay.runs.length - most})
        </button>
      )}
    </>
  );
}

function JustHappened({
  events,
  go,
}: {
  readonly events: readonly Happened[];
  readonly go: (event: Happened) => void;
}) {
  if (events.length === 0) return <Empty title="Nothing yet." />;
  return (
    <ol class="happened">
      {events.map((event) => (
        <li key={event.offset}>
          <button type="button" class="link" onClick={() => go(event)}>
            <Clock time={event.time} />
          </button>
          <span>
            <OneLine text={event.words} max={240} />{" "}
            <span class="mono small quiet">
              <OneLine text={event.run ?? event.type} max={80} />
            </span>
          </span>
        </li>
      ))}
    </ol>
  );
}

function useSettled(value: number): number {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
