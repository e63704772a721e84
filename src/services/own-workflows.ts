/** The project's own workflows, which pawl.yaml names, in addition to the shipped ones. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { attempt } from "../core/attempt.ts";
import { PawlError } from "../core/error.ts";
import { isId } from "../core/id.ts";
import { once } from "../core/once.ts";
import { type OwnFile, ownFile } from "../core/own-file.ts";
import type { FindLife } from "../core/ports/loop.ts";
import type { Store } from "../core/ports/store.ts";
import type { Settings } from "../core/settings.ts";
import type { Project, Workflows } from "../runtime/project.ts";
import { RECORDS } from "../runtime/run-log/team-records.ts";
import type { DefinitionSource } from "../workflows/custom/definition/definition.ts";
import type { Bases } from "../workflows/custom/load.ts";

/**
 * Each workflow has the name of its file, without the extension, so that a file is read only when needed. A
 * fault in pawl.yaml stops only operations that need all workflows.
 */
export async function withOwnWorkflows(shipped: Workflows, open: () => Promise<Project>): Promise<Workflows> {
  try {
    const { explainSettings, runtime } = await open();
    const { store } = runtime;
    const settings = await runtime.settings(store.view());
    const place = (await explainSettings()).find(({ path }) => path === "workflows")?.from ?? "pawl.yaml";
    const files = settings.workflows.map(ownFile);
    checkNames(files, Object.keys(shipped), place);
    return { ...shipped, ...loaders(files, store) };
  } catch (fault) {
    return { ...shipped, "pawl.yaml": () => Promise.reject(fault) };
  }
}

/** Adds workflows of which only runs exist: their tables came with a program. */
export function withProgramRuns(workflows: Workflows, root: string): Workflows {
  const records = join(root, RECORDS);
  // A folder there that holds files is a task of Alfred's.
  const recorded = foldersIn(records).filter((name) => foldersIn(join(records, name)).length > 0);
  const strangers = [...new Set([...foldersIn(join(root, ".pawl", "runs")), ...recorded])].filter(
    (name) => isId(name) && !Object.hasOwn(workflows, name),
  );
  if (strangers.length === 0) return workflows;
  const load = async (name: string) => {
    const { programWorkflow } = await import("../workflows/custom/program-runs.ts");
    return programWorkflow(name);
  };
  return { ...workflows, ...Object.fromEntries(strangers.map((name) => [name, () => load(name)])) };
}

function foldersIn(folder: string): readonly string[] {
  // There are no runs, or their reader reports why they are unreadable.
  return attempt(() => {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  }, []);
}

/** The sources of the project's own workflows, by its settings. */
export async function ownSources(settings: Settings): Promise<readonly DefinitionSource[]> {
  const files = settings.workflows.map(ownFile);
  if (files.length === 0) return [];
  checkNames(files, [], "pawl.yaml");
  return openSources(files);
}

async function openSources(files: readonly OwnFile[]): Promise<readonly DefinitionSource[]> {
  const { fileSource } = await import("../workflows/custom/load.ts");
  return files.map((each) => fileSource(each, basesAmong(files)));
}

/** What the project's workflows may extend. */
const basesAmong = (files: readonly OwnFile[]): Bases => ({
  bloom: async () => (await import("../workflows/bloom/run/table.ts")).EXTENSIBLE,
  files,
});

/** Finds tasks' lives among the project's workflows. */
export const findLife: FindLife = async (view, workflows, name) => {
  const { openLives } = await import("../workflows/custom/life.ts");
  return openLives(basesAmong)(view, workflows, name);
};

function loaders(files: readonly OwnFile[], store: Store): Workflows {
  const open = once(() => openAll(files, store));
  const load = async (name: string) => {
    const loader = (await open())[name];
    if (loader) return loader();
    throw new PawlError("internal", `The workflow ${name} was not opened.`, "Report this.");
  };
  return Object.fromEntries(files.map(({ name }) => [name, () => load(name)]));
}

async function openAll(files: readonly OwnFile[], store: Store): Promise<Workflows> {
  const { openOwnWorkflows } = await import("../workflows/custom/module.ts");
  return openOwnWorkflows({ sources: await openSources(files), view: () => store.view() });
}

function checkNames(files: readonly OwnFile[], shipped: readonly string[], place: string): void {
  for (const [at, { name, file }] of files.entries()) {
    const other = files.findIndex((each) => each.name === name);
    if (!shipped.includes(name) && other === at) continue;
    const taken = other === at ? "a workflow that comes with Pawl" : `${files[other]?.file}`;
    throw new PawlError(
      "config-invalid",
      `${place}: workflows: ${file} would get the name ${name}, which is taken by ${taken}.`,
      "Rename the file: a workflow has the name of its file.",
    );
  }
}
