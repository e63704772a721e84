/** A scratch project that the tester trusts as it is, recorded as `pawl trust` does it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { spelledOut } from "../../src/config/config.ts";
import { type OwnFile, ownFile } from "../../src/core/own-file.ts";
import { DEFAULT_SETTINGS, type Settings } from "../../src/core/settings.ts";
import {
  agentEntry,
  distinct,
  type Executable,
  executablesOf,
  type Starts,
  startsOfTask,
} from "../../src/core/trust.ts";
import { readYaml } from "../../src/core/yaml/yaml.ts";
import { saveTrust } from "../../src/services/trust.ts";
import { fileOf } from "../../src/tasks-file/entries.ts";
import { readTasks } from "../../src/tasks-file/read.ts";
import { eachTask } from "../../src/tasks-file/task.ts";
import { EXTENSIBLE } from "../../src/workflows/bloom/run/table.ts";
import { parseOver } from "../../src/workflows/custom/definition/extending-own.ts";
import { extendedBy, parseWorkflow } from "../../src/workflows/custom/definition/parse.ts";
import { startsIn } from "../../src/workflows/custom/definition/starts.ts";
import { stateHome } from "./state-home.ts";

export function trustAsItIs(
  root: string,
  environment: Readonly<Record<string, string>> = stateHome(),
  tasksIn = root,
): void {
  const settings = settingsIn(root);
  const files = settings.workflows.map(ownFile);
  const workflows = files.flatMap((each) => startsOf(root, each, files));
  const entries = [...executablesOf(settings, workflows), ...startsOfTasks(tasksIn, settings)];
  saveTrust({ root, environment, entries: distinct(entries), by: "the tester" });
}

const AGENTS = ["claude", "codex", "gemini", "opencode", "scripted"];

/** A list of tasks that is none starts nothing. */
function startsOfTasks(root: string, settings: Settings): readonly Executable[] {
  const path = join(root, settings.bloom.tasks_file);
  const result = existsSync(path) ? readTasks(readFileSync(path, "utf8"), null) : null;
  const tasks = result?.ok ? eachTask(fileOf(result.parsed).tasks) : [];
  return [
    ...AGENTS.map((name) => agentEntry(name, settings)),
    ...tasks.flatMap(({ task }) => startsOfTask(task, settings)),
  ];
}

function settingsIn(root: string): Settings {
  const [config, pawl] = [".alfred/config.yml", "pawl.yaml"].map((name) => dataOf(join(root, name)));
  const {
    alfred,
    bloom,
    agents = {},
    notify,
    sandbox,
    workflows = [],
    ...more
  } = spelledOut((pawl ?? {}) as Readonly<Record<string, unknown>>) as Partial<Settings>;
  return {
    ...DEFAULT_SETTINGS,
    ...more,
    workflows,
    agents,
    alfred: { ...DEFAULT_SETTINGS.alfred, ...(config as object), ...alfred },
    bloom: { ...DEFAULT_SETTINGS.bloom, ...bloom },
    notify: { ...DEFAULT_SETTINGS.notify, ...notify },
    sandbox: { ...DEFAULT_SETTINGS.sandbox, ...sandbox },
  };
}

function dataOf(path: string): unknown {
  return existsSync(path) ? (readYaml(readFileSync(path, "utf8")).data ?? {}) : {};
}

/** A file that is none starts nothing. */
function startsOf(root: string, { file, name }: OwnFile, files: readonly OwnFile[]): readonly Starts[] {
  try {
    const textOf = (path: string) => readFileSync(join(root, path), "utf8");
    const text = textOf(file);
    const base = files.find((each) => each.name === extendedBy(file, text)?.name);
    const { definition } = base
      ? parseOver(name, file, text, { ...base, text: textOf(base.file) })
      : parseWorkflow(name, file, text, EXTENSIBLE);
    return [startsIn(definition)];
  } catch {
    return [];
  }
}
