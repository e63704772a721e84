/** Everything that waits for a person, in all projects. */
import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { KINDS, stateWords } from "../../../../runtime/reports/state-words.ts";
import type { Done, Inbox, InboxItem, VerdictOrder, VerdictQuestion } from "../../wire.ts";
import { announce } from "../announce.ts";
import { post, projectPath, session } from "../api.ts";
import { jsonOf, keep, kept } from "../keep.ts";
import { useKeys } from "../keys.ts";
import { itemAt, itemKeys, Search, searchKey } from "../lists.tsx";
import { Ago, renderCount, renderMinutes } from "../moment.tsx";
import { Badge, Command, Empty, Heading, Key, Loaded, type Tone } from "../notice.tsx";
import type { Resource } from "../resource.ts";
import { goTo, linkTo } from "../route.ts";
import { Speak } from "../task-acts.tsx";
import { OneLine, oneLine } from "../words.tsx";

export function InboxPage({ inbox }: { readonly inbox: Resource<Inbox> }) {
  const [query, setQuery] = useState("");
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [result, setResult] = useState("");
  const all = inbox.data?.items ?? [];
  const isCurrent = useCurrent(inbox);
  const { fresh, items, takeNew } = useSettled(all, isCurrent);
  const awake = items.filter((item) => !isSnoozed(item));
  const shown = byProject(awake.filter((item) => textOf(item).includes(query.toLowerCase())));
  const approve = async () => {
    const chosen = all.filter((item) => picked.has(keyOf(item)));
    setResult(`${await approveAll(chosen)} of ${chosen.length} approved; the others are to be read.`);
    setPicked(new Set());
    await inbox.reload();
  };
  const pick = (key: string) => {
    const next = new Set(picked);
    if (!next.delete(key)) next.add(key);
    setPicked(next);
  };
  useInboxKeys(shown, pick, () => void approve());
  const minutes = awake.reduce((sum, item) => sum + (item.minutes ?? 0), 0);
  const sleeping = items.length - awake.length;
  return (
    <>
      <Heading title="Inbox">
        {all.length > 0 && (
          <span class="quiet">
            {renderCount(awake.length, "thing")} to decide
            {minutes > 0 && `, about ${renderMinutes(minutes)} of reading`}
          </span>
        )}
      </Heading>
      {all.length > 1 && (
        <div class="buttons triage">
          <Search
            label="Filter the inbox"
            hint="Filter by project, kind or words"
            value={query}
            change={setQuery}
          />
          {fresh > 0 && (
            <button type="button" onClick={takeNew}>
              {fresh} new
            </button>
          )}
          {sleeping > 0 && (
            <button type="button" class="plain" onClick={wakeAll}>
              {sleeping} snoozed: show
            </button>
          )}
          {picked.size > 0 && (
            <button type="button" class="primary" onClick={() => void approve()}>
              Approve {picked.size} <Key keys="A" />
            </button>
          )}
          {result !== "" && <span role="status">{result}</span>}
        </div>
      )}
      <Loaded from={inbox}>
        {() =>
          all.length === 0 ? (
            <NothingWaits />
          ) : shown.length === 0 ? (
            <Empty title="Nothing matches." />
          ) : (
            <Items items={shown} picked={picked} pick={pick} />
          )
        }
      </Loaded>
      <BrokenProjects />
    </>
  );
}

function keyOf({ kind, project, question = "", run }: InboxItem): string {
  return JSON.stringify([project, run, kind, question]);
}

function nameOf(project: string): string {
  return session.value?.projects.find(({ key }) => key === project)?.name ?? project;
}

/** The project that has waited longest comes first. */
function byProject(items: readonly InboxItem[]): readonly InboxItem[] {
  return [...Map.groupBy(items, ({ project }) => project).values()].flat();
}

function textOf({ kind, next, project, run, state, title }: InboxItem): string {
  return `${KINDS[kind]} ${nameOf(project)} ${run} ${title} ${stateWords(state)} ${next}`.toLowerCase();
}

