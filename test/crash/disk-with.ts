import type { Disk } from "../../src/adapters/files/disk.ts";
import { type Call, type Fate, simDisk } from "./sim-disk.ts";
import { Machine, type SimFile } from "./sim-machine.ts";

/** A simulated disk with these files, on a machine of its own or on this one, and what is done on it. */
export function diskWith(
  files: Readonly<Record<string, string>>,
  fate: (call: Call, machine: Machine) => Fate = () => undefined,
  machine = new Machine(),
) {
  for (const [path, text] of Object.entries(files)) machine.save(path, text, "in-place");
  const calls: Call[] = [];
  const open = new Set<number>();
  const counted = simDisk(machine, (call) => {
    calls.push(call);
    return fate(call, machine);
  });
  const closing = (close: (fd: number) => void) => (fd: number) => {
    open.delete(fd);
    close(fd);
  };
  const disk: Disk = {
    ...counted,
    open(...given) {
      const fd = counted.open(...given);
      open.add(fd);
      return fd;
    },
    close: closing(counted.close),
    closeLater: closing(counted.closeLater),
  };
  return {
    ...{ calls, disk, machine },
    /** The files that are open. */
    open,
    /** The paths of these calls, in their order. */
    called: (name: string) => calls.filter((call) => call.name === name).map(({ path }) => path),
    /** All calls, as `name path`. */
    done: () => calls.map(({ name, path }) => `${name} ${path}`),
    /** One that is there. */
    file(path: string): SimFile {
      const found = machine.find(path);
      if (found?.kind !== "file") throw new Error(`There is no file ${path}.`);
      return found;
    },
    tree: () => Object.fromEntries(machine.tree()),
  };
}
