import type { ProjectPath } from "../../../core/path.ts";
import type { Files } from "../../../core/ports/files.ts";
import { type LoadedRun, type Slot, slotsOf } from "../state/load.ts";
import type { ArtifactOf } from "../tools/artifacts.ts";
import type { Finding } from "./evidence.ts";

/** Checks that the files named as affected exist. */
export async function affectedFinding(
  { affected_files }: ArtifactOf<"ContextAnalysisArtifact">,
  files: Files,
): Promise<readonly Finding[]> {
  if (affected_files.length === 0) return [];
  const missing = await files.missing(affected_files as ProjectPath[]);
  return [
    missing.length === 0
      ? agrees("All listed files exist.")
      : differs(`These named files do not exist: ${missing.join(", ")}.`),
  ];
}

/** Checks that the files to change exist, and those to create do not. */
export async function designFinding(
  { file_breakdown }: ArtifactOf<"DesignArtifact">,
  files: Files,
): Promise<readonly Finding[]> {
  if (file_breakdown.length === 0) return [];
  const uses = file_breakdown.map(({ file_path, operation }) => ({ path: file_path, operation }));
  return [existence(uses, await missingOf(uses, files))];
}

/**
 * Checks that the slots' files exist, that slots with a common file are ordered, and that the slots cover the
 * design.
 */
export async function slotFindings(
  run: LoadedRun,
  { slots }: ArtifactOf<"ExecutionPlanArtifact">,
  files: Files,
): Promise<readonly Finding[]> {
  const uses = slots.map(({ location, operation }) => ({ path: location, operation }));
  return [existence(uses, await missingOf(uses, files)), ...sharedFiles(slots), ...findUncovered(run, slots)];
}

interface Use {
  readonly path: string;
  readonly operation: string;
}

async function missingOf(uses: readonly Use[], files: Files): Promise<ReadonlySet<string>> {
  return new Set(await files.missing([...new Set(uses.map(({ path }) => path))] as ProjectPath[]));
}

function existence(uses: readonly Use[], missing: ReadonlySet<string>): Finding {
  const created = new Set(uses.filter(({ operation }) => operation === "CREATE").map(({ path }) => path));
  const absent = uses.filter(
    ({ operation, path }) => operation !== "CREATE" && missing.has(path) && !created.has(path),
  );
  const present = [...created].filter((path) => !missing.has(path));
  const words = [
    ...absent.map(
      ({ operation, path }) => `${path} is to be ${PAST[operation] ?? operation} but does not exist`,
    ),
    ...present.map((path) => `${path} is to be created but exists`),
  ];
  return words.length === 0
    ? agrees("Every file that is to be changed exists, and none that is to be created.")
    : differs(`${words.join("; ")}.`);
}

const PAST: Readonly<Record<string, string>> = {
  MODIFY: "modified",
  DELETE: "deleted",
  REVIEW: "reviewed",
};

/**
 * Finds slots that change the same file without an order: one must depend on the other, directly or
 * indirectly.
 */
export function sharedFiles(slots: readonly Slot[]): readonly Finding[] {
  const before = new Map(slots.map((slot) => [slot.slot_id, ancestorsOf(slot, slots)]));
  const changing = slots.filter(({ operation }) => operation !== "REVIEW");
  const pairs = changing.flatMap((one, index) =>
    changing
      .slice(index + 1)
      .filter(
        (other) =>
          other.location === one.location &&
          !before.get(one.slot_id)?.has(other.slot_id) &&
          !before.get(other.slot_id)?.has(one.slot_id),
      )
      .map((other) => `${one.slot_id} and ${other.slot_id} (${one.location})`),
  );
  if (pairs.length === 0) return [];
  return [
    {
      about: "slots",
      verdict: "differs",
      words: `These slots touch the same file without depending on one another: ${pairs.join("; ")}.`,
    },
  ];
}

function ancestorsOf(slot: Slot, slots: readonly Slot[]): ReadonlySet<string> {
  const files = new Set<string>();
  const open = [...(slot.depends_on ?? [])];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (files.has(id)) continue;
    files.add(id);
    open.push(...(slots.find(({ slot_id }) => slot_id === id)?.depends_on ?? []));
  }
  return files;
}

function findUncovered(run: LoadedRun, slots: readonly Slot[]): readonly Finding[] {
  const design = run.active.context_store.accepted.findLast(({ state }) => state === "design");
  const breakdown = (design?.artifact as ArtifactOf<"DesignArtifact"> | undefined)?.file_breakdown ?? [];
  const located = new Set(slots.map(({ location }) => location));
  const left = breakdown.map(({ file_path }) => file_path).filter((path) => !located.has(path));
  if (left.length === 0) return [];
  return [
    {
      about: "slots",
      verdict: "differs",
      words: `These files of the design have no slot: ${[...new Set(left)].join(", ")}.`,
    },
  ];
}

/** Compares the manifest's subtasks with the plan's. */
export function subtaskFinding(
  run: LoadedRun,
  { completed_subtasks }: ArtifactOf<"ImplementationManifestArtifact">,
): readonly Finding[] {
  const planned = slotsOf(run.state).map(({ slot_id }) => slot_id);
  const left = planned.filter((id) => !completed_subtasks.includes(id));
  const unknown = completed_subtasks.filter((id) => !planned.includes(id));
  if (planned.length === 0 && unknown.length === 0) return [];
  const words = [
    ...(left.length > 0 ? [`the manifest does not name ${left.join(", ")}`] : []),
    ...(unknown.length > 0 ? [`the plan has no slot ${unknown.join(", ")}`] : []),
  ];
  return [
    words.length === 0
      ? { about: "subtasks", verdict: "agrees", words: "Every slot of the plan is named as done." }
      : { about: "subtasks", verdict: "differs", words: `${words.join("; ")}.` },
  ];
}

const agrees = (words: string): Finding => ({ about: "files", verdict: "agrees", words });
const differs = (words: string): Finding => ({ about: "files", verdict: "differs", words });
