import { isMap, isScalar, isSeq } from "yaml";
import { nearestFew } from "../core/text/nearest.ts";
import { type ParsedFile, unwritableTaskError } from "./entries.ts";
import { parseTasks, parseText } from "./parse.ts";
import type { KeyPath, Problem } from "./problem.ts";
import { KNOWN_KEYS } from "./schema.ts";
import { isOpenStatus, type Task } from "./task.ts";

export function problemsOf(text: string): readonly Problem[] {
  const parsed = parseTasks(text);
  return parsed.ok ? [] : parsed.problems;
}

/** The open tasks whose status Pawl cannot change, so that no loop can take them. */
export function unwritable(text: string, tasks: readonly Task[], parsed: ParsedFile): readonly Problem[] {
  const { where } = parseText(text);
  const problems: Problem[] = [];
  const visit = (list: readonly Task[], path: KeyPath) => {
    list.forEach((task, index) => {
      const itemPath = [...path, index];
      const why = isOpenStatus(task.status) ? unwritableTaskError(parsed, task.id) : null;
      if (why) problems.push({ ...where([...itemPath, "status"]), message: why.message, fix: why.fix });
      visit(task.subtasks, [...itemPath, "subtasks"]);
    });
  };
  visit(tasks, ["tasks"]);
  return problems;
}

/** The agents and lives that a task may name. */
export interface Names {
  readonly agents: readonly string[];
  readonly lives: readonly string[];
}

/**
 * Warns of unknown keys that look misspelt (other unknown keys are a person's own), and of unknown agents and
 * lives.
 */
export function warnings(text: string, { agents, lives }: Names): readonly Problem[] {
  const { document, where } = parseText(text);
  const problems: Problem[] = [];
  const visit = (node: unknown, path: (string | number)[], names: readonly string[]) => {
    if (!isMap(node)) return;
    for (const { key } of node.items) {
      const name = isScalar(key) ? String(key.value) : "";
      const [near] = names.includes(name) ? [] : nearestFew(name, names);
      if (near === undefined || Math.abs(near.length - name.length) > 2 || name.length < 4) continue;
      problems.push({
        ...where([...path, name]),
        message: `The key ${JSON.stringify(name)} is unknown, so Pawl does not read it.`,
        fix: `If ${near} is meant, write that.`,
      });
    }
    const agent = names === KNOWN_KEYS.task ? node.get("agent") : undefined;
    if (typeof agent === "string" && !agents.includes(agent))
      problems.push(unknownAgent(agent, agents, where([...path, "agent"])));
    const life = names === KNOWN_KEYS.task ? node.get("life") : undefined;
    if (typeof life === "string" && !lives.includes(life))
      problems.push({
        ...where([...path, "life"]),
        message: `No life of tasks is called ${JSON.stringify(life)}: expected one of ${lives.join(", ")}.`,
        fix: "Name one of `workflows` in pawl.yaml that extends bloom.",
      });
    for (const [list, keys] of [
      ["tasks", KNOWN_KEYS.task],
      ["subtasks", KNOWN_KEYS.task],
      ["steps", KNOWN_KEYS.step],
    ] as const) {
      const items = node.get(list, true);
      if (isSeq(items))
        items.items.forEach((item, index) => {
          visit(item, [...path, list, index], keys);
        });
    }
  };
  visit(document.contents, [], KNOWN_KEYS.file);
  return problems;
}

function unknownAgent(
  name: string,
  agents: readonly string[],
  place: Pick<Problem, "line" | "column">,
): Problem {
  const [near] = nearestFew(name, agents);
  return {
    ...place,
    message: `No agent is called ${JSON.stringify(name)}: expected one of ${agents.join(", ")}.`,
    fix:
      near === undefined
        ? "Name one of them, or add it to pawl.yaml."
        : `If ${near} is meant, write that; else add it to pawl.yaml.`,
  };
}
