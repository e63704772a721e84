/** What is wrong with an order to begin runs, as far as its own table shows it. */
import { pathFault } from "../../../core/path.ts";
import { targetOf } from "../../../engine/configuration.ts";
import { pairOf } from "../../../engine/lookup.ts";
import type { Rule } from "../../../engine/workflow.ts";
import {
  agentCommands,
  type BeginCommand,
  BLOOM,
  type Definition,
  GATHERED,
} from "../definition/definition.ts";
import { renderWithId, templateFault } from "../definition/template.ts";

type Checked = Pick<Definition, "sources" | "table">;

const OF_A_REPOSITORY = ["merge_into", "open_pr", "branch", "base_branch"];

export function beginFaults(definition: Checked, rule: Rule, command: BeginCommand): readonly string[] {
  const { done, each, event, first, from, most, task, with: keys, workflow } = command;
  const isOfBloom = workflow === BLOOM;
  const problems = [
    ...(typeof workflow === "string" ? [] : ["`begin` lacks workflow: expected bloom, or another workflow."]),
    ...((from === undefined) === (each === undefined)
      ? ["expected one of `from`, an agent's tasks, and `each`, a file."]
      : []),
    ...((first === undefined) === (most === undefined)
      ? ["expected one of `most` and `first`: how many runs may begin."]
      : []),
    ...((task === undefined) === (each === undefined)
      ? []
      : ["expected `task`, the text of each run's task, with `each` and only there."]),
    ...(isOfBloom && event !== undefined ? ["a task of Bloom takes no `event`: the loop begins it."] : []),
    ...(isOfBloom && done !== undefined
      ? ["a task of Bloom is done when it is merged: leave `done` out."]
      : []),
    ...(!isOfBloom && keys !== undefined ? ["expected `with` only for tasks of Bloom."] : []),
    ...(keys === undefined || keys.repo !== undefined
      ? []
      : OF_A_REPOSITORY.filter((key) => keys[key] !== undefined).map(
          (key) => `\`with\` has ${key} and no repo: expected \`repo: .\` for the project's own.`,
        )),
    ...(from === undefined ? [] : fromFaults(definition, from)),
    ...(each === undefined ? [] : fileFaults(each)),
  ];
  return [...problems, ...gatheredFaults(definition, rule)];
}

function fromFaults({ table }: Checked, from: string): readonly string[] {
  const [agent, field = ""] = from.split(".");
  const fields = agentCommands({ table }).flatMap(({ command }) =>
    Object.entries(command.answers ?? {}).map(([name, kind]) => ({ agent: command.agent, name, kind })),
  );
  const named = fields.filter((each) => each.agent === agent && each.name === field);
  if (named.length > 0 && named.every(({ kind }) => kind === "tasks")) return [];
  const known = fields.filter(({ kind }) => kind === "tasks").map((each) => `${each.agent}.${each.name}`);
  const expected = known.length > 0 ? `one of ${[...new Set(known)].join(", ")}` : "AGENT.FIELD";
  const why = named.length > 0 ? `${from} is not a field of tasks` : `no agent answers ${from}`;
  return [`${why}: expected ${expected}, which an order asks for with \`answers: { FIELD: tasks }\`.`];
}

function fileFaults(path: string): readonly string[] {
  const fault = templateFault(path) ?? pathFault(renderWithId(path, "id"));
  return fault ? [`the file ${JSON.stringify(path)} cannot be used: ${fault}.`] : [];
}

/** `gathered` must lead on for every outcome of the runs. */
function gatheredFaults({ sources, table }: Checked, rule: Rule): readonly string[] {
  const facts = Object.keys(sources).filter((name) => sources[name]?.type === "children");
  return rule.from.flatMap((from) => {
    const state = targetOf(rule, from) ?? from;
    const stays = pairOf(table, state, GATHERED).rules.filter(({ outcome }) => outcome !== "moved");
    const values = ["none", "failed", "all-done"].filter((value) =>
      stays.some(({ when = [{}] }) =>
        when.some((box) => facts.every((fact) => box[fact] === undefined || box[fact]?.includes(value))),
      ),
    );
    // A state without any rule for it is named by the check of all ends.
    if (values.length === 0 || stays.length === pairOf(table, state, GATHERED).rules.length) return [];
    return [
      `in ${state}, ${GATHERED} moves nothing where its runs are ${values.join(" or ")}: expected a rule that leads on.`,
    ];
  });
}
