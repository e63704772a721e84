/**
 * The wall as bubblewrap builds it, from what there is on this machine: pure. What comes later in the list lies on top.
 *
 * W1  Everything is read-only but what is named; nothing of Pawl's own is seen but what is named.
 * W2  Homes and places for temporary files are hidden: empty, or a private one.
 * W3  No capability, no process from outside, no process that outlives the wall.
 */
import { relative } from "node:path";

export interface Layout {
  /** The project's root. */
  readonly root: string;
  /** What may be written, and where in it the program works. */
  readonly folder: string;
  readonly cwd: string;
  readonly hidden: readonly Hidden[];
  /** What may be read though it lies in a hidden place, and what may be written. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Files in them that stay closed. */
  readonly closed: readonly string[];
  /** Below `.pawl`, in this order. */
  readonly own: readonly Mount[];
  /** Read-only where the project's root itself may be written. */
  readonly guarded: readonly string[];
  /** Settings of the kernel, which for a root are files like others. */
  readonly kernel: readonly string[];
  /** On top of all: git's folders, what is kept outside of the project. */
  readonly last: readonly Mount[];
  readonly network: "all" | "none";
}

/** `by`: a private folder in its place; null: an empty one in memory. */
export interface Hidden {
  readonly at: string;
  readonly by: string | null;
}

export type Mount =
  | { readonly type: "read" | "write"; readonly at: string; readonly from?: string }
  | { readonly type: "empty"; readonly at: string }
  /** What was mounted there is read-only from here on, not what lies on it. */
  | { readonly type: "seal"; readonly at: string };

/** What each wall begins with. */
export const GROUND: readonly string[] = [
  "--die-with-parent",
  "--unshare-user-try",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  // A root's capabilities would take the wall down again.
  "--cap-drop",
  "ALL",
  ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
];

export function bwrapArguments(layout: Layout): readonly string[] {
  return [
    ...GROUND,
    ...(layout.network === "none" ? ["--unshare-net"] : []),
    ...layout.kernel.map((at) => ({ type: "read", at }) as const).flatMap(wordsOf),
    ...mountsOf(layout).flatMap(wordsOf),
    ...["--chdir", layout.cwd],
  ];
}

export function mountsOf(layout: Layout): readonly Mount[] {
  const { closed, folder, guarded, hidden, own, read, root, write } = layout;
  const state = `${root}/.pawl`;
  const inProject = (path: string) => isInside(path, root);
  // What lies in another place comes after it: a home in what may be read stays hidden, and a tool in a home is seen.
  const places = (isHere: (path: string) => boolean): readonly Mount[] =>
    outerFirst([
      ...hidden.filter(({ at }) => isHere(at)).map(mountOf),
      ...read.filter(isHere).map((at) => ({ type: "read", at }) as const),
      ...write.filter(isHere).map((at) => ({ type: "write", at }) as const),
    ]);
  const isOutside = (path: string) => !inProject(path);
  const isInState = isInside(folder, state);
  return [
    ...places(isOutside),
    { type: "read", at: root },
    ...(isInState ? [] : [{ type: "write", at: folder } as const]),
    ...places((path) => inProject(path) && !hidden.some(({ at }) => at === root && path === root)),
    ...closed.map((at) => ({ type: "read", from: "/dev/null", at }) as const),
    ...(isInside(root, folder) || write.some((path) => isInside(root, path))
      ? guarded.map((at) => ({ type: "read", at }) as const)
      : []),
    { type: "empty", at: state },
    ...(isInState ? [{ type: "write", at: folder } as const] : []),
    ...own,
    { type: "seal", at: state },
    ...layout.last,
  ];
}

function mountOf({ at, by }: Hidden): Mount {
  return by === null ? { type: "empty", at } : { type: "write", at, from: by };
}

function outerFirst(mounts: readonly Mount[]): readonly Mount[] {
  return mounts.toSorted((one, other) => one.at.length - other.at.length);
}

function wordsOf(mount: Mount): readonly string[] {
  switch (mount.type) {
    case "read":
      return ["--ro-bind", mount.from ?? mount.at, mount.at];
    case "write":
      return ["--bind", mount.from ?? mount.at, mount.at];
    case "empty":
      return ["--tmpfs", mount.at];
    case "seal":
      return ["--remount-ro", mount.at];
  }
}

/** Whether it is the folder, or lies in it. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith("../"));
}