/** Approves those whose review is known, and agrees in everything; the server refuses any that has changed. */
async function approveAll(items: readonly InboxItem[]): Promise<number> {
  let count = 0;
  for (const { project, review, run } of items) {
    if (review === undefined || review.against.length > 0) continue;
    const order: VerdictOrder = { approve: true, notes: "", points: [], version: review.version };
    const done = await post<Done | VerdictQuestion>(projectPath(project, "verdict", run), order).catch(
      () => null,
    );
    if (done && !("asked" in done)) count++;
  }
  return count;
}

/** The time at which each snoozed item returns, in this browser. */
const snoozed = signal<Readonly<Record<string, number>>>(
  (jsonOf(kept("snoozed")) ?? {}) as Record<string, number>,
);
const SNOOZE_MS = 86_400_000;

function isSnoozed(item: InboxItem): boolean {
  return (snoozed.value[keyOf(item)] ?? 0) > Date.now();
}

function snooze(item: InboxItem): void {
  const lasting = Object.entries(snoozed.value).filter(([, until]) => until > Date.now());
  snoozed.value = { ...Object.fromEntries(lasting), [keyOf(item)]: Date.now() + SNOOZE_MS };
  keep("snoozed", JSON.stringify(snoozed.value));
}

function wakeAll(): void {
  snoozed.value = {};
  keep("snoozed", null);
}

/** Whether the data was loaded after the page opened; older data is replaced without asking. */
function useCurrent({ data, reload }: Resource<Inbox>): boolean {
  const [isOld, setOld] = useState(data !== null);
  useEffect(() => {
    if (isOld) void reload().finally(() => setOld(false));
  }, []);
  return data !== null && !isOld;
}

/** Keeps the order while the page is open: new items wait behind a button, unless there are no others. */
function useSettled(items: readonly InboxItem[], isLoaded: boolean) {
  const [order, setOrder] = useState<readonly string[] | null>(null);
  const keys = items.map(keyOf);
  const known = order?.some((key) => keys.includes(key)) ? order : keys;
  const isHeld = known === order;
  const places = new Map(known.map((key, at) => [key, at]));
  const shown = items.filter((item) => places.has(keyOf(item)));
  const fresh = items.length - shown.length;
  useEffect(() => {
    if (isLoaded && !isHeld) setOrder(keys);
    if (fresh > 0) announce(`${renderCount(fresh, "thing")} more to decide`);
  }, [isLoaded, isHeld, fresh]);
  return {
    fresh,
    items: shown.toSorted((one, other) => (places.get(keyOf(one)) ?? 0) - (places.get(keyOf(other)) ?? 0)),
    takeNew: () => setOrder(keys),
  };
}

function NothingWaits() {
  return (
    <Empty title="Nothing waits for you." command="pawl status">
      Gates, questions, blocked tasks and failed checks of all projects appear here. In the terminal:
    </Empty>
  );
}

/** The items to draw first, more than fit any window; the rest follow once these are painted. */
const FIRST = 40;

interface Picking {
  readonly picked: ReadonlySet<string>;
  readonly pick: (key: string) => void;
}

function Items({ items, ...picking }: Picking & { readonly items: readonly InboxItem[] }) {
  const isAll = useAfterPaint();
  const groups = Map.groupBy(isAll ? items : items.slice(0, FIRST), ({ project }) => project);
  return [...groups].map(([project, projectItems]) => (
    <section
      key={project}
      class="inbox-group"
      aria-label={`What waits for you in ${oneLine(nameOf(project), 60)}`}
    >
      {(session.value?.projects.length ?? 0) > 1 && (
        <h2>
          <OneLine text={nameOf(project)} max={60} />
          <span class="count">{items.filter((item) => item.project === project).length}</span>
        </h2>
      )}
      <ol class="inbox">
        {projectItems.map((item) => (
          <Item key={keyOf(item)} item={item} {...picking} />
        ))}
      </ol>
    </section>
  ));
}

function useAfterPaint(): boolean {
  const [isPainted, setPainted] = useState(false);
  useEffect(() => {
    // The timer runs after the frame is painted.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setPainted(true));
    });
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  }, []);
  return isPainted;
}

