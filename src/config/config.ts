/**
 * The environment and the configuration files: the only reader of `process.env`. Without a file, nothing is
 * parsed.
 */

import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { PawlError } from "../core/error.ts";
import { isObject } from "../core/json.ts";
import { pathFault, projectPath } from "../core/path.ts";
import type { Cache } from "../core/ports/cache.ts";
import { DATABASE_URL } from "../core/ports/database.ts";
import type { View } from "../core/ports/store.ts";
import { DEFAULT_SETTINGS, type Settings, SIZED_REVIEWS, type Size } from "../core/settings.ts";
import type { SettingOrigin } from "../runtime/project.ts";
import type { Tree } from "./config-file.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export function readEnvironment(): Environment {
  return { ...process.env };
}

/**
 * The environment for agents and commands: without the addresses and secrets of notices, and the database's,
 * whatever `environment` names.
 */
export function withoutOwnSecrets(
  environment: Environment,
  { notify }: Pick<Settings, "notify">,
): Environment {
  const { discord, slack, webhook } = notify;
  const notices = [webhook, slack, discord].flatMap((receiver) =>
    receiver === null ? [] : Object.values(receiver),
  );
  const secret = new Set([...notices, DATABASE_URL]);
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !secret.has(name)));
}

/** What the command line and the environment add to the files: the place of tasks.yaml. */
export interface Surroundings {
  readonly tasks_file: string | null;
  readonly searched: readonly string[];
}

/** Throws `usage` if tasks.yaml is named outside the project. */
export function readSurroundings(place: {
  readonly root: string;
  readonly cwd: string;
  readonly tasksFile?: string | undefined;
}): Surroundings {
  const { root, cwd, tasksFile } = place;
  const named = tasksFile ? relative(root, resolve(cwd, tasksFile)).split(sep).join("/") : null;
  if (named !== null && (pathFault(named) !== null || isAbsolute(named)))
    throw new PawlError(
      "usage",
      `The tasks file ${JSON.stringify(tasksFile)} is not inside the project ${root}.`,
      "Name a file inside the project, or another project with --project.",
    );
  return { tasks_file: named, searched: foldersUp(cwd, root) };
}

/** The settings of this process. */
export function within(settings: Settings, surroundings: Surroundings): Settings {
  const tasks_file = surroundings.tasks_file ?? settings.bloom.tasks_file;
  return { ...settings, bloom: { ...settings.bloom, ...surroundings, tasks_file } };
}

function foldersUp(from: string, to: string): readonly string[] {
  const folders = [from];
  for (let folder = from; folder !== to && dirname(folder) !== folder; folder = dirname(folder))
    folders.push(dirname(folder));
  return folders.includes(to) ? folders : [to];
}

const PAWL_YAML = projectPath("pawl.yaml");
const ALFRED_CONFIG = projectPath(".alfred/config.yml");

/** A configuration with the place of each value. */
export interface Configuration {
  readonly settings: Settings;
  readonly origins: readonly SettingOrigin[];
}

/** The files' content without the defaults, kept as JSON. */
interface Layer {
  readonly tree: Tree;
  /** A value's path → its place in a file. */
  readonly places: Readonly<Record<string, string>>;
}

const CACHE_KIND = "settings";

/** Reads the settings through a view. An unchanged file is not parsed again, not even by another command. */
export function openConfiguration(cache?: Cache): (view: Pick<View, "read">) => Promise<Configuration> {
  let cached: { readonly texts: string; readonly configuration: Configuration } | undefined;
  return async (view) => {
    const [pawl, alfred] = [await view.read(PAWL_YAML), await view.read(ALFRED_CONFIG)];
    if (pawl === null && alfred === null) return DEFAULTS;
    const texts = JSON.stringify([pawl, alfred]);
    if (cached?.texts !== texts) {
      const worked = (await cache?.get(CACHE_KIND, texts)) as Layer | null | undefined;
      const layer = worked ?? (await parse(pawl, alfred));
      if (!worked) cache?.put(CACHE_KIND, texts, () => layer);
      cached = { texts, configuration: configurationOf(layer) };
    }
    return cached.configuration;
  };
}

function configurationOf({ tree, places }: Layer): Configuration {
  const settings = merge(DEFAULT_SETTINGS as unknown as Tree, tree);
  return {
    settings: settings as unknown as Settings,
    // Lazy: only `pawl config` needs these.
    get origins() {
      return leaves(settings).map((path) => ({
        path: path.join("."),
        value: path.reduce<unknown>((at, key) => (at as Tree)[key], settings),
        from: places[path.join(".")] ?? "default",
      }));
    },
  };
}

