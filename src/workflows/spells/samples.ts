/** Each reply once, rendered on files that lead to its rule, for reading as a whole and for the tests. */
import type { ProjectPath } from "../../core/path.ts";
import type { Outside } from "../../core/ports/outside.ts";
import type { ReferenceFetch, References } from "../../core/ports/references.ts";
import type { ReviewFetch } from "../../core/ports/reviews.ts";
import type { View } from "../../core/ports/store.ts";
import { DEFAULT_SETTINGS } from "../../core/settings.ts";
import type { Facts, FactValue } from "../../engine/workflow.ts";
import type { Context, PromptSample } from "../../runtime/module.ts";
import { castNamed } from "./cast.ts";
import type { Spell } from "./events.ts";
import { FILE_KEYS, FILE_NAMES, type FileKey } from "./files.ts";
import type { Cast } from "./material.ts";
import { renderState } from "./state-file.ts";
import { SPELLS_WORKFLOW } from "./table.ts";

export const SAMPLE_CONTEXT: Context = {
  settings: DEFAULT_SETTINGS,
  caller: { channel: "mcp" },
  now: { time: "2026-01-31T09:30:15.250Z", id: "00000000-0000-4000-8000-000000000000" },
};

const LINK = "https://acme.atlassian.net/browse/PROJ-1";

const REVIEW: ReviewFetch = { kind: "not-configured", detail: "No token is set.", help: "Set one." };

export async function replySamples({ packaged }: View): Promise<readonly PromptSample[]> {
  const samples: PromptSample[] = [];
  for (const { from, id, on, when } of SPELLS_WORKFLOW.rules) {
    const [state = ""] = from;
    const [box = {}] = when ?? [];
    const chosen = Object.fromEntries(Object.entries(box).map(([name, values]) => [name, values[0]]));
    const origin = (chosen.reparo_origin ?? null) as string | null;
    const facts = consistent({ ...FIRST, ...chosen } as Facts);
    const view = sampleView(state, origin, facts, packaged);
    const { reply } = (await sampleCast(view, on as Spell, sampleOutside(REVIEW, true))).proposal;
    const configuration = { state, variables: { reparo_origin: origin } };
    samples.push({
      name: `${id}: ${on} in ${state}`,
      machine: SPELLS_WORKFLOW.name,
      configuration,
      text: reply.text,
    });
  }
  return samples;
}

const FIRST: Readonly<Record<string, FactValue | undefined>> = Object.fromEntries(
  Object.entries(SPELLS_WORKFLOW.facts).map(([name, fact]) => [name, fact.values[0]]),
);

/** A view of files that match a combination of facts. */
export function sampleView(
  state: string,
  origin: string | null,
  facts: Facts,
  packaged: View["packaged"],
): View {
  const context = origin === null ? {} : { reparo_origin: origin };
  const files = new Map<string, string>([
    [".ai/task/state.json", renderState({ current_state: state, context, history: [] })],
  ]);
  for (const key of FILE_KEYS) if (facts[key] === "present") files.set(samplePath(key), textOf(key, facts));
  if (facts.context_urls !== "some-unprocessed" || facts.plan_urls !== "some-unprocessed")
    files.set(".ai/task/.atlassian-refs", `${LINK}\n${LINK}0\n`);
  return {
    read: async (name: ProjectPath) => files.get(name) ?? null,
    list: async () => [],
    lastLine: async () => null,
    isCurrent: async () => true,
    packaged,
  };
}

export function samplePath(key: FileKey): string {
  return `.ai/task/${FILE_NAMES[key]}`;
}

function textOf(key: FileKey, facts: Facts): string {
  const urls = (fact: unknown) =>
    fact === "none" ? "" : fact === "all-processed" ? LINK : "https://acme.atlassian.net/browse/NEW-9";
  const marks: Readonly<Record<string, string>> = { open: " ", "all-checked": "x" };
  if (key === "context") return `ctx ${urls(facts.context_urls)}\n`;
  if (key === "comments")
    return facts.comments_fetch === "incomplete" ? "<!-- pawl: comments incomplete -->\n" : "c\n";
  if (key !== "plan") return `${key}\n`;
  const mark = marks[String(facts.criteria)];
  return `plan ${urls(facts.plan_urls)}\n\n${mark ? `- [${mark}] criterion\n` : ""}`;
}

/** The outside of a sample: these comments, and links that are fetched or not. */
export function sampleOutside(review: ReviewFetch, fetched: boolean): Outside {
  const link: ReferenceFetch = fetched
    ? { kind: "fetched", markdown: "# It\n" }
    : { kind: "not-configured", detail: "Set it." };
  const references: References = { fetch: async () => link };
  return { references, reviews: { fetch: async () => review } } as Partial<Outside> as Outside;
}

/** A decided cast of a spell on these files, with its effects. */
export async function sampleCast(view: View, spell: Spell, outside: Outside) {
  const input = { spell };
  const read = await castNamed.read(view, input, SAMPLE_CONTEXT);
  const step = (await castNamed.observe?.(read, input, outside, SAMPLE_CONTEXT)) as Cast;
  const proposal = castNamed.propose(read, step as never, input, SAMPLE_CONTEXT);
  return { step, proposal };
}

/** Makes facts consistent: a fact about a file's content implies the file. */
export function consistent(facts: Facts): Facts {
  const implied: Record<string, string> = {};
  if (facts.context_urls !== "none") implied.context = "present";
  if (facts.plan_urls !== "none" || facts.criteria !== "none") implied.plan = "present";
  if (facts.comments_fetch === "incomplete") implied.comments = "present";
  return { ...facts, ...implied };
}
