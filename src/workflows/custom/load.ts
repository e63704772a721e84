/** A workflow's file and its replies, read through a view; an edit of any of them counts at the next read. */

import { PawlError } from "../../core/error.ts";
import { hashOf } from "../../core/hash.ts";
import { type ProjectPath, projectPath } from "../../core/path.ts";
import type { View } from "../../core/ports/store.ts";
import { check } from "../../engine/check.ts";
import type { Violation } from "../../engine/violation.ts";
import { storedTable } from "../../runtime/run-log/history.ts";
import type { Definition, DefinitionSource, Loaded } from "./definition.ts";
import { type ParsedWorkflow, parseWorkflow } from "./parse.ts";
import { invalid } from "./problem.ts";
import { checkReplies } from "./reply.ts";

/** The source of a workflow in a file of the project. */
export function fileSource(name: string, file: ProjectPath): DefinitionSource {
  let read: { readonly text: string; readonly parsed: ParsedWorkflow } | undefined;
  let known: { readonly texts: string; readonly loaded: Loaded } | undefined;
  return {
    name,
    file,
    async load(view) {
      const text = await view.read(file);
      if (text === null) throw missing(name, file);
      if (read?.text !== text) read = { text, parsed: parseWorkflow(name, file, text) };
      const { parsed } = read;
      const folder = projectPath(...file.split("/").slice(0, -1), parsed.replies);
      const replies = await readReplies(view, folder);
      if (replies === null)
        throw invalid(name, file, [
          {
            place: parsed.repliesPlace,
            message: `the folder of the replies, ${folder}, is missing or holds no .md file.`,
          },
        ]);
      const texts = JSON.stringify([text, replies]);
      if (known?.texts === texts) return known.loaded;
      const definition: Definition = { ...parsed.definition, replies };
      const problems = checkReplies(definition, (reply) => `${folder}/${reply}.md`);
      if (problems.length > 0) throw invalid(name, folder, problems);
      const placeOf = (violation: Violation) =>
        violation.kind === "reply-unused" ? `${folder}/${violation.reply}.md:1:1` : parsed.placeOf(violation);
      known = { texts, loaded: { definition, hash: tableHash(definition), placeOf } };
      return known.loaded;
    },
  };
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

/** The hash of what decides: the table and the sources of its facts. */
export function tableHash({ table, sources }: Definition): string {
  return hashOf(JSON.stringify([storedTable(table), sources]));
}

function missing(name: string, file: string): PawlError {
  return new PawlError(
    "workflow-invalid",
    `The workflow ${name} has no file: expected ${file}, as pawl.yaml says.`,
    `Create ${file}, or take it out of \`workflows\` in pawl.yaml.`,
  );
}

const proofs = new WeakMap<Definition, PawlError | null>();

/** Throws `workflow-invalid` if the table is not proved, because then it must move no run. */
export function checkProved(definition: Definition, file: string | null): void {
  const known = proofs.get(definition);
  const fault = known === undefined ? proofFault(definition, file) : known;
  if (known === undefined) proofs.set(definition, fault);
  if (fault) throw fault;
}

function proofFault({ table, replies }: Definition, file: string | null): PawlError | null {
  const { violations } = check({ workflow: table, replies: Object.keys(replies) });
  const [first] = violations;
  if (!first) return null;
  const more = violations.length > 1 ? ` (${violations.length - 1} more after this one)` : "";
  return new PawlError(
    "workflow-invalid",
    `The workflow ${table.name} is not proved, so none of its runs may continue: ${first.message}${more}`,
    `Correct ${file ?? "its table"}; \`pawl check ${table.name}\` shows all that is wrong with it.`,
  );
}
