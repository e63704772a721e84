/** Shown after the verdict, or instead of a review that waits for none. */
import type { Done, Inbox, RunPage } from "../../wire.ts";
import { projectPath } from "../api.ts";
import { useKeys } from "../keys.ts";
import { Ago, Clock } from "../moment.tsx";
import { Badge, Heading, Key, TitledLines } from "../notice.tsx";
import { useResource } from "../resource.ts";
import { goTo, hasPages, linkTo, type PageProps } from "../route.ts";
import { OneLine, oneLine, Words } from "../words.tsx";
import { type Drafted, discard, isUnwritten } from "./draft.ts";

interface ReceiptProps extends PageProps {
  readonly again: () => void;
  readonly approved: boolean;
  readonly done: Done;
  readonly title: string;
}

export function Receipt({ again, approved, done, project, run, title }: ReceiptProps) {
  const { receipt } = done;
  return (
    <article class="receipt">
      <Heading title={approved ? "Approved" : "Rejected"}>
        <Badge tone={approved ? "good" : "bad"}>{oneLine(title, 80)}</Badge>
      </Heading>
      <Words text={done.words} max={1_000} />
      {receipt && (
        <TitledLines
          lines={[
            ["When", <Clock key="when" time={receipt.time} />],
            ["By", receipt.by],
            ["Channel", receipt.channel],
            ["Strength", receipt.worth],
            ...hashLine("Artifact", receipt.artifact),
            ...hashLine("Work", receipt.work),
          ]}
        />
      )}
      {hasPages.value && <Onward project={project} run={run} again={again} />}
    </article>
  );
}

function Onward({ again, project, run }: Pick<ReceiptProps, "again" | keyof PageProps>) {
  const inbox = useResource<Inbox>("/api/inbox", () => true);
  const next = inbox.data?.items.find(
    (item) => item.kind === "gate" && !(item.run === run && item.project === project),
  );
  const address = next ? linkTo("review", next.project, next.run) : "#/";
  useKeys("Receipt", [
    { keys: "n", words: next ? "The next review" : "The inbox", run: () => goTo(address) },
  ]);
  return (
    <p class="buttons">
      <a class="button primary" href={address}>
        {next ? (
          <>
            Next: <OneLine text={next.title || next.run} max={60} />
          </>
        ) : (
          "To the inbox"
        )}
        <Key keys="n" />
      </a>
      <a class="button" href={linkTo("run", project, run)} onClick={again}>
        The run
      </a>
    </p>
  );
}

function hashLine(title: string, hash: string | null) {
  return hash === null ? [] : [[title, <OneLine key={title} class="mono" text={hash} />] as const];
}

/** The run waits for no verdict: shows what happened instead, and the unsent draft. */
export function NoVerdict({ draft, project, run }: PageProps & Pick<Drafted, "draft">) {
  const path = hasPages.value ? projectPath(project, "run", run) : null;
  const page = useResource<RunPage>(path, (event) => event.run === run);
  const last = page.data?.timeline.slice(-3).toReversed() ?? [];
  return (
    <>
      <Heading title="No verdict is waiting" />
      <p>
        <span class="mono">
          <OneLine text={run} max={120} />
        </span>{" "}
        waits for no verdict: it was decided elsewhere, or has moved on.
      </p>
      {last.length > 0 && (
        <ul class="happened">
          {last.map((entry, at) => (
            <li key={at}>
              <Ago time={entry.time} /> <OneLine text={entry.words} max={200} />
              {entry.by !== null && <span class="quiet"> ({oneLine(entry.by, 60)})</span>}
            </li>
          ))}
        </ul>
      )}
      {!isUnwritten(draft.value) && <Unsent draft={draft} />}
      {hasPages.value && (
        <p class="buttons">
          <a class="button primary" href="#/">
            To the inbox
          </a>
          <a class="button" href={linkTo("run", project, run)}>
            The run
          </a>
        </p>
      )}
    </>
  );
}

function Unsent({ draft }: Pick<Drafted, "draft">) {
  const { notes, points } = draft.value;
  return (
    <section class="unsent" aria-label="What you wrote">
      <h2>What you wrote, and did not send</h2>
      <Words text={notes} />
      <ul class="round-points">
        {points.map((point) => (
          <li key={point.id}>
            {point.at !== "" && <span class="mono small quiet">{oneLine(point.at, 160)} </span>}
            <Words text={point.text} />
          </li>
        ))}
      </ul>
      <p class="quiet small">It is kept, and appears in the field again in this run's next round.</p>
      <button type="button" onClick={() => discard(draft)}>
        Discard it
      </button>
    </section>
  );
}
