/** Issues of GitHub and GitLab, in the formats of their APIs, `gh` and `glab`. */
import { type Fields, isObject } from "../core/json.ts";
import { recordsIn } from "./json.ts";
import { openText } from "./outline.ts";
import { asideRemarks, otherNotes, renderComments } from "./records.ts";
import type { Dependency, Read, SourceFile, SourceTask, State } from "./source.ts";
import { stateOf } from "./states.ts";
import { idFrom, openKeys, paragraphs, short, textOf, titledWith } from "./words.ts";

function names(value: unknown): readonly string[] {
  if (isObject(value) && Array.isArray(value.nodes)) return names(value.nodes);
  if (!Array.isArray(value)) return [];
  return value
    .map((each) =>
      isObject(each)
        ? ([each.title, titleOf(each.label), each.login, each.username, each.name]
            .map(textOf)
            .find((word) => word) ?? "")
        : textOf(each),
    )
    .filter((each) => each !== "");
}

function titleOf(value: unknown): string {
  return isObject(value) ? textOf(value.title) : textOf(value);
}

/**
 * The records by key. A key without a repository or project (`#12`) may belong to several records: those with
 * another text become tasks of their own.
 */
function placedBy(
  keyOf: (record: Fields) => string,
  records: readonly Fields[],
  remarks: string[],
): ReadonlyMap<string, Fields> {
  const groups = new Map<string, Fields[]>();
  for (const record of records) {
    const key = keyOf(record);
    const group = groups.get(key);
    if (group) group.push(record);
    else groups.set(key, [record]);
  }
  const unique = openKeys();
  const placed = new Map<string, Fields>();
  for (const [key, group] of groups) {
    const words = ({ body, description, title }: Fields) => JSON.stringify([title, body, description]);
    const different = new Map(group.map((each) => [key.startsWith("#") ? words(each) : "", each]));
    if (different.size < group.length) remarks.push(`${key} is there twice; the last one counts.`);
    for (const each of different.values())
      placed.set(unique(different.size === 1 ? key : `${key} ${titleOf(each).slice(0, 120)}`), each);
  }
  return placed;
}

/** Fields that the task contains elsewhere. */
const TAKEN = new Set(
  "title body description state state_reason stateReason closed number iid id labels label_links tags milestone assignees priority weight due_date html_url url web_url repository repo repository_url parent parent_issue_url subIssues sub_issues blockedBy blocking pull_request isPullRequest references project_id moved_to_id comments notes".split(
    " ",
  ),
);
/** An API's fields about itself and about times, lower-case and without punctuation. */
const ASIDE =
  /url$|^(?:nodeid|user|author|assignee|createdat|updatedat|closedat|closedby|locked|activelockreason|draft|authorassociation|reactions|performedviagithubapp|subissuessummary|issuedependenciessummary|score|links|timestats|usernotescount|mergerequestscount|upvotes|downvotes|hastasks|taskstatus|taskcompletionstatus|discussionlocked|confidential|issuetype|type|severity|subscribed|blockingissuescount|imported|importedfrom|serviceDeskreplyto|epiciid|isprivate|issueassignees|authorid|projectid|relativeposition|lockversion|titlehtml|descriptionhtml)$/i;

/** An issue's remaining fields as notes. */
function notesOf(issue: Fields, asides: Map<string, number>): readonly string[] {
  const named: readonly (readonly [string, string])[] = [
    ["Labels", names(issue.labels ?? issue.label_links).join(", ")],
    ["Tags", names(issue.tags).join(", ") || textOf(issue.tags)],
    ["Milestone", titleOf(issue.milestone)],
    ["Assignees", names(issue.assignees).join(", ")],
    ["Priority", textOf(issue.priority)],
    ["Weight", textOf(issue.weight)],
    ["Due", textOf(issue.due_date)],
  ];
  const fields = named.flatMap(([name, value]) => (value === "" ? [] : [`${name}: ${value}`]));
  const others = Object.entries(issue).filter(([name]) => !TAKEN.has(name));
  return [...fields, ...otherNotes(others, {}, (field) => ASIDE.test(field), asides)];
}

