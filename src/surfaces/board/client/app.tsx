/** The frame around every page: the menu, the present place, and whether the page is live. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Inbox, Refused } from "../wire.ts";
import { announced } from "./announce.ts";
import { openSession, refusedOf, session } from "./api.ts";
import { Help, openHelp } from "./help.tsx";
import icon from "./icon.svg";
import { useKeys } from "./keys.ts";
import { goLive, line } from "./live.ts";
import { Empty, Heading, Key, Problem, Skeleton } from "./notice.tsx";
import { InboxPage } from "./pages/inbox.tsx";
import { type Resource, useResource } from "./resource.ts";
import { goTo, isAboutRun, linkTo, type PageName, type PageProps, project, route } from "./route.ts";
import { THEMES, type Theme, theme } from "./theme.ts";
import { OneLine, oneLine } from "./words.tsx";

type Page = ComponentType<PageProps>;

/** Each page is loaded when it is first opened. */
const LATER: Readonly<Record<Exclude<PageName, "inbox">, () => Promise<Page>>> = {
  review: async () => (await import("./review/page.tsx")).ReviewPage,
  runs: async () => (await import("./pages/runs.tsx")).RunsPage,
  run: async () => (await import("./pages/run.tsx")).RunPage,
  edit: async () => (await import("./pages/edit.tsx")).EditPage,
  tasks: async () => (await import("./pages/tasks.tsx")).TasksPage,
  workflows: async () => (await import("./pages/workflows.tsx")).WorkflowsPage,
  cost: async () => (await import("./pages/cost.tsx")).CostPage,
};

const MENU: readonly { readonly page: PageName; readonly title: string; readonly keys: string }[] = [
  { page: "inbox", title: "Inbox", keys: "g i" },
  { page: "tasks", title: "Tasks", keys: "g t" },
  { page: "runs", title: "Runs", keys: "g r" },
  { page: "cost", title: "Cost", keys: "g c" },
  { page: "workflows", title: "Workflows", keys: "g w" },
];

export function App() {
  const [problem, setProblem] = useState<Refused | null>(null);
  const open = async () => {
    setProblem(null);
    await openSession().then(goLive, (failure) => setProblem(refusedOf(failure)));
  };
  useEffect(() => void open(), []);
  if (problem)
    return (
      <main class="alone">
        <h1>Pawl</h1>
        <Problem refused={problem} retry={open} />
      </main>
    );
  if (session.value === null)
    return (
      <main class="alone">
        <h1>Pawl</h1>
        <Skeleton />
      </main>
    );
  return <Frame />;
}

function Frame() {
  const inbox = useResource<Inbox>("/api/inbox", () => true);
  const waiting = inbox.data?.items.length ?? 0;
  const [isOpen, setOpen] = useState(false);
  useKeys("Everywhere", [
    ...MENU.map(({ keys, page, title }) => ({
      keys,
      words: title,
      run: () => goTo(linkTo(page, project.value)),
    })),
    { keys: "?", words: "Show the keys", run: openHelp },
  ]);
  const where = route.value;
  // Navigation closes the menu.
  useEffect(() => setOpen(false), [where]);
  return (
    <div class={isOpen ? "frame menu-open" : "frame"}>
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>("h1")?.focus()}>
        Skip to the page
      </button>
      <header class="side">
        <Brand isOpen={isOpen} toggle={() => setOpen(!isOpen)} waiting={waiting} />
        <div class="side-body" id="menu">
          <Projects />
          <Menu waiting={waiting} />
          <Foot />
        </div>
      </header>
      <main id="main">
        <ConnectionBanner />
        <Shown inbox={inbox} />
      </main>
      <div class="unseen" role="status" aria-live="polite">
        {announced.value}
      </div>
      <Help />
    </div>
  );
}

function Brand({
  isOpen,
  toggle,
  waiting,
}: {
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly waiting: number;
}) {
  return (
    <div class="brand">
      <a href="#/" class="brand-name">
        <img src={icon} alt="" width="20" height="20" />
        Pawl
      </a>
      <button type="button" class="menu-button" aria-expanded={isOpen} aria-controls="menu" onClick={toggle}>
        Menu
        {waiting > 0 && <span class="count">{waiting}</span>}
      </button>
    </div>
  );
}

