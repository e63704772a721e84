/**
 * The decisions in each kind of artifact, which a person should read first. Kinds that are missing here
 * contain none.
 */
import { fieldIn, isSame } from "../../../runtime/review/answered.ts";
import type { Choice } from "../../../runtime/review/model.ts";
import type { Artifact } from "../state/state-file.ts";
import type { ArtifactName, ArtifactOf } from "../tools/artifacts.ts";

interface Decides<Name extends ArtifactName> {
  readonly kind: Choice["kind"];
  /** The artifact's field: `risk_analysis`. */
  readonly field: keyof ArtifactOf<Name> & string;
  readonly title: string;
  /** One text for each item; empty: the artifact decides nothing here. */
  words(artifact: ArtifactOf<Name>): readonly (string | undefined)[];
}

const DECISIONS: { readonly [Name in ArtifactName]?: readonly Decides<Name>[] } = {
  ContextAnalysisArtifact: [
    {
      ...{ kind: "other", field: "questions_for_developer", title: "Questions for you" },
      words: (artifact) => artifact.questions_for_developer,
    },
    {
      kind: "scope",
      field: "affected_files",
      title: "Files that it touches",
      words: (a) => a.affected_files,
    },
  ],
  StrategyArtifact: [
    {
      kind: "strategy",
      field: "high_level_strategy",
      title: "Strategy",
      words: (a) => [a.high_level_strategy],
    },
    {
      kind: "dependency",
      field: "new_dependencies",
      title: "New dependencies",
      words: (a) => a.new_dependencies,
    },
    { kind: "risk", field: "risk_analysis", title: "Risks", words: (a) => [a.risk_analysis] },
    {
      kind: "scope",
      field: "key_components",
      title: "Parts to build or change",
      words: (a) => a.key_components,
    },
  ],
  DesignArtifact: [
    { kind: "strategy", field: "design_summary", title: "Design", words: (a) => [a.design_summary] },
    ...filesOf("DELETE", "Files to delete"),
    ...filesOf("CREATE", "New files"),
    ...filesOf("MODIFY", "Files to change"),
  ],
  ExecutionPlanArtifact: [
    {
      ...{ kind: "scope", field: "slots", title: "What is done where" },
      words: ({ slots }) =>
        slots.map(
          ({ location, operation, slot_id, title }) => `${slot_id}: ${operation} ${location}: ${title}`,
        ),
    },
    {
      ...{ kind: "other", field: "slots", title: "In which order" },
      words: ({ slots }) => slots.flatMap(({ depends_on, slot_id }) => afterOthers(slot_id, depends_on)),
    },
    {
      ...{ kind: "other", field: "slots", title: "Handed to others" },
      words: ({ slots }) =>
        slots.flatMap(({ delegation, slot_id }) =>
          delegation === undefined
            ? []
            : [`${slot_id}: ${typeof delegation === "string" ? delegation : JSON.stringify(delegation)}`],
        ),
    },
  ],
  ReviewArtifact: [
    {
      ...{ kind: "other", field: "approved", title: "The assistant's verdict" },
      words: ({ approved, summary }) => [`${approved ? "Approves" : "Sends it back"}: ${summary}`],
    },
    { kind: "scope", field: "feedback", title: "What it wants changed", words: (a) => a.feedback },
  ],
  EngineeringSpecArtifact: [
    { kind: "strategy", field: "design_decisions", title: "Decisions", words: (a) => a.design_decisions },
    { kind: "scope", field: "requirements", title: "Requirements", words: (a) => a.requirements },
    { kind: "scope", field: "out_of_scope", title: "Out of scope", words: (a) => a.out_of_scope },
    { kind: "risk", field: "risks", title: "Risks", words: (a) => a.risks ?? [] },
  ],
  TaskListArtifact: [
    {
      ...{ kind: "scope", field: "tasks", title: "Tasks" },
      words: ({ tasks }) =>
        tasks.map(
          ({ priority, task_id, title }) => `${task_id}: ${title}${priority ? ` (${priority})` : ""}`,
        ),
    },
    {
      ...{ kind: "other", field: "tasks", title: "In which order" },
      words: ({ tasks }) => tasks.flatMap(({ dependencies, task_id }) => afterOthers(task_id, dependencies)),
    },
  ],
};

function afterOthers(id: string, others: readonly string[] = []): readonly string[] {
  return others.length === 0 ? [] : [`${id} after ${others.join(", ")}`];
}

function filesOf(
  wanted: "CREATE" | "DELETE" | "MODIFY",
  title: string,
): readonly Decides<"DesignArtifact">[] {
  const words = ({ file_breakdown }: ArtifactOf<"DesignArtifact">) =>
    file_breakdown.flatMap(({ change_summary, file_path, operation }) =>
      operation === wanted ? [`${file_path}: ${change_summary}`] : [],
    );
  return [{ kind: "scope", field: "file_breakdown", title, words }];
}

/** `judged`: the artifact of the last verdict; null: there was none, or it is not stored. */
export function choicesIn(
  name: ArtifactName,
  artifact: Artifact,
  judged: Artifact | null,
): readonly Choice[] {
  const decisions = (DECISIONS[name] ?? []) as readonly Decides<ArtifactName>[];
  return decisions.flatMap(({ field, kind, title, words }): readonly Choice[] => {
    const now = textsIn(words, artifact);
    if (now.length === 0) return [];
    return [{ kind, field, title, words: now, since: judged && sinceOf(now, textsIn(words, judged)) }];
  });
}

function textsIn(words: Decides<ArtifactName>["words"], artifact: Artifact): readonly string[] {
  const texts = words(artifact as ArtifactOf<ArtifactName> & never);
  return texts.filter((text) => text !== undefined && text.trim() !== "") as readonly string[];
}

function sinceOf(now: readonly string[], before: readonly string[]): Choice["since"] {
  if (before.length === 0) return "new";
  return isSame(now, before) ? "same" : "changed";
}

/** The artifact's own claim about what Pawl observed; undefined: none. */
export function claimIn(name: ArtifactName, about: string, artifact: Artifact): string | undefined {
  const text = (field: string) => String(fieldIn(artifact, field) ?? "");
  switch (`${name} ${about.replace(/^check .*$/s, "check")}`) {
    case "GitStatusArtifact git":
      return `${artifact.is_clean === true ? "clean" : "not clean"}, on ${text("current_branch")}`;
    case "BranchCreationArtifact git":
      return artifact.success === true ? `on ${text("branch_name")}` : `it failed: ${text("details")}`;
    case "FinalizeArtifact git":
      return `committed as ${text("commit_hash")}${text("pr_url") === "" ? "" : `, ${text("pr_url")}`}`;
    case "ImplementationManifestArtifact subtasks":
      return `done: ${(artifact as ArtifactOf<"ImplementationManifestArtifact">).completed_subtasks.join(", ") || "none"}`;
    case "TestResultArtifact check":
      return `\`${text("command")}\` ended with exit code ${text("exit_code")}`;
    default:
      return undefined;
  }
}
