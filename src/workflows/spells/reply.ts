import { PawlError } from "../../core/error.ts";
import type { ReviewFetch } from "../../core/ports/reviews.ts";
import { renderOddBoxes } from "../../core/text/checkbox.ts";
import { oneLine, tidy, trimLineEnds } from "../../core/text/lines.ts";
import type { Facts } from "../../engine/workflow.ts";
import { faultOf, openTemplates } from "../../runtime/template.ts";
import { parseAtlassianUrls, unprocessedUrls } from "./atlassian.ts";
import { describeFailure, leftOut, problemOf } from "./comments-file.ts";
import type { Criterion } from "./criteria.ts";
import { titleOf } from "./events.ts";
import { mayHoldCriteria } from "./facts.ts";
import { renderFenced } from "./fence.ts";
import { FILE_KEYS, type FileKey, pathOf } from "./files.ts";
import { describeLinkFailure, type LinkFetch } from "./links.ts";
import { effectOf, type Prospect, renderAvailable, renderKeyFiles, renderUnavailable } from "./lists.ts";
import type { SpellsRun } from "./load-run.ts";
import type { Cast } from "./material.ts";
import { parseReplyFile, replyFileOf } from "./reply-file.ts";
import { STATES } from "./states.ts";
import type { Work } from "./work.ts";

/**
 * A placeholder for the loaded file until the rest is rendered, so that rendering cannot change the file's
 * text.
 */
const CONTENTS = "\u{E000}contents\u{E000}";

export interface ReplyInput {
  readonly cast: Cast;
  readonly work: Work;
  /** The facts after the commit. */
  readonly facts: Facts;
  readonly prospects: readonly Prospect[];
}

/** The rule's reply as Markdown, with the lists for the resulting state. */
export function renderReply(input: ReplyInput): string {
  const { decision, material } = input.cast;
  const { layout, replies } = parseReplyFile(material.shipped.get(replyFileOf(decision)) ?? "");
  const name = decision.rule.reply;
  const values = valuesOf(input);
  const blocks: Record<string, string> = { response_to_the_ai: "", what_just_happened: "", tip: "" };
  for (const [block, template] of Object.entries(replies.get(name) ?? {}))
    blocks[block] = renderTemplate(template, values, name).trim();
  if (decision.rule.outcome !== "shown")
    blocks.next_steps = withNotYet(blocks.next_steps ?? "", input.prospects);
  blocks.next_steps = [blocks.next_steps ?? "", oddCriteria(input)]
    .filter((part) => part !== "")
    .join("\n\n");
  const text = renderTemplate(layout, Object.assign(values, blocks), name);
  const whole = tidy(trimLineEnds(text));
  return whole.replace(CONTENTS, () => renderFenced(input.work.loaded ?? "", "markdown"));
}

/** A warning about criteria that look ticked to a person but are open for the table. */
function oddCriteria({ cast: { run }, work: { texts } }: ReplyInput): string {
  if (!mayHoldCriteria(texts.plan)) return "";
  const odd = run.criteriaOf(texts.plan).filter(({ isOdd }) => isOdd);
  return renderOddBoxes(
    odd.map(({ line }) => line),
    pathOf("plan"),
  );
}

/** Adds why a spell that the steps name for later has no effect yet. */
function withNotYet(steps: string, prospects: readonly Prospect[]): string {
  const later = prospects.filter(
    ({ available, spell }) => !available && steps.includes(`**${titleOf(spell)}**`),
  );
  const sentences = later.map(
    ({ spell, words }) => `**${titleOf(spell)}** is not available until then: ${words}.`,
  );
  return [steps, ...sentences].join(" ");
}

/** An empty text and 0 count as false. */
const TEMPLATES = openTemplates({ jsTruthy: true });

/** Strict: an unknown variable is an error, not an empty text. */
export function renderTemplate(template: string, values: object, name: string): string {
  try {
    return TEMPLATES.render(template, values);
  } catch (thrown) {
    throw new PawlError(
      "template-invalid",
      `The reply ${name} cannot be rendered: ${faultOf(thrown).what}.`,
      "Install Pawl again, or report this: its texts do not fit its table.",
      thrown,
    );
  }
}

function valuesOf({ cast, work, facts, prospects }: ReplyInput): object {
  const { decision, material, run, sent } = cast;
  const { links = [], review } = material;
  return {
    spell: titleOf(sent.event),
    why: effectOf(decision.rule.id, run.facts),
    where_we_are: STATES[decision.after.state]?.where ?? "",
    available_spells: renderAvailable(prospects),
    unavailable_spells: renderUnavailable(prospects),
    available: Object.fromEntries(prospects.map(({ spell: name, available }) => [name, available])),
    key_files: renderKeyFiles(work.texts),
    files: Object.fromEntries(FILE_KEYS.map((key) => [key, facts[key] === "present"])),
    get criteria() {
      return countOf(work.texts.plan === null ? [] : run.criteriaOf(work.texts.plan));
    },
    kept: work.kept,
    archive: work.archive,
    archived: work.archive === "" ? "" : `What was there was archived in \`${work.archive}\`. `,
    notes: renderAside(work),
    contents: CONTENTS,
    links: renderLinks(run),
    links_done: renderList(links.filter(({ fetch }) => fetch.kind === "fetched").map(({ url }) => url)),
    links_left: renderList(links.filter(({ fetch }) => fetch.kind !== "fetched").map(withReason)),
    review_files: renderReviewFiles(work),
    fetch: fetchKinds(review, work),
    fetch_said: review ? describeReviewFetch(review, work) : describeLinkFetches(links, work),
    fetch_problem: review ? (problemOf(review) ?? "") : "",
    fetch_setup: material.links ? linksSetup(links) : reviewSetup(review),
  };
}

