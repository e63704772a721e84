/** A workflow's table as a picture, with the run's place in it. */
import type { Machine } from "../../wire.ts";
import { Picture } from "./picture.tsx";

export function MachinePicture({ at, machine }: { readonly machine: Machine; readonly at: string | null }) {
  return (
    <Picture
      name={machine.title || machine.name}
      nodes={machine.states.map(({ description, isFinal, name }) => ({
        id: name,
        label: name,
        kind: [name === at ? "at" : "", isFinal ? "final" : ""].join(" ").trim(),
        title: description || name,
      }))}
      edges={machine.edges.map(({ from, labels, to }) => ({ from, to, label: labels.join(", ") }))}
    />
  );
}