function Projects() {
  const projects = session.value?.projects ?? [];
  if (projects.length < 2)
    return (
      <p class="project" title={projects[0]?.root}>
        <OneLine text={projects[0]?.name ?? "No project"} max={60} />
      </p>
    );
  return (
    <label class="project">
      <span class="unseen">Project</span>
      <select
        value={project.value}
        onChange={({ currentTarget }) => {
          const { page } = route.value;
          const isAbout = page === "inbox" || page === "nowhere" || isAboutRun(page);
          goTo(linkTo(isAbout ? "tasks" : page, currentTarget.value));
        }}
      >
        {projects.map(({ key, name, problem }) => (
          <option key={key} value={key}>
            {oneLine(name, 60)}
            {problem ? " (cannot be read)" : ""}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The menu entries to which a review and a run belong. */
const BELONGS: Partial<Record<string, PageName>> = { review: "inbox", run: "runs" };

function Menu({ waiting }: { readonly waiting: number }) {
  const at = BELONGS[route.value.page] ?? route.value.page;
  return (
    <nav aria-label="Pages">
      <ul class="menu">
        {MENU.map(({ keys, page, title }) => (
          <li key={page}>
            <a href={linkTo(page, project.value)} aria-current={at === page ? "page" : undefined}>
              <span>{title}</span>
              {page === "inbox" && waiting > 0 ? (
                <span class="count">
                  {waiting}
                  <span class="unseen"> waiting</span>
                </span>
              ) : (
                <Key keys={keys} />
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const LINE_WORDS = {
  connecting: "Connecting",
  live: "Live",
  offline: "Offline",
  closed: "Signed out",
} as const;

function Foot() {
  return (
    <div class="foot">
      <p class={`line ${line.value}`}>
        <span class="dot" aria-hidden="true" />
        {LINE_WORDS[line.value]}
        {session.value?.readOnly && <span class="quiet"> · read-only</span>}
        {session.value?.device && <span class="quiet"> · {session.value.device.name}</span>}
      </p>
      <label class="theme">
        <span class="unseen">Colours</span>
        <select
          value={theme.value}
          onChange={({ currentTarget }) => {
            theme.value = currentTarget.value as Theme;
          }}
        >
          {THEMES.map((name) => (
            <option key={name} value={name}>
              {name === "system" ? "System" : name === "light" ? "Light" : "Dark"}
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="plain" onClick={openHelp}>
        Keys <Key keys="?" />
      </button>
    </div>
  );
}

/** A banner above every page: the page is offline, or the server no longer knows this browser. */
function ConnectionBanner() {
  if (line.value === "offline")
    return (
      <p class="connection" role="status">
        <strong>Offline.</strong> This is what was there when the connection broke. It catches up by itself;
        notes that you write are kept.
      </p>
    );
  if (line.value === "closed" && session.value?.device)
    return (
      <p class="connection" role="status">
        <strong>This device is signed out.</strong> Your notes are kept. <a href="/enter">Sign in again</a>
      </p>
    );
  if (line.value === "closed")
    return (
      <p class="connection" role="status">
        <strong>The server has started anew and does not know this browser.</strong> Open the address that{" "}
        <code>pawl board</code> prints. Your notes are kept.
      </p>
    );
  return null;
}

function Shown({ inbox }: { readonly inbox: Resource<Inbox> }) {
  const { page, run } = route.value;
  const key = project.value;
  const broken = session.value?.projects.find((each) => each.key === key)?.problem;
  if (page === "inbox") return <InboxPage inbox={inbox} />;
  if (page === "nowhere")
    return (
      <>
        <Heading title="There is no such page" />
        <Empty title="This address leads nowhere.">
          <a href="#/">To the inbox</a>
        </Empty>
      </>
    );
  if (broken)
    return (
      <>
        <Heading title="This project cannot be read" />
        <Problem refused={broken} />
      </>
    );
  return <Later key={`${page} ${key} ${run}`} page={page} project={key} run={run} />;
}

const loaded = new Map<PageName, Page>();

function Later({ page, ...props }: PageProps & { readonly page: Exclude<PageName, "inbox"> }) {
  const [, setLoaded] = useState(0);
  const [problem, setProblem] = useState<Refused | null>(null);
  const Content = loaded.get(page);
  useEffect(() => {
    if (loaded.has(page)) return;
    LATER[page]().then(
      (content) => {
        loaded.set(page, content);
        setLoaded(loaded.size);
      },
      () =>
        setProblem({
          code: "board-page",
          message:
            "A part of the page could not be loaded: the server does not answer, or is of another version.",
          fix: "Reload the page. If that does not help, start the board again: pawl board",
        }),
    );
  }, [page]);
  if (problem) return <Problem refused={problem} retry={() => location.reload()} />;
  return Content ? <Content {...props} /> : <Skeleton />;
}
