import { type Call, type Fate, simDisk } from "./sim-disk.ts";
import { Machine } from "./sim-machine.ts";

/** A simulated disk with these files, and what was called on it, as `name path`. */
export function diskWith(
  files: Readonly<Record<string, string>>,
  fate: (call: Call) => Fate = () => undefined,
) {
  const machine = new Machine();
  for (const [path, text] of Object.entries(files)) machine.save(path, text, "in-place");
  const calls: Call[] = [];
  const disk = simDisk(machine, (call) => {
    calls.push(call);
    return fate(call);
  });
  const done = () => calls.map(({ name, path }) => `${name} ${path}`);
  return { disk, done, machine, tree: () => Object.fromEntries(machine.tree()) };
}
