/** The table's rules in one line each. A rule's reply has the rule's name. */
import { boxesOf, type Given } from "../../../engine/boxes.ts";
import type { Rule, Setting } from "../../../engine/workflow.ts";
import type { Spell } from "../events.ts";
import { alike } from "../states.ts";

type States = string | readonly string[];
type Boxes = Given | readonly Given[];

/** The target `NAME_*` gets the suffix of the state before. `origin`: how `reparo_origin` changes. */
export function moves(
  id: string,
  from: States,
  on: Spell,
  to: string,
  when: Boxes = {},
  origin?: Setting,
): Rule {
  const target = to.endsWith("_*") ? alike([from].flat(), to.slice(0, -2)) : to;
  const set = origin === undefined ? {} : { set: { reparo_origin: origin } };
  return { ...rule(id, from, on, when), to: target, ...set, outcome: "moved" };
}

export function blocks(id: string, from: States, on: Spell, when: Boxes = {}): Rule {
  return { ...rule(id, from, on, when), to: "same", outcome: "blocked" };
}

/** The spell is allowed, but has no effect. */
export function idles(id: string, from: States, on: Spell, when: Boxes = {}): Rule {
  return { ...rule(id, from, on, when), to: "same", outcome: "no-effect" };
}

function rule(id: string, from: States, on: Spell, when: Boxes) {
  const boxes = boxesOf(when);
  const isAlways = boxes.every((box) => Object.keys(box).length === 0);
  return { id, from: [from].flat(), on, ...(isAlways ? {} : { when: boxes }), reply: id };
}
