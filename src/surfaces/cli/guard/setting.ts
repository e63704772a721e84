/** Edits `guard` in the text of pawl.yaml, which must be readable. Everything else stays. */
import { isMap, isScalar } from "yaml";
import { readYaml } from "../../../core/yaml/yaml.ts";
import { withSetting } from "../team/project-id.ts";

export function withGuard(text: string): string {
  const setting = guardIn(text);
  if (setting === null) return withSetting(text, "guard", true);
  return setting.isOn ? text : `${text.slice(0, setting.from)}true${text.slice(setting.to)}`;
}

export function withoutGuard(text: string): string {
  const setting = guardIn(text);
  if (!setting?.isOn) return text;
  if (setting.isFlow) return `${text.slice(0, setting.from)}false${text.slice(setting.to)}`;
  const start = text.lastIndexOf("\n", setting.from - 1) + 1;
  const end = text.indexOf("\n", setting.to);
  return text.slice(0, start) + (end < 0 ? "" : text.slice(end + 1));
}

interface GuardSetting {
  readonly isOn: boolean;
  /** The offsets of its value. */
  readonly from: number;
  readonly to: number;
  /** Whether it shares a line with other settings. */
  readonly isFlow: boolean;
}

function guardIn(text: string): GuardSetting | null {
  const { contents } = readYaml(text).document;
  if (!isMap(contents)) return null;
  const pair = contents.items.find(({ key }) => isScalar(key) && key.value === "guard");
  const value = pair?.value;
  if (!isScalar(value) || !value.range) return null;
  const [from, to] = value.range;
  return { isOn: value.value === true, from, to, isFlow: contents.flow === true };
}
