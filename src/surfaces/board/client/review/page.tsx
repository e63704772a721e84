/** A review: first the question, then what a person needs to decide, and the verdict. */
import { useEffect, useState } from "preact/hooks";
import { restOfClaims } from "../../../../runtime/review/brief.ts";
import type { Review } from "../../../../runtime/review/model.ts";
import type { Done, Inbox, ReviewPage as ReviewAnswer } from "../../wire.ts";
import { announce } from "../announce.ts";
import { get, projectPath } from "../api.ts";
import { useKeys } from "../keys.ts";
import { Ago, renderMinutes } from "../moment.tsx";
import { Badge, Heading, Loaded } from "../notice.tsx";
import { useResource } from "../resource.ts";
import { goTo, hasPages, linkTo, type PageProps } from "../route.ts";
import { OneLine, oneLine, Words } from "../words.tsx";
import { Artifact, Choices, ClaimsTable } from "./asked.tsx";
import { Brief } from "./brief.tsx";
import { Changes } from "./changes.tsx";
import { Checks, Cost } from "./checks.tsx";
import { draftOf } from "./draft.ts";
import { History } from "./history.tsx";
import { NoVerdict, Receipt } from "./receipt.tsx";
import { focusVerdict, Verdict } from "./verdict.tsx";

export interface ReviewProps extends PageProps {
  /** Called after a verdict was given here and recorded. */
  readonly decided?: (done: Done, approved: boolean) => void;
}

export function ReviewPage({ decided, project, run }: ReviewProps) {
  const path = projectPath(project, "review", run);
  const answer = useResource<ReviewAnswer>(path, (event) => event.project === project && event.run === run);
  const [done, setDone] = useState<{
    readonly done: Done;
    readonly approved: boolean;
    readonly title: string;
  } | null>(null);
  const version = answer.data?.review?.version;
  useNewVersion(version);
  if (done) return <Receipt {...done} project={project} run={run} again={() => setDone(null)} />;
  return (
    <>
      {answer.data === null && <Heading title="Review" />}
      <Loaded from={answer}>
        {({ closed, review, strayed }) =>
          review === null ? (
            <NoVerdict project={project} run={run} draft={draftOf(project, run)} />
          ) : (
            <div class="review">
              <div class="review-main">
                <Content review={review} project={project} />
              </div>
              <Verdict
                project={project}
                review={review}
                strayed={strayed}
                closed={closed ?? null}
                draft={draftOf(project, run)}
                reload={answer.reload}
                finish={(result, approved) => {
                  setDone({ done: result, approved, title: review.title });
                  announce(result.words);
                  decided?.(result, approved);
                }}
              />
            </div>
          )
        }
      </Loaded>
    </>
  );
}

function Content({ project, review }: { readonly project: string; readonly review: Review }) {
  const draft = draftOf(project, review.run);
  useReviewKeys(project, review.run);
  return (
    <>
      <ReviewHeading review={review} project={project} />
      <ClaimsTable claims={restOfClaims(review)} />
      <Choices choices={review.choices} draft={draft} version={review.version} />
      <Checks checks={review.checks} />
      <Changes project={project} review={review} draft={draft} takesPoints />
      <Artifact {...review} />
      <Cost cost={review.cost} />
      <History rounds={review.history} />
    </>
  );
}

function ReviewHeading({ project, review }: { readonly project: string; readonly review: Review }) {
  return (
    <section class="asked" aria-label="What is asked">
      <Heading title={oneLine(review.title || review.run, 160)}>
        <Badge tone="accent">
          <OneLine text={review.subject} max={60} />
        </Badge>
        {review.round > 1 && <Badge tone="warn">Round {review.round}</Badge>}
      </Heading>
      <p class="quiet small about">
        {hasPages.value ? (
          <a class="mono" href={linkTo("run", project, review.run)}>
            <OneLine text={review.run} max={80} />
          </a>
        ) : (
          <OneLine class="mono" text={review.run} max={80} />
        )}
        {review.since && (
          <span>
            began to wait <Ago time={review.since} />
          </span>
        )}
        <span>about {renderMinutes(review.size.minutes)} to read</span>
      </p>
      <Brief brief={review.brief} />
      <p class="question">
        <OneLine text={review.question} max={600} />
      </p>
      <dl class="leads">
        <div class="lead approve">
          <dt>Approve</dt>
          <dd>
            <Words text={review.leads.approve} max={600} />
          </dd>
        </div>
        <div class="lead reject">
          <dt>Reject</dt>
          <dd>
            <Words text={review.leads.reject} max={600} />
          </dd>
        </div>
      </dl>
      {review.facts.length > 0 && (
        <ul class="facts">
          {review.facts.map((fact) => (
            <li key={fact}>
              <Words text={fact} max={600} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** `j` and `k` move between headings and files, which can all take the focus. */
function step(by: number): void {
  const stops = [...document.querySelectorAll<HTMLElement>("[data-stop]")];
  const active = document.activeElement;
  const index = stops.findIndex((stop) => stop === active || stop.parentElement?.contains(active));
  const below = stops.findIndex((stop) => stop.getBoundingClientRect().top > 80);
  const from =
    index >= 0 ? index : by > 0 ? (below < 0 ? stops.length : below) - 1 : below < 0 ? stops.length : below;
  const next = stops[Math.min(Math.max(from + by, 0), stops.length - 1)];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "start" });
}

function useReviewKeys(project: string, run: string): void {
  useKeys("Review", [
    { keys: "j", words: "The next part, or file", run: () => step(1) },
    { keys: "k", words: "The part, or file, before", run: () => step(-1) },
    { keys: "Enter", words: "Open or close the file that has the focus", run: null },
    { keys: "a", words: "To the verdict: approve", run: () => focusVerdict("approve") },
    { keys: "r", words: "To the verdict: reject", run: () => focusVerdict("reject") },
    ...(hasPages.value
      ? [
          { keys: "n", words: "The next thing in the inbox", run: () => void goToNext(project, run) },
          {
            keys: "i",
            words: "The run, with what may happen next",
            run: () => goTo(linkTo("run", project, run)),
          },
        ]
      : []),
  ]);
}

async function goToNext(project: string, run: string): Promise<void> {
  const { items } = await get<Inbox>("/api/inbox").catch(() => ({ items: [] }));
  const gates = items.filter(({ kind }) => kind === "gate");
  const at = gates.findIndex((item) => item.project === project && item.run === run);
  const next = gates[(at + 1) % Math.max(gates.length, 1)];
  goTo(next && gates.length > 1 ? linkTo("review", next.project, next.run) : "#/");
}

/** Announces that the judged work changed while it was being read. */
function useNewVersion(version: string | undefined): void {
  const [first, setFirst] = useState(version);
  useEffect(() => {
    if (version === undefined || version === first) return;
    if (first !== undefined) announce("What is judged has changed. The review shows the new version.");
    setFirst(version);
  }, [version, first]);
}