function countOf(criteria: readonly Criterion[]): object {
  const total = criteria.length;
  const open = criteria.filter(({ checked }) => !checked).length;
  return { total, open, none: total === 0, single: total === 1, done: total > 0 && open === 0 };
}

function renderAside({ aside }: Work): string {
  return aside
    .map(({ from, to }) => `\nThe \`${from}\` that was there before was kept as \`${to}\`.`)
    .join("\n");
}

function renderLinks({ texts, refs }: SpellsRun): string {
  const left = new Set(unprocessedUrls(texts.context ?? "", refs));
  const urls = parseAtlassianUrls(texts.context ?? "");
  return urls.map((url) => `   - ${url}${left.has(url) ? "" : " (processed already)"}`).join("\n");
}

function renderList(items: readonly string[]): string {
  return items.map((item) => `- ${item}`).join("\n");
}

function withReason(link: LinkFetch): string {
  return `${link.url}: ${oneLine(describeLinkFailure(link))}`;
}

function renderReviewFiles({ texts }: Work): string {
  const keys: readonly FileKey[] = ["comments", "review_task", "review_results"];
  const names = keys.filter((key) => texts[key] !== null).map((key) => `\`${pathOf(key)}\``);
  if (names.length === 0) return "";
  return `The review's files were left where they are: ${names.join(", ")}.`;
}

/** The result of the comments' fetch, as flags: one is true, or none if some comments are missing. */
function fetchKinds(review: ReviewFetch | undefined, work: Work): object {
  const kept = review === undefined || work.kept;
  const none = !kept && review.kind === "no-pull-request";
  return { kept, none, fetched: !kept && !none && problemOf(review) === null };
}

function describeReviewFetch(review: ReviewFetch, work: Work): string {
  const file = "`.ai/task/comments.md`";
  if (review.kind === "no-pull-request")
    return `No open pull request was found for the branch \`${oneLine(review.branch)}\`; ${file} says so.`;
  if (review.kind === "fetched") {
    const of = `${review.pull.repository}#${review.pull.number}`;
    if (review.remarks.length === 0 && review.missing === null)
      return `The pull request ${of} has no${work.missing ? " more" : ""} comments; ${file} says so.`;
    const shown = review.remarks.filter(({ resolved }) => !resolved).length;
    const left = review.remarks.length - shown;
    const count = shown === 1 ? "One comment" : `${shown} comments`;
    const got = `${count} on the pull request ${of} ${shown === 1 ? "was" : "were"} written to ${file}.${left === 0 ? "" : ` ${leftOut(left)}`}`;
    const problem = problemOf(review);
    return problem === null ? got : `${got} But ${problem}`;
  }
  return `But ${problemOf(review)}${work.changes.length > 0 ? ` ${file} was created and says so.` : ""}`;
}

/** How to get the comments. */
function reviewSetup(review: ReviewFetch | undefined): string {
  if (review?.kind === "not-configured") return `${review.help} Then cast **Reparo** again.`;
  if (review?.kind === "failed" || (review?.kind === "fetched" && review.failure !== null)) {
    const failure = review.failure;
    return `${oneLine(failure ? describeFailure(failure) : "")} Then cast **Reparo** again: it fetches only what is missing.`;
  }
  return "Cast **Reparo** to fetch the comments that are still missing.";
}

function describeLinkFetches(links: readonly LinkFetch[], work: Work): string {
  if (work.kept) return "The file that was missing is back, and was left unchanged.";
  const done = links.filter(({ fetch }) => fetch.kind === "fetched").length;
  const count = (number: number) => (number === 1 ? "one" : `${number}`);
  if (done === links.length) return `All linked issues and pages were fetched (${count(done)} in all).`;
  if (done === 0) return "Nothing could be fetched, and nothing was changed.";
  return `Of ${links.length} linked issues and pages ${count(done)} could be fetched; the others are still to do.`;
}

/** How to get the remaining links. */
function linksSetup(links: readonly LinkFetch[]): string {
  const kinds = new Set(links.map(({ fetch }) => fetch.kind));
  const again = "Then cast **Expecto** again: it fetches only what is still missing.";
  if (kinds.has("not-configured"))
    return `So that Pawl itself can fetch them, set \`JIRA_BASE_URL\` (for issues) and \`CONFLUENCE_BASE_URL\` (for pages) to your site's address, and \`ATLASSIAN_EMAIL\` and \`ATLASSIAN_API_TOKEN\`, in the environment of the MCP server (and restart it) or of your terminal. ${again}`;
  if (kinds.has("failed")) return `Do what is said beside each link. ${again}`;
  return "Open these links yourself and add what matters. Then list each URL, on a line of its own, in `.ai/task/.atlassian-refs`: from then on it counts as processed.";
}
