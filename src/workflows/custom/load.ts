/** A workflow's file and its replies, read through a view; an edit of any of them counts at the next read. */

import { PawlError } from "../../core/error.ts";
import { filesIn } from "../../core/files-in.ts";
import type { OwnFile } from "../../core/own-file.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";
import { openByText } from "../../core/text/by-text.ts";
import type { Extensible } from "../../engine/extend.ts";
import type { Violation } from "../../engine/violation.ts";
import { checkPrompts, checkTexts, promptNames, textNames } from "./agents/prompt.ts";
import { BLOOM, type Definition, type DefinitionSource, type Loaded } from "./definition/definition.ts";
import { folderBeside, parseOver } from "./definition/extending-own.ts";
import { extendedBy, type ParsedWorkflow, parseWorkflow } from "./definition/parse.ts";
import { invalidWorkflowError } from "./definition/problem.ts";
import { tableHash } from "./proved.ts";
import { checkReplies } from "./reply.ts";

/** What a file may extend. */
export interface Bases {
  /** Bloom's table. */
  bloom(): Promise<Extensible>;
  /** The workflows of the project. */
  readonly files: readonly OwnFile[];
}

/** The source of a workflow in a file of the project. `bases`: absent, it can extend none. */
export function fileSource({ file, name }: OwnFile, bases?: Bases): DefinitionSource {
  const parsedOnce = openByText<ParsedWorkflow>(1);
  const loadedOnce = openByText<Loaded>(1);
  const parsedFrom = async (view: View) => {
    const text = await view.read(file);
    if (text === null) throw missingFileError(name, file);
    const base = bases ? await baseOf(view, { file, name, text }, bases) : null;
    const texts = JSON.stringify([text, base && "text" in base ? base.text : null]);
    return { texts, parsed: parsedOnce(texts, () => parsedOver({ file, name, text }, base)) };
  };
  return {
    name,
    file,
    async load(view) {
      const { parsed, texts: ofFiles } = await parsedFrom(view);
      const { base, needsReplies = base === undefined && needsTexts(parsed.definition) } = parsed;
      const folder = folderBeside(file, parsed.replies);
      const ownReplies = await readReplies(view, folder);
      if (ownReplies === null && needsReplies)
        throw invalidWorkflowError(name, file, [
          {
            place: parsed.repliesPlace,
            message: `the folder of the replies, ${folder}, is missing or holds no .md file.`,
          },
        ]);
      const others = base === undefined ? {} : ((await readReplies(view, base.replies)) ?? {});
      const replies = { ...usedOf(others, parsed.definition), ...ownReplies };
      return loadedOnce(JSON.stringify([ofFiles, replies]), () => {
        const definition: Definition = { ...parsed.definition, ...parted(parsed.definition, replies) };
        const textFile = (text: string) =>
          `${ownReplies?.[text] === undefined && Object.hasOwn(others, text) ? base?.replies : folder}/${text}.md`;
        const problems =
          definition.extends === undefined
            ? [...checkReplies(definition, textFile), ...checkPrompts(definition, textFile)]
            : checkTexts(definition, textFile);
        if (problems.length > 0) throw invalidWorkflowError(name, folder, problems);
        const placeOf = (violation: Violation) =>
          violation.kind === "reply-unused" && violation.reply !== undefined
            ? `${textFile(violation.reply)}:1:1`
            : parsed.placeOf(violation);
        const files = base === undefined ? [file] : [file, base.file];
        return { definition, hash: tableHash(definition), placeOf, files, textFile };
      });
    },
  };
}

type File = OwnFile & { readonly text: string };

/** What the file extends: Bloom's table, or another file; null: nothing. */
async function baseOf(
  view: View,
  { file, name, text }: File,
  bases: Bases,
): Promise<Extensible | File | null> {
  const extended = extendedBy(file, text);
  if (extended === null) return null;
  if (extended.name === BLOOM) return bases.bloom();
  const others = bases.files.filter((each) => each.name !== name);
  const base = others.find((each) => each.name === extended.name);
  if (base === undefined) {
    const names = [BLOOM, ...others.map((each) => each.name)].join(", ");
    const message = `extends: expected ${BLOOM}, or another of \`workflows\` in pawl.yaml: ${names}; found ${extended.name}.`;
    throw invalidWorkflowError(name, file, [{ place: extended.place, message }]);
  }
  const baseText = await view.read(base.file);
  if (baseText === null) throw missingFileError(base.name, base.file);
  if (extendedBy(base.file, baseText) === null) return { ...base, text: baseText };
  const message = `extends: ${base.file} extends another one itself: expected a file that stands alone.`;
  throw invalidWorkflowError(name, file, [{ place: extended.place, message }]);
}

function parsedOver({ file, name, text }: File, base: Extensible | File | null): ParsedWorkflow {
  if (base === null) return parseWorkflow(name, file, text);
  return "table" in base ? parseWorkflow(name, file, text, base) : parseOver(name, file, text, base);
}

/** The texts of the extended file that it still uses. */
function usedOf(texts: Readonly<Record<string, string>>, definition: ParsedWorkflow["definition"]) {
  const names = new Set([...definition.table.rules.map(({ reply }) => reply), ...promptNames(definition)]);
  return Object.fromEntries(Object.entries(texts).filter(([name]) => names.has(name)));
}

/** The texts in the folder; those that a rule names are prompts. */
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
  const names = await filesIn(view, folder, ".md");
  if (names.length === 0) return null;
  const texts = await Promise.all(
    names.map(async (name) => [name, (await view.read(projectPath(folder, `${name}.md`))) ?? ""]),
  );
  return Object.fromEntries(texts);
}

function missingFileError(name: string, file: string): PawlError {
  return new PawlError(
    "workflow-invalid",
    `The workflow ${name} has no file: expected ${file}, as pawl.yaml says.`,
    `Create ${file}, or take it out of \`workflows\` in pawl.yaml.`,
  );
}