const TONES: Readonly<Record<InboxItem["kind"], Tone>> = {
  gate: "accent",
  question: "warn",
  blocked: "bad",
  failed: "bad",
  held: "warn",
  other: "plain",
};

function Item({ item, pick, picked }: Picking & { readonly item: InboxItem }) {
  const { question, review } = item;
  const key = keyOf(item);
  return (
    <li class={picked.has(key) ? "item picked" : "item"}>
      <span class="item-kind">
        {item.kind === "gate" && !session.value?.readOnly && !session.value?.device && (
          <input
            type="checkbox"
            aria-label={`Select ${oneLine(item.title || item.run, 120)}`}
            checked={picked.has(key)}
            onChange={() => pick(key)}
          />
        )}
        <Badge tone={TONES[item.kind] ?? "plain"}>{KINDS[item.kind] ?? item.kind}</Badge>
      </span>
      <div class="item-body">
        <a class="item-title" href={addressOf(item)} data-item>
          <OneLine text={item.title || item.run} max={200} />
        </a>
        <p class="item-next">
          <OneLine text={item.next} max={240} />
        </p>
        <p class="item-about small quiet">
          <OneLine class="mono" text={item.run} max={80} />
          <OneLine text={stateWords(item.state)} max={60} />
          <Command text={item.command} />
        </p>
        {review && review.against.length > 0 && (
          <p class="small warn-words">
            <OneLine text={review.against.join(" · ")} max={200} />
          </p>
        )}
        {question !== undefined && !session.value?.readOnly && (
          <details class="small answer">
            <summary>Answer here</summary>
            <Speak
              project={item.project}
              name="answer"
              about={question}
              asked={item.next}
              label="Your answer"
              send="Answer"
            />
          </details>
        )}
      </div>
      <p class="item-side small quiet">
        <Ago time={item.since} />
        {item.minutes !== null && <span>{renderMinutes(item.minutes)} to read</span>}
        {review && review.lines > 0 && <span>{renderCount(review.lines, "line")}</span>}
      </p>
    </li>
  );
}

/** The page for an item: a gate's review, or the page of the run. */
function addressOf({ kind, project, run }: InboxItem, verdict?: "approve" | "reject"): string {
  if (kind === "gate") return linkTo("review", project, run, verdict ? { verdict } : {});
  return linkTo("run", project, run);
}

function useInboxKeys(items: readonly InboxItem[], pick: (key: string) => void, approve: () => void): void {
  const withItem = (act: (item: InboxItem) => void) => () => {
    const item = items[Math.max(itemAt(), 0)];
    if (item) act(item);
  };
  useKeys("Inbox", [
    ...itemKeys("one"),
    { keys: "Enter", words: "Open it", run: null },
    {
      keys: "a",
      words: "Open it, ready to approve",
      run: withItem((item) => goTo(addressOf(item, "approve"))),
    },
    {
      keys: "r",
      words: "Open it, ready to reject",
      run: withItem((item) => goTo(addressOf(item, "reject"))),
    },
    { keys: " ", words: "Select it", run: withItem((item) => item.kind === "gate" && pick(keyOf(item))) },
    { keys: "A", words: "Approve the selected, where everything agrees", run: approve },
    { keys: "h", words: "Out of sight for a day", run: withItem(snooze) },
    searchKey("Filter"),
  ]);
}

function BrokenProjects() {
  const broken = (session.value?.projects ?? []).filter(({ problem }) => problem !== null);
  if (broken.length === 0) return null;
  return (
    <section class="broken" aria-label="Projects that cannot be read">
      {broken.map(({ key, name, problem }) => (
        <div class="problem" key={key}>
          <p>
            <strong>
              <OneLine text={name} max={60} />
            </strong>{" "}
            <OneLine text={problem?.message ?? ""} />
          </p>
          <p class="fix">
            <OneLine text={problem?.fix ?? ""} />
          </p>
        </div>
      ))}
    </section>
  );
}
