/**
 * A workflow's table as a picture, with the run's state marked. A large table first shows only the
 * neighbourhood of that state.
 */
import { useState } from "preact/hooks";
import type { Machine } from "../../wire.ts";
import { Switch } from "../lists.tsx";
import { oneLine } from "../words.tsx";
import { Picture } from "./picture.tsx";

/** With more edges than this, a picture is readable only in parts. */
const MANY = 16;

export function MachinePicture({ at, machine }: { readonly at: string | null; readonly machine: Machine }) {
  const [isWhole, setWhole] = useState(false);
  const isLarge = at !== null && machine.edges.length > MANY;
  const shown = isLarge && !isWhole ? neighbourhood(machine, at) : machine;
  return (
    <>
      {isLarge && (
        <Switch
          name="How much of the table is shown"
          options={[
            [false, `Around ${oneLine(at, 40)}`],
            [true, `All ${machine.states.length} states`],
          ]}
          value={isWhole}
          choose={setWhole}
        />
      )}
      <Picture
        name={machine.title || machine.name}
        direction={isLarge && !isWhole ? "LR" : "TB"}
        nodes={shown.states.map(({ description, isFinal, name }) => ({
          id: name,
          label: name,
          kind: [name === at ? "at" : "", isFinal ? "final" : ""].join(" ").trim(),
          title: description || name,
        }))}
        edges={shown.edges.map(({ from, labels, to }) => ({
          from,
          to,
          // Without the conditions, which the list and the title contain.
          label: [...new Set(labels.map((label) => label.replace(/ \[.*/s, "")))].join(", "),
          whole: labels.join(", "),
        }))}
      />
    </>
  );
}

/** The state, its predecessors, and its successors. */
function neighbourhood(machine: Machine, at: string): Machine {
  const edges = machine.edges.filter(({ from, to }) => from === at || to === at);
  const near = new Set([at, ...edges.flatMap(({ from, to }) => [from, to])]);
  return { ...machine, edges, states: machine.states.filter(({ name }) => near.has(name)) };
}