const DEFAULTS = configurationOf({ tree: {}, places: {} });

async function parse(pawl: string | null, alfred: string | null): Promise<Layer> {
  const [{ parseFile }, { pawlFile, ALFRED_FILE }] = await Promise.all([
    import("./config-file.ts"),
    import("./config-schema.ts"),
  ]);
  const lower = alfred === null ? null : parseFile(ALFRED_CONFIG, alfred, ALFRED_FILE);
  const upper = pawl === null ? null : parseFile(PAWL_YAML, pawl, await pawlFile());
  const upperValues = upper === null ? {} : spelledOut(upper.tree);
  let tree: Tree = {};
  const places: [string, string][] = [];
  for (const layer of [
    lower && { tree: { alfred: besides(sized(lower.tree), upperValues) }, skip: 1, file: lower },
    upper && { tree: upperValues, skip: 0, file: upper },
  ]) {
    if (!layer) continue;
    tree = merge(tree, layer.tree);
    for (const path of leaves(layer.tree))
      places.push([path.join("."), layer.file.placeOf(asWritten(path).slice(layer.skip))]);
  }
  return { tree, places: Object.fromEntries(places) };
}

/** Settings with a one-word form: `gates: signed` is short for `gates: {default: signed}`. */
const SHORT: Tree = { gates: "default", sandbox: "kind" };

export function spelledOut(tree: Tree): Tree {
  const entries = Object.entries(tree).map(([key, value]) => {
    const name = SHORT[key];
    return [key, typeof name === "string" && typeof value === "string" ? { [name]: value } : value];
  });
  const spelled = withStandIns(withEnvironment(Object.fromEntries(entries)));
  return isObject(spelled.alfred) ? { ...spelled, alfred: sized(spelled.alfred) } : spelled;
}

/** `reviews: light` is short for its size and the reviewers of that; a map of reviewers has no size. */
function sized(alfred: Tree): Tree {
  const { reviews } = alfred;
  if (isObject(reviews)) return { ...alfred, size: null };
  return typeof reviews === "string"
    ? { ...alfred, size: reviews, reviews: SIZED_REVIEWS[reviews as Size] }
    : alfred;
}

/** The lower file's keys for `alfred`; a size above replaces its reviewers as a whole. */
function besides(lower: Tree, upper: Tree): Tree {
  const above = isObject(upper.alfred) ? upper.alfred : {};
  if (typeof above.size !== "string") return lower;
  const { reviews: _, size: __, ...rest } = lower;
  return rest;
}

/** `agent: [A, B]` is A; with `on_limit: next`, B takes over. */
function withStandIns(tree: Tree): Tree {
  if (!isObject(tree.bloom)) return tree;
  const { agent, on_limit, ...rest } = tree.bloom;
  if (agent === undefined) return { ...tree, bloom: rest };
  const [first, ...others] = [agent].flat();
  const standIns = on_limit === "next" && others.length > 0 ? { stand_ins: others } : {};
  return { ...tree, bloom: { ...rest, agent: first, ...standIns } };
}

/**
 * `environment: [A]` is short for `environment: {variables: [A]}`; its other keys are the tasks' own
 * resources.
 */
function withEnvironment(tree: Tree): Tree {
  if (!isObject(tree.environment)) return tree;
  const { variables = [], ...task_environment } = tree.environment;
  return { ...tree, environment: variables, task_environment };
}

/** Where a file has the setting, or what it is short for. */
function asWritten(path: readonly string[]): readonly string[] {
  const [key, name] = path;
  if (key === "task_environment") return ["environment", ...path.slice(1)];
  if (key === "environment") return [key, "variables"];
  if (key === "bloom" && name === "stand_ins") return [key, "agent"];
  return key === "alfred" && name === "size" ? [key, "reviews"] : path;
}

function merge(below: Tree, above: Tree): Tree {
  const merged: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const under = Object.hasOwn(below, key) ? below[key] : undefined;
    merged[key] = isObject(value) && isObject(under) ? merge(under, value) : value;
  }
  return merged;
}

function leaves(tree: Tree, path: readonly string[] = []): readonly (readonly string[])[] {
  return Object.entries(tree).flatMap(([key, value]) =>
    isObject(value) && Object.keys(value).length > 0 ? leaves(value, [...path, key]) : [[...path, key]],
  );
}
