import { isMap } from "yaml";
import { projectPath } from "../../../core/path.ts";
import type { View } from "../../../core/ports/store.ts";
import type { Settings } from "../../../core/settings.ts";
import { readYaml } from "../../../core/yaml/yaml.ts";
import type { FileEdit } from "../project/edit-files.ts";

/** Gives the project an id, if its settings have none. */
export async function projectIdEdit(view: View, { project_id }: Settings, fresh: string): Promise<FileEdit> {
  const before = await view.read(projectPath("pawl.yaml"));
  return {
    path: "pawl.yaml",
    before,
    after: project_id === null ? withProjectId(before ?? "", fresh) : before,
  };
}

/** Adds a `project_id` to the text of a pawl.yaml that has none, after its first comment. */
export function withProjectId(text: string, id: string): string {
  return withSetting(text, "project_id", id);
}

/** Adds any setting that the text lacks. */
export function withSetting(text: string, key: string, value: string | boolean): string {
  const { contents } = readYaml(text).document;
  const at = contents?.range?.[0] ?? text.length;
  const [head, rest] = [text.slice(0, at), text.slice(at)];
  if (isMap(contents) && contents.flow)
    return `${head}{ "${key}": ${JSON.stringify(value)}${contents.items.length === 0 ? " " : ", "}${rest.slice(1).trimStart()}`;
  const ended = head === "" || head === "\uFEFF" || head.endsWith("\n") ? head : `${head}\n`;
  return `${ended}${key}: ${value}\n${rest}`;
}
