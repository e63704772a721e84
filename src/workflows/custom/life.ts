/** A task's life, as a file that extends Bloom's table has it. */
import { PawlError } from "../../core/error.ts";
import { type OwnFile, ownFile } from "../../core/own-file.ts";
import type { FindLife } from "../../core/ports/loop.ts";
import { answerWords } from "./agents/answer.ts";
import { allAnswers } from "./agents/prompt.ts";
import { agentCommands } from "./definition/definition.ts";
import { type Bases, fileSource } from "./load.ts";
import { checkProved } from "./proved.ts";

/** Finds a life by its name, and gives the text under whose hash a run keeps it. */
export function openLives(basesAmong: (files: readonly OwnFile[]) => Bases): FindLife {
  return async (view, workflows, name) => {
    const files = workflows.map(ownFile);
    const found = files.find((each) => each.name === name);
    if (found === undefined)
      throw new PawlError(
        "config-invalid",
        `The life ${name} is no workflow of this project: expected one of those under \`workflows\` in pawl.yaml.`,
        `Write its file there, such as \`workflows: [./${name}.yaml]\`, or another name in \`life\`.`,
      );
    const { definition } = await fileSource(found, basesAmong(files)).load(view);
    const { file } = found;
    if (definition.extends === undefined)
      throw new PawlError(
        "config-invalid",
        `${file} is a workflow with runs of its own, so it cannot be the life of a task: expected \`extends: bloom\` in it.`,
        "Name another one in `life`.",
      );
    checkProved(definition, file);
    const { agents = {}, prompts = {}, table } = definition;
    const words = agentCommands(definition).map(
      ({ command, rule }) => [rule.id, answerWords(command.answers, table.events)] as const,
    );
    const life = {
      version: 1,
      name,
      table,
      agents,
      prompts,
      said: allAnswers(definition),
      words: Object.fromEntries(words),
    };
    return `${JSON.stringify(life)}\n`;
  };
}