/** `gh issue list --json comments` and GitLab's export have them; the APIs only count them. */
function commentsIn({ comments, notes }: Fields): string {
  const all = [comments, notes].flatMap((each): readonly unknown[] => (Array.isArray(each) ? each : []));
  const commentText = renderComments(all.filter((each) => isObject(each) && each.system !== true));
  return commentText === "" ? "" : `## Comments\n\n${commentText}`;
}

/** `closed` alone is a state; any other word than the forges' own is not guessed. */
function stateIn(issue: Fields): State {
  const { closed, closed_at, closedAt = closed_at, state } = issue;
  const word = isObject(state) ? textOf(state.name) : textOf(state);
  if (closed === true || /^closed$/i.test(word)) return { status: "done" };
  if (word === "") return { status: textOf(closedAt) === "" ? "todo" : "done" };
  return /^(?:re)?open(?:ed)?$/i.test(word) ? { status: "todo" } : stateOf(word);
}

// ── GitHub ───────────────────────────────────────────────────────────────────────────────────────────────────────

interface IssueRef {
  readonly repository: string;
  readonly number: string;
}

/** `owner/name`, alone or at the end of a URL. */
const REPOSITORY = /^(?:https?:\/\/[^\s]{1,200}\/)?([\w.-]{1,100}\/[\w.-]{1,100})$/;

