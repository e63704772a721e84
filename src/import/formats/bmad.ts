/** BMAD: the epics and stories of `sprint-status.yaml`, and the story files next to it. */
import { isObject } from "../../core/json.ts";
import { readYaml } from "../../core/yaml/yaml.ts";
import { readRecords, type Shape } from "../records.ts";
import { invalidSourceError, type Read, type SourceFile } from "../source.ts";
import { plain, textOf } from "../words.ts";

const SHAPE: Shape = {
  id: ["id"],
  title: ["title"],
  texts: { body: "" },
  status: ["status"],
  parent: ["parent"],
};

export function readBmad(files: readonly SourceFile[]): Read {
  const remarks: string[] = [];
  const records = files
    .filter(({ path }) => /\.ya?ml$/.test(path))
    .flatMap(({ path, text }) => {
      const { data } = readYaml(plain(text));
      const statuses = isObject(data) ? data.development_status : null;
      if (!isObject(statuses)) throw invalidSourceError(path, "a map `development_status`", "none");
      const all = Object.entries(statuses).map(([id, word]) => [id, textOf(word)] as const);
      const work = all.filter(([id]) => !id.endsWith("-retrospective"));
      if (work.length < all.length)
        remarks.push(`${path}: ${all.length - work.length} retrospectives: left out.`);
      return work.map(([id, status]) => {
        const epic = /^(\d+)-\d+/.exec(id)?.[1];
        const story = files.find((file) => file.path.endsWith(`/${id}.md`));
        return {
          id,
          title: id.replace(/^\d+-\d+[a-z]?-/, "").replaceAll("-", " "),
          status: status === "contexted" ? "in-progress" : status,
          body: story?.text ?? "",
          parent: epic === undefined ? "" : `epic-${epic}`,
        };
      });
    });
  return readRecords(records, SHAPE, remarks);
}
