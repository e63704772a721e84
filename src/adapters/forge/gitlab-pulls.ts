/**
 * https://docs.gitlab.com/api/merge_requests/, with pipelines, jobs, commit statuses, discussions and
 * members.
 */
import type { ApiSetup, ForgeApi, ForgeCheck, Named, Pull, Repository } from "./forge-api.ts";
import {
  type Discussion,
  type MergeRequest,
  type Note,
  openRemarks,
  type Pipeline,
  type Reviewer,
} from "./gitlab-remarks.ts";
import { openRest, type Rest } from "./rest.ts";
import { orEmpty, shortened } from "./returned.ts";

export function openGitlab(setup: ApiSetup): ForgeApi {
  const rest = openRest(setup, { name: "per_page", most: 100 });
  const mergeRequest = openMergeRequests(rest);
  return {
    repository: (path) => repositoryOf(rest, path),
    async list({ branch, from, into, target }, state) {
      const requests = await rest.all<MergeRequest>(`/projects/${target.id}/merge_requests`, {
        source_branch: branch,
        ...(into !== undefined && { target_branch: into }),
        state: state === "open" ? "opened" : "all",
      });
      return requests
        .filter(({ source_project_id }) => source_project_id === from.id)
        .map(pullOf)
        .filter((pull) => (pull.state === "open") === (state === "open"));
    },
    async open({ branch, from, into, target }, { body, title }) {
      const fields = { source_branch: branch, target_branch: into, title, description: body };
      const across = from.id === target.id ? {} : { target_project_id: target.id };
      return pullOf(
        await rest.send<MergeRequest>("POST", `/projects/${from.id}/merge_requests`, {
          ...fields,
          ...across,
        }),
      );
    },
    get: async (target, number) => pullOf(await mergeRequest(at(target, number))),
    checks: async (target, pull) => checksOf(rest, await mergeRequest(at(target, pull.number)), pull.head),
    requested: async (target, pull, handledIds) =>
      requestedChanges(rest, target, await mergeRequest(at(target, pull.number)), handledIds),
    remarks: openRemarks(rest, mergeRequest),
  };
}

async function repositoryOf(rest: Rest, path: string): Promise<Repository> {
  const { id, path_with_namespace } = await rest.get<Project>(`/projects/${encodeURIComponent(path)}`);
  return { id, path: path_with_namespace };
}

/**
 * Reads each merge request once, so that all later answers are about the same state. Repeats a failed read.
 */
function openMergeRequests(rest: Rest): (path: string) => Promise<MergeRequest> {
  const requests = new Map<string, Promise<MergeRequest>>();
  return (path) => {
    const read = requests.get(path) ?? rest.get<MergeRequest>(path);
    requests.set(path, read);
    read.catch(() => requests.delete(path));
    return read;
  };
}

interface Project {
  readonly id: number;
  readonly path_with_namespace: string;
}

const at = ({ id, path }: Named, number: number) =>
  `/projects/${id ?? encodeURIComponent(path)}/merge_requests/${number}`;

const FINDING_OUT: ReadonlySet<string | undefined> = new Set(["unchecked", "checking", "preparing"]);

function pullOf(request: MergeRequest): Pull {
  const {
    detailed_merge_status,
    has_conflicts,
    iid: number,
    sha: head,
    state,
    title,
    web_url: url,
  } = request;
  return {
    number,
    title,
    url,
    // A locked one is being merged.
    state: state === "merged" || state === "closed" ? state : "open",
    head,
    isConflicting: has_conflicts === true && !FINDING_OUT.has(detailed_merge_status),
  };
}

const UNDER_WAY: ReadonlySet<string> = new Set([
  "created",
  "waiting_for_resource",
  "preparing",
  "pending",
  "running",
]);

interface Job {
  readonly id: number;
  readonly name: string;
  readonly stage: string;
  readonly status: string;
  readonly allow_failure: boolean;
  readonly failure_reason?: string | null;
  readonly web_url: string;
}

async function checksOf(
  rest: Rest,
  { head_pipeline: pipeline, source_project_id }: MergeRequest,
  head: string,
): Promise<readonly ForgeCheck[]> {
  const checks: ForgeCheck[] = [];
  if (pipeline && (await isFor(rest, pipeline, head)))
    checks.push(...(await orEmpty(jobsOf(rest, pipeline))));
  checks.push(...(await orEmpty(statusesOf(rest, source_project_id, head))));
  return checks;
}

/** Whether a pipeline is about this commit, or about its merge with the target. */
async function isFor(rest: Rest, { project_id, ref, sha }: Pipeline, head: string): Promise<boolean> {
  if (sha === head || !ref.endsWith("/merge")) return sha === head;
  const commit = `/projects/${project_id}/repository/commits/${sha}`;
  const { parent_ids } = await rest.get<{ readonly parent_ids: readonly string[] }>(commit);
  return parent_ids.includes(head);
}

