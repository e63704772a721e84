/** The present page, from the URL's fragment, so that any page can be opened, bookmarked and returned to. */
import { computed, signal } from "@preact/signals";
import { session } from "./api.ts";

const PAGES = ["inbox", "review", "runs", "run", "edit", "tasks", "workflows", "cost"] as const;
export type PageName = (typeof PAGES)[number];

/** It has a run in its address. */
export function isAboutRun(page: string): boolean {
  return ["review", "run", "edit"].includes(page);
}

export interface Route {
  readonly page: PageName | "nowhere";
  /** A project's key; empty: all projects. */
  readonly project: string;
  /** `workflow:id`; empty: none. */
  readonly run: string;
  readonly query: URLSearchParams;
}

export interface PageProps {
  /** A project's key. */
  readonly project: string;
  /** `workflow:id`; empty: the page concerns no run. */
  readonly run: string;
}

export const route = signal<Route>(parseRoute(location.hash));

/** The project that pages concern: the one in the URL, else the last viewed, else the first. */
let lastProject = "";
export const project = computed(() => {
  if (route.value.project !== "") lastProject = route.value.project;
  const projects = session.value?.projects ?? [];
  const last = projects.find(({ key }) => key === lastProject);
  return route.value.project || last?.key || projects[0]?.key || "";
});

/** False inside a client, where the review is the only page, so links to others are omitted. */
export const hasPages = signal(true);

/** False until the first move between pages: only then focus is moved. */
export const hasMoved = signal(false);

addEventListener("hashchange", () => {
  hasMoved.value = true;
  route.value = parseRoute(location.hash);
});

function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?", 2);
  const parts = path
    .split("/")
    .filter((part) => part !== "")
    .map(decoded);
  const [key = "", page = "inbox", run = ""] = parts;
  const isKnown = PAGES.some((name) => name === page) && (run !== "" || !isAboutRun(page));
  if (parts.length === 0 || (parts.length === 1 && key === "inbox"))
    return { page: "inbox", project: "", run: "", query: new URLSearchParams(query) };
  return {
    page: parts.length > 1 && isKnown ? (page as PageName) : "nowhere",
    project: key,
    run,
    query: new URLSearchParams(query),
  };
}

/** The URL of a page, for a link. */
export function linkTo(
  page: PageName,
  key = "",
  run = "",
  query: Readonly<Record<string, string>> = {},
): string {
  if (page === "inbox") return "#/";
  const parts = [key, page, ...(run === "" ? [] : [run])].map(encodeURIComponent).join("/");
  const search = new URLSearchParams(query).toString();
  return `#/${parts}${search === "" ? "" : `?${search}`}`;
}

export function goTo(address: string): void {
  location.hash = address;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