function placeIn(url: string): IssueRef | null {
  const [, repository, number] =
    /\/(?:repos\/)?([\w.-]{1,100}\/[\w.-]{1,100})\/(?:issues|pull)\/(\d{1,12})(?:$|[#?/])/.exec(
      url.slice(0, 500),
    ) ?? [];
  return repository && number ? { repository, number } : null;
}

export function readGitHub(files: readonly SourceFile[]): Read {
  const remarks: string[] = [];
  const records = files.flatMap((file) => recordsIn(file, remarks));
  const issues = records.filter(({ pull_request, isPullRequest, html_url, url }) => {
    const isPull =
      (isObject(pull_request) && Object.values(pull_request).some((each) => each !== null)) ||
      isPullRequest === true;
    return !isPull && !/\/pull\/\d+$/.test(textOf(html_url) || textOf(url));
  });
  if (issues.length < records.length)
    remarks.push(`${records.length - issues.length} pull requests: left out.`);
  const placed = placedBy(keyOf, issues, remarks);
  const repositories = new Set([...placed.keys()].map((key) => key.split("#")[0]));
  const lacking = issues.filter((each) => !("state" in each)).length;
  if (lacking > 0)
    remarks.push(
      `${lacking} issues have no state: taken as open. Ask \`gh\` for number,title,body,state,stateReason,labels,url.`,
    );
  const links = linksIn(placed);
  const asides = new Map<string, number>();
  return {
    tasks: [...placed].map(([key, issue]) => gitHubTask(key, issue, repositories.size > 1, links, asides)),
    remarks: [...remarks, ...asideRemarks(asides)],
  };
}

function keyOf(issue: Fields): string {
  const place = placeOf(issue);
  return place
    ? `${place.repository}#${place.number}`
    : `#${textOf(issue.number) || titledWith(textOf(issue.title), "", "").title}`;
}

function placeOf(issue: Fields): IssueRef | null {
  const urls = [issue.html_url, issue.url].map(textOf);
  const place = urls.map(placeIn).find((each) => each !== null);
  if (place) return place;
  const { repo, repository: repositoryName, repository_url } = issue;
  const names = [
    repository_url,
    repo,
    ...(isObject(repositoryName)
      ? [repositoryName.nameWithOwner, repositoryName.full_name]
      : [repositoryName]),
  ];
  const repository = names
    .map((each) => REPOSITORY.exec(textOf(each).slice(0, 500))?.[1])
    .find((each) => each !== undefined);
  const number = textOf(issue.number);
  return repository && number ? { repository, number } : null;
}

/** The keys of the linked issues in a list, or in an answer's `nodes`; an issue without URL is of the same repository. */
function linkedIn(value: unknown, repository: string): readonly string[] {
  const items = isObject(value) ? value.nodes : value;
  return (Array.isArray(items) ? items : []).flatMap((each) => linkedKey(each, repository) ?? []);
}

function linkedKey(issue: unknown, repository: string): string | null {
  if (!isObject(issue)) return null;
  const place = placeOf(issue);
  const number = textOf(issue.number);
  if (place) return `${place.repository}#${place.number}`;
  return number === "" ? null : `${repository}#${number}`;
}

/** What issues say of others: the key of each child's parent, and of what each waits for. */
interface Links {
  readonly parents: ReadonlyMap<string, string>;
  readonly blockers: ReadonlyMap<string, readonly string[]>;
}

function linksIn(issues: ReadonlyMap<string, Fields>): Links {
  const parents = new Map<string, string>();
  const blockers = new Map<string, readonly string[]>();
  for (const [key, { blocking, subIssues, sub_issues }] of issues) {
    const repository = repositoryOf(key);
    for (const list of [subIssues, sub_issues])
      for (const child of linkedIn(list, repository)) parents.set(child, key);
    for (const other of linkedIn(blocking, repository))
      blockers.set(other, [...(blockers.get(other) ?? []), key]);
  }
  return { parents, blockers };
}

function repositoryOf(key: string): string {
  return key.split("#")[0] ?? "";
}

function gitHubTask(
  key: string,
  issue: Fields,
  several: boolean,
  { blockers, parents }: Links,
  asides: Map<string, number>,
): SourceTask {
  const repository = repositoryOf(key);
  const number = placeOf(issue)?.number ?? textOf(issue.number);
  const prefix = several && repository ? `${repository.split("/").at(-1)}-` : "GH-";
  const reason = (textOf(issue.state_reason) || textOf(issue.stateReason)).toLowerCase();
  const state = stateIn(issue);
  const isDropped = state.status === "done" && (reason === "not_planned" || reason === "duplicate");
  const text = textOf(issue.body);
  const above = placeIn(textOf(issue.parent_issue_url));
  const parent = above ? `${above.repository}#${above.number}` : linkedKey(issue.parent, repository);
  const linked = [...linkedIn(issue.blockedBy, repository), ...(blockers.get(key) ?? [])];
  return {
    key,
    id: idFrom(/^\d+$/.test(number) ? `${prefix}${number}` : `${prefix}${short(key)}`, "GH"),
    ...titledWith(textOf(issue.title), paragraphs(text, commentsIn(issue)), key),
    ...(isDropped
      ? { status: "cancelled", reason: reason === "duplicate" ? "a duplicate" : "not planned" }
      : state),
    criteria: [],
    notes: [...notesOf(issue, asides), ...linkOf(issue)],
    dependsOn: blockersIn(text, repository, linked),
    parent: parent ?? parents.get(key) ?? null,
    steps: [],
  };
}

function linkOf({ html_url, url, web_url }: Fields): readonly string[] {
  const link = [web_url, html_url, url]
    .map(textOf)
    .find((each) => /^https?:\/\/[^\s]{1,400}$/.test(each) && !/\/\/api\./.test(each));
  return link ? [link] : [];
}

/**
 * What is linked as a blocker, and the references in lines such as `Depends on #12` or `Blocked by owner/name#12`, and at the start of items
 * below a heading with these words. Other mentions, and those in code, do not count.
 */
function blockersIn(text: string, repository: string, linked: readonly string[] = []): readonly Dependency[] {
  const dependencies = new Map(linked.map((key): [string, Dependency] => [key, { key, text: key }]));
  let isBelow = false;
  const isCode = openText();
  for (const line of text.split("\n")) {
    if (isCode(line)) continue;
    if (/^ {0,3}#{1,6}[ \t]/.test(line)) isBelow = BLOCKERS.test(line);
    const rest = BLOCKER.exec(line)?.[1] ?? (isBelow ? LISTED.exec(line)?.[1] : undefined);
    for (const [whole, place, number] of (rest ?? "").matchAll(REFERENCE)) {
      const key = `${place ?? repository}#${number}`;
      dependencies.set(key, { key, text: whole });
    }
  }
  return [...dependencies.values()];
}

const BLOCKER = /^[\s*_>-]{0,10}(?:depends on|blocked by)\b[\s*_:]{0,6}(.{1,400})/i;
const BLOCKERS = /^ {0,3}#{1,6}[ \t]+(?:depends on|blocked by|dependencies)[\s*_:]{0,6}$/i;
const LISTED = /^\s{0,10}[-*+] (?:\[.\] )?((?:[\w.-]{1,100}\/[\w.-]{1,100})?#\d{1,12}\b)/;
const REFERENCE = /(?:([\w.-]{1,100}\/[\w.-]{1,100}))?#(\d{1,12})\b/g;

// ── GitLab ───────────────────────────────────────────────────────────────────────────────────────────────────────

export function readGitLab(files: readonly SourceFile[]): Read {
  const remarks: string[] = [];
  const records = files.flatMap((file) => recordsIn(file, remarks));
  const issues = records.filter((each) => !isMergeRequest(each));
  if (issues.length < records.length)
    remarks.push(`${records.length - issues.length} merge requests: left out.`);
  const placed = placedBy(gitLabKey, issues, remarks);
  const projects = new Set([...placed.keys()].map((key) => key.split("#")[0]));
  const asides = new Map<string, number>();
  const tasks = [...placed].map(([key, issue]): SourceTask => {
    const [project = "", place = ""] = key.split("#");
    const number = textOf(issue.iid) || place;
    const prefix = projects.size > 1 && project ? `${project.split("/").at(-1)}-` : "GL-";
    const text = textOf(issue.description);
    const isMoved = issue.moved_to_id !== null && issue.moved_to_id !== undefined;
    return {
      key,
      id: idFrom(/^\d+$/.test(number) ? `${prefix}${number}` : `${prefix}${short(key)}`, "GL"),
      ...titledWith(textOf(issue.title), paragraphs(text, commentsIn(issue)), key),
      ...(isMoved ? { status: "cancelled" as const, reason: "moved elsewhere" } : stateIn(issue)),
      criteria: [],
      notes: [...notesOf(issue, asides), ...linkOf(issue)],
      dependsOn: blockersIn(text, project),
      parent: null,
      steps: [],
    };
  });
  return { tasks, remarks: [...remarks, ...asideRemarks(asides)] };
}

function isMergeRequest({ merge_status, source_branch, web_url }: Fields): boolean {
  return (
    textOf(merge_status) !== "" ||
    textOf(source_branch) !== "" ||
    /\/merge_requests\/\d+$/.test(textOf(web_url).slice(0, 600))
  );
}

function gitLabKey(issue: Fields): string {
  const full = isObject(issue.references) ? textOf(issue.references.full) : "";
  if (/^[^\s#]{1,300}#\d+$/.test(full)) return full;
  const [, project, number] =
    /^https?:\/\/[^/]{1,200}\/(.{1,300}?)\/(?:-\/)?(?:issues|work_items)\/(\d{1,12})$/.exec(
      textOf(issue.web_url).slice(0, 600),
    ) ?? [];
  if (project && number) return `${project}#${number}`;
  // A project's export identifies its project only by a number.
  if (textOf(issue.iid)) return `${textOf(issue.project_id)}#${textOf(issue.iid)}`;
  return `#${textOf(issue.id) || titledWith(textOf(issue.title), "", "").title}`;
}