async function jobsOf(
  rest: Rest,
  { id, project_id, status, web_url }: Pipeline,
): Promise<readonly ForgeCheck[]> {
  if (UNDER_WAY.has(status)) return [{ name: "pipeline", url: web_url, summary: "", state: "running" }];
  if (status !== "failed") return [];
  const jobs = await rest.all<Job>(`/projects/${project_id}/pipelines/${id}/jobs`);
  const failed = jobs.filter((job) => job.status === "failed" && !job.allow_failure);
  // A pipeline of another project that it started has failed, or it could not begin.
  if (failed.length === 0) return [{ name: "pipeline", url: web_url, summary: "", state: "failed" }];
  return failed.map(({ failure_reason, id: job, name, stage, web_url: url }) => ({
    name,
    url,
    summary: `Stage ${stage}${failure_reason ? `: ${failure_reason}` : ""}`,
    state: "failed",
    log: () => rest.text(`/projects/${project_id}/jobs/${job}/trace`),
  }));
}

interface Status {
  readonly name: string;
  readonly status: string;
  readonly target_url: string | null;
  readonly description: string | null;
  readonly allow_failure: boolean;
}

/** Statuses of other services for a commit. GitLab lists its own jobs there too, of any pipeline. */
async function statusesOf(rest: Rest, project: number, sha: string): Promise<readonly ForgeCheck[]> {
  const statuses = await rest.all<Status>(`/projects/${project}/repository/commits/${sha}/statuses`);
  return statuses
    .filter(({ target_url }) => !/\/-\/jobs\/\d+$/.test(target_url ?? ""))
    .map(({ allow_failure, description, name, status, target_url: url }) => ({
      name,
      url,
      summary: description ?? "",
      state: UNDER_WAY.has(status) ? "running" : status === "failed" && !allow_failure ? "failed" : "passed",
    }));
}

/**
 * The threads and other comments of each reviewer who requests changes; all threads, if all must be resolved.
 * Each is one request: its id ends with its last note, so that an answer makes it a new one.
 */
async function requestedChanges(
  rest: Rest,
  target: Repository,
  { blocking_discussions_resolved, iid }: MergeRequest,
  handledIds: readonly string[],
): ReturnType<ForgeApi["requested"]> {
  const path = at(target, iid);
  const reviewers = await orEmpty(rest.all<Reviewer>(`${path}/reviewers`));
  const wanting = reviewers.filter(({ state }) => state === "requested_changes").map(({ user }) => user);
  const isBlocked = blocking_discussions_resolved === false;
  if (wanting.length === 0 && !isBlocked) return [];
  const discussions = await orEmpty(rest.all<Discussion>(`${path}/discussions`));
  const isWanting = ({ id }: Note["author"]) => wanting.some((each) => each.id === id);
  const threads = discussions.filter(
    ({ notes: [first] }) => first?.resolvable && !first.resolved && (isBlocked || isWanting(first.author)),
  );
  const found = [...wanting.map((user) => verdictOf(user, discussions)), ...threads.map(threadOf)].filter(
    ({ id }) => !handledIds.includes(id),
  );
  const answered = new Map<number, boolean>();
  for (const { user } of found)
    if (!answered.has(user.id)) answered.set(user.id, await mayWrite(rest, target, user.id));
  return found
    .filter(({ user }) => answered.get(user.id))
    .map(({ user, ...each }) => ({ ...each, author: user.username }));
}

/** A reviewer's comments outside of threads, between their previous verdict and this request. */
function verdictOf(user: Note["author"], discussions: readonly Discussion[]) {
  const notes = discussions.flatMap(({ notes }) => notes).filter(({ author }) => author.id === user.id);
  const verdicts = notes.filter(
    ({ body, system }) => system && /^(?:un)?approved |^requested changes/.test(body),
  );
  const last = verdicts.findLast(({ body }) => body.startsWith("requested changes"));
  const before = verdicts.filter(({ id }) => id < (last?.id ?? 0)).at(-1);
  const comments = notes.filter(
    ({ id, resolvable, system }) => !system && !resolvable && id > (before?.id ?? 0),
  );
  return {
    id: `changes:${user.id}:${last?.id ?? ""}`,
    user,
    ...shortened(comments.map(({ body }) => body).join("\n\n"), []),
  };
}

function threadOf({ id, notes }: Discussion) {
  const [first, ...answers] = notes.filter(({ system }) => !system) as [Note, ...Note[]];
  const text = [first.body, ...answers.map(({ author, body }) => `${author.username}: ${body}`)].join("\n\n");
  const { position } = first;
  const comment = { file: position?.new_path ?? "", line: position?.new_line ?? null, text };
  return {
    id: `${id}:${(answers.at(-1) ?? first).id}`,
    user: first.author,
    ...(position ? shortened("", [comment]) : shortened(text, [])),
  };
}

const DEVELOPER = 30;

async function mayWrite(rest: Rest, target: Repository, user: number): Promise<boolean> {
  const membership = rest.get<{ readonly access_level: number }>(
    `/projects/${target.id}/members/all/${user}`,
  );
  const [member] = await orEmpty(membership.then((each) => [each]));
  return (member?.access_level ?? 0) >= DEVELOPER;
}
