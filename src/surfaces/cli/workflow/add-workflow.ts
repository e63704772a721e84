/** Edits `workflows` in the text of pawl.yaml. Everything else stays. */
import { isMap, isScalar, isSeq } from "yaml";
import { PawlError } from "../../../core/error.ts";
import { readYaml } from "../../../core/yaml/yaml.ts";
import { withSetting } from "../team/project-id.ts";

/** The text with this file in the list of workflows. Throws `config-invalid` if only a person can add it. */
export function withWorkflow(text: string, file: string): string {
  const before = listIn(text);
  if (before?.includes(file)) return text;
  const after = before === null ? withList(text, file) : withItem(text, file);
  const expected = JSON.stringify([...(before ?? []), file]);
  if (JSON.stringify(listIn(after)) === expected) return after;
  throw new PawlError(
    "config-invalid",
    `pawl.yaml: expected room for \`workflows: [${file}]\`; found a form that Pawl does not edit.`,
    `Nothing was written. Write ${file} into \`workflows\` in pawl.yaml, then run the command again.`,
  );
}

/** The list of workflows; null: none. */
function listIn(text: string): readonly unknown[] | null {
  const found: unknown = (readYaml(text).data as { readonly workflows?: unknown } | null)?.workflows;
  return Array.isArray(found) ? found : null;
}

function withList(text: string, file: string): string {
  const { contents } = readYaml(text).document;
  return isMap(contents) && contents.flow ? text : withSetting(text, "workflows", `[${file}]`);
}

function withItem(text: string, file: string): string {
  const { contents } = readYaml(text).document;
  const pair = isMap(contents)
    ? contents.items.find(({ key }) => isScalar(key) && key.value === "workflows")
    : undefined;
  const list = pair?.value;
  if (!isSeq(list) || !list.range) return text;
  const last = list.items.at(-1);
  const end = isScalar(last) && last.range ? last.range[1] : null;
  if (list.flow) {
    const at = end ?? list.range[0] + 1;
    return `${text.slice(0, at)}${end === null ? "" : ", "}${file}${text.slice(at)}`;
  }
  if (end === null) return text;
  const [first] = list.range;
  const indent = text.slice(text.lastIndexOf("\n", first) + 1, first);
  const line = text.indexOf("\n", end);
  const at = line < 0 ? text.length : line;
  return `${text.slice(0, at)}\n${indent}- ${file}${text.slice(at)}`;
}
