/** A workflow's file and its replies, read through a view; an edit of any of them counts at the next read. */

import { PawlError } from "../../core/error.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";
import type { Extensible } from "../../engine/extend.ts";
import type { Violation } from "../../engine/violation.ts";
import { checkPrompts, checkTexts, promptNames, textNames } from "./agents/prompt.ts";
import type { Definition, DefinitionSource, Loaded } from "./definition.ts";
import { extendsAnother, type ParsedWorkflow, parseWorkflow } from "./parse.ts";
import { invalid } from "./problem.ts";
import { tableHash } from "./proved.ts";
import { checkReplies } from "./reply.ts";

/** Opens the table that a file may extend: Bloom's. */
export type OpenBase = () => Promise<Extensible>;

/** The source of a workflow in a file of the project. `openBase`: absent, it can extend none. */
export function fileSource(name: string, file: ProjectPath, openBase?: OpenBase): DefinitionSource {
  let read: { readonly text: string; readonly parsed: ParsedWorkflow } | undefined;
  let known: { readonly texts: string; readonly loaded: Loaded } | undefined;
  return {
    name,
    file,
    async load(view) {
      const text = await view.read(file);
      if (text === null) throw missing(name, file);
      if (read?.text !== text) {
        const over = openBase && extendsAnother(text) ? await openBase() : undefined;
        read = { text, parsed: parseWorkflow(name, file, text, over) };
      }
      const { parsed } = read;
      const folder = projectPath(...file.split("/").slice(0, -1), parsed.replies);
      const files = (await readReplies(view, folder)) ?? (needsTexts(parsed.definition) ? null : {});
      if (files === null)
        throw invalid(name, file, [
          {
            place: parsed.repliesPlace,
            message: `the folder of the replies, ${folder}, is missing or holds no .md file.`,
          },
        ]);
      const texts = JSON.stringify([text, files]);
      if (known?.texts === texts) return known.loaded;
      const definition: Definition = { ...parsed.definition, ...parted(parsed.definition, files) };
      const sourceOf = (name: string) => `${folder}/${name}.md`;
      const problems =
        definition.extends === undefined
          ? [...checkReplies(definition, sourceOf), ...checkPrompts(definition, sourceOf)]
          : checkTexts(definition, sourceOf);
      if (problems.length > 0) throw invalid(name, folder, problems);
      const placeOf = (violation: Violation) =>
        violation.kind === "reply-unused" ? `${folder}/${violation.reply}.md:1:1` : parsed.placeOf(violation);
      known = { texts, loaded: { definition, hash: tableHash(definition), placeOf } };
      return known.loaded;
    },
  };
}

/** The texts in the folder: a prompt is what a rule names as one. */
function parted(
  definition: ParsedWorkflow["definition"],
  files: Readonly<Record<string, string>>,
): Pick<Definition, "prompts" | "replies"> {
  const names = promptNames(definition);
  if (definition.extends !== undefined) return { replies: {}, prompts: files };
  if (names.size === 0) return { replies: files };
  const entries = Object.entries(files);
  return {
    replies: Object.fromEntries(entries.filter(([name]) => !names.has(name))),
    prompts: Object.fromEntries(entries.filter(([name]) => names.has(name))),
  };
}

function needsTexts(definition: ParsedWorkflow["definition"]): boolean {
  return definition.extends === undefined || textNames(definition).size > 0;
}

async function readReplies(
  view: View,
  folder: ProjectPath,
): Promise<Readonly<Record<string, string>> | null> {
  const names = (await view.list(folder)).filter(({ kind, name }) => kind === "file" && name.endsWith(".md"));
  if (names.length === 0) return null;
  const texts = await Promise.all(
    names.map(async ({ name }) => [name.slice(0, -3), (await view.read(projectPath(folder, name))) ?? ""]),
  );
  return Object.fromEntries(texts);
}

function missing(name: string, file: string): PawlError {
  return new PawlError(
    "workflow-invalid",
    `The workflow ${name} has no file: expected ${file}, as pawl.yaml says.`,
    `Create ${file}, or take it out of \`workflows\` in pawl.yaml.`,
  );
}
