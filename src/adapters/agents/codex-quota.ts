/**
 * What codex' account has used. Its stream does not say it, but the file in which it keeps the session does. An
 * agent may write that file, so it is read with care, and only numbers of it count.
 */
import { join } from "node:path";
import { attempt } from "../../core/attempt.ts";
import type { QuotaWindow } from "../../core/ports/agents.ts";
import { ownPath } from "../files/own-folder.ts";
import { firstNames, readPlainEnd } from "../files/plain-file.ts";
import { type AgentLine, numberAt, objectAt, parseLine } from "./dialects/dialect.ts";
import { timeOf } from "./dialects/reset-time.ts";

const DAY = 86_400_000;
const MAX_FILES = 10_000;
/** Bytes at the file's end. The line follows each answer of the model. */
const TAIL = 512 * 1024;

/** `home`: codex' own folder. Empty: it does not say it. */
export function codexQuota(home: string, session: string): readonly AgentLine[] {
  const file = fileOf(home, session);
  const text = file === null ? "" : attempt(() => readPlainEnd(file, TAIL).bytes.toString("utf8"), "");
  const line = text.split("\n").findLast((each) => each.includes('"rate_limits":{'));
  const limits = objectAt(parseLine(line ?? ""), "payload", "rate_limits");
  const windows = ["primary", "secondary"].flatMap((name) => windowOf(objectAt(limits, name)));
  if (windows.length === 0) return [];
  const spent = windows.filter(({ used }) => used >= 1).map(({ resets }) => Date.parse(resets));
  return [
    { type: "quota", windows },
    ...(spent.length > 0 ? ([{ type: "limit", resets: Math.max(...spent) }] as const) : []),
  ];
}

function windowOf(window: Readonly<Record<string, unknown>>): readonly QuotaWindow[] {
  const [percent, minutes] = [numberAt(window, "used_percent"), numberAt(window, "window_minutes")];
  const resets = timeOf(window.resets_at);
  if (percent === null || minutes === null || resets === null) return [];
  return [{ name: nameOf(minutes), used: percent / 100, resets: resets.toISOString() }];
}

/** `5_hour` */
function nameOf(minutes: number): string {
  if (minutes % 1440 === 0) return `${minutes / 1440}_day`;
  return minutes % 60 === 0 ? `${minutes / 60}_hour` : `${minutes}_minute`;
}

/** The session's id is a UUID of version 7: it begins with the time, which gives the day in any time zone. */
function fileOf(home: string, session: string): string | null {
  const time = Number.parseInt(session.replaceAll("-", "").slice(0, 12), 16);
  for (const day of [0, -DAY, DAY]) {
    const date = attempt(() => new Date(time + day).toISOString().slice(0, 10), "");
    const folder = attempt(() => ownPath(home, `sessions/${date.replaceAll("-", "/")}`), "");
    const names = folder === "" ? [] : attempt(() => firstNames(folder, MAX_FILES), []);
    const name = names.find((each) => each.endsWith(`-${session}.jsonl`));
    if (name !== undefined) return join(folder, name);
  }
  return null;
}
