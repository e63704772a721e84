/** Everything that waits for a person, in all projects. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Inbox, InboxItem } from "../../wire.ts";
import { announce } from "../announce.ts";
import { session } from "../api.ts";
import { useKeys } from "../keys.ts";
import { Ago, renderCount, renderMinutes } from "../moment.tsx";
import { Badge, type Badged, Command, Empty, Heading, Loaded } from "../notice.tsx";
import type { Resource } from "../resource.ts";
import { goTo, linkTo } from "../route.ts";
import { OneLine } from "../words.tsx";

export function InboxPage({ inbox }: { readonly inbox: Resource<Inbox> }) {
  const items = inbox.data?.items ?? [];
  useArrivals(items, inbox.data !== null);
  useInboxKeys(items);
  const minutes = items.reduce((sum, item) => sum + (item.minutes ?? 0), 0);
  return (
    <>
      <Heading title="Inbox">
        {items.length > 0 && (
          <span class="quiet">
            {renderCount(items.length, "thing")} to decide
            {minutes > 0 && `, about ${renderMinutes(minutes)} of reading`}
          </span>
        )}
      </Heading>
      <Loaded from={inbox}>
        {(data) => (data.items.length === 0 ? <NothingWaits /> : <Items items={data.items} />)}
      </Loaded>
      <BrokenProjects />
    </>
  );
}

function NothingWaits() {
  return (
    <Empty title="Nothing waits for you." command="pawl status">
      Gates, questions, blocked tasks and failed checks of all projects appear here. In the terminal:
    </Empty>
  );
}

/** More than fit any window: drawn at once; the rest after these are painted. */
const FIRST = 40;

function Items({ items }: { readonly items: readonly InboxItem[] }) {
  const many = (session.value?.projects.length ?? 0) > 1;
  const isAll = useAfterPaint();
  return (
    <ol class="inbox" aria-label="What waits for you">
      {(isAll ? items : items.slice(0, FIRST)).map((item) => (
        <Item key={`${item.project} ${item.run} ${item.kind}`} item={item} showsProject={many} />
      ))}
    </ol>
  );
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

const KINDS: Readonly<Record<InboxItem["kind"], Badged>> = {
  gate: { words: "Review", tone: "accent" },
  question: { words: "Question", tone: "warn" },
  blocked: { words: "Blocked", tone: "bad" },
  failed: { words: "Failed", tone: "bad" },
  held: { words: "Held", tone: "warn" },
  other: { words: "Yours", tone: "plain" },
};

function Item({ item, showsProject }: { readonly item: InboxItem; readonly showsProject: boolean }) {
  const { tone, words } = KINDS[item.kind] ?? { tone: "plain", words: item.kind };
  const name = session.value?.projects.find(({ key }) => key === item.project)?.name ?? item.project;
  return (
    <li class="item">
      <Badge tone={tone}>{words}</Badge>
      <div class="item-body">
        <a class="item-title" href={addressOf(item)} data-item>
          <OneLine text={item.title || item.run} max={200} />
        </a>
        <p class="item-next">
          <OneLine text={item.next} max={240} />
        </p>
        <p class="item-about small quiet">
          {showsProject && (
            <span>
              <OneLine text={name} max={40} />
            </span>
          )}
          <span class="mono">
            <OneLine text={item.run} max={80} />
          </span>
          <span>
            <OneLine text={item.state} max={60} />
          </span>
          <Command text={item.command} />
        </p>
      </div>
      <p class="item-side small quiet">
        <Ago time={item.since} />
        {item.minutes !== null && <span>{renderMinutes(item.minutes)} to read</span>}
      </p>
    </li>
  );
}

/**
 * The page for an item: a gate's review, or the task or run where a question, block or failure can be
 * handled.
 */
function addressOf({ kind, project, run }: InboxItem, verdict?: "approve" | "reject"): string {
  if (kind === "gate") return linkTo("review", project, run, verdict ? { verdict } : {});
  return run.startsWith("bloom:") ? linkTo("tasks", project, "", { task: run }) : linkTo("run", project, run);
}

function links(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-item]")];
}

function useInboxKeys(items: readonly InboxItem[]): void {
  const at = () => links().indexOf(document.activeElement as HTMLElement);
  const step = (by: number) => {
    const all = links();
    const next = at() < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(Math.max(at() + by, 0), all.length - 1);
    all[next]?.focus();
    all[next]?.closest("li")?.scrollIntoView({ block: "nearest" });
  };
  const decide = (verdict: "approve" | "reject") => () => {
    const item = items[Math.max(at(), 0)];
    if (item) goTo(addressOf(item, verdict));
  };
  useKeys("Inbox", [
    { keys: "j", words: "The next one", run: () => step(1) },
    { keys: "k", words: "The one before", run: () => step(-1) },
    { keys: "Enter", words: "Open it", run: null },
    { keys: "a", words: "Open it, ready to approve", run: decide("approve") },
    { keys: "r", words: "Open it, ready to reject", run: decide("reject") },
  ]);
}

/** Announces what arrives while the page is open. */
function useArrivals(items: readonly InboxItem[], isLoaded: boolean): void {
  const known = useRef<ReadonlySet<string> | null>(null);
  const keys = useMemo(() => items.map((item) => `${item.project} ${item.run} ${item.since}`), [items]);
  useEffect(() => {
    if (!isLoaded) return;
    const before = known.current;
    known.current = new Set(keys);
    const arrived = before === null ? 0 : keys.filter((key) => !before.has(key)).length;
    if (arrived > 0) announce(`${renderCount(arrived, "thing")} more to decide`);
  }, [keys, isLoaded]);
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
