/**
 * ccpm: an epic's folder below `.claude/epics`, with a file per task; after a sync, the files have their
 * issues' numbers as names.
 */

import type { Fields } from "../../core/json.ts";
import { parseFronted } from "../front-fields.ts";
import { readRecords, type Shape } from "../records.ts";
import type { Read, SourceFile } from "../source.ts";
import { textOf } from "../words.ts";

const SHAPE: Shape = {
  id: ["id", "task"],
  title: ["name", "title"],
  texts: { body: "" },
  status: ["status"],
  url: ["github"],
  depends: ["dependson"],
  parent: ["parent"],
  aside: ["created", "updated", "task"],
};

const ARCHIVED = /(?:^|\/)epics\/(?:\.?archived?)\//;
const FILE = /(?:^|\/)([^/]+)\/(\d+|epic)\.md$/;

export function readCcpm(files: readonly SourceFile[]): Read {
  const remarks: string[] = [];
  const names = files.flatMap(({ path }) => FILE.exec(path)?.slice(1, 3).join("/") ?? []);
  // Compared as numbers, because YAML reads 001 as 1.
  const nameOf = (number: string, epic: string) =>
    names
      .find((each) => each.startsWith(`${epic}/`) && Number(each.slice(epic.length + 1)) === Number(number))
      ?.slice(epic.length + 1) ?? number;
  const records = files.flatMap((file): readonly Fields[] => {
    const [, epic, name] = FILE.exec(file.path) ?? [];
    const { body, fields } = parseFronted(file.text);
    if (epic === undefined || fields === null || ARCHIVED.test(file.path)) return [];
    const isEpic = name === "epic";
    const on = Array.isArray(fields.depends_on) ? fields.depends_on.map(textOf) : [];
    return [
      {
        ...fields,
        id: isEpic ? epic : `${epic}.${name}`,
        body,
        depends_on: on.map((each) => `${epic}.${nameOf(each, epic)}`),
        ...(isEpic ? {} : { parent: epic }),
        ...(isEpic && textOf(fields.name) === "" ? { name: epic } : {}),
      },
    ];
  });
  const archived = files.filter(({ path }) => ARCHIVED.test(path)).length;
  if (archived > 0) remarks.push(`${archived} files of archived epics: left out.`);
  if (records.length + archived < files.length)
    remarks.push(
      `${files.length - records.length - archived} files are neither an epic nor a task (notes, updates, analyses): left out.`,
    );
  return readRecords(records, SHAPE, remarks);
}
