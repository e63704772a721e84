/**
 * The arguments with which bubblewrap builds the wall on this machine: pure. Later entries override earlier
 * ones.
 *
 * W1  Everything is read-only except what is named. Of Pawl's own files, only named ones are visible.
 * W2  Homes and places for temporary files are hidden: empty, or replaced by a private one.
 * W3  No capability, no process from outside, no process that outlives the wall.
 */
import { relative } from "node:path";

export interface Layout {
  /** The project's root. */
  readonly root: string;
  /** The folder that may be written, unless all is read-only; the program works in it. */
  readonly folder: string;
  /** The folder is outside the project: `last` makes it writable. */
  readonly isApart: boolean;
  readonly readOnly: boolean;
  readonly cwd: string;
  readonly hidden: readonly Hidden[];
  /** Paths in hidden places that may be read, and those that may be written. */
  readonly read: readonly string[];
  readonly write: readonly string[];
  /** Files in them that stay hidden. */
  readonly closed: readonly string[];
  /** Below `.pawl`, in this order. */
  readonly own: readonly Mount[];
  /** Protected even if the project's root itself, or a part of it, may be written; and the folders on the way. */
  readonly guarded: readonly Mount[];
  /** Kernel settings, which root could write like other files. */
  readonly kernel: readonly string[];
  readonly devices: readonly Mount[];
  /** Mounted last: git's folders, and what is kept outside the project. */
  readonly last: readonly Mount[];
  readonly network: "all" | "none";
}

/** A hidden path. `by`: a private folder that replaces it; null: an empty one in memory replaces it. */
export interface Hidden {
  readonly at: string;
  readonly by: string | null;
}

export type Mount =
  /** `open`: folders in it that stay writable. */
  | { readonly type: "read"; readonly at: string; readonly from?: string; readonly open?: readonly string[] }
  | { readonly type: "write"; readonly at: string; readonly from?: string }
  | { readonly type: "device"; readonly at: string; readonly from: string }
  | { readonly type: "empty"; readonly at: string }
  /** Nothing is there, and nothing can be made there. */
  | { readonly type: "cover"; readonly at: string; readonly isFolder: boolean }
  /** Makes the mount read-only from here on, but not other mounts on top of it. */
  | { readonly type: "seal"; readonly at: string };

/** The first arguments of each wall. */
export const BASE_ARGUMENTS: readonly string[] = [
  "--die-with-parent",
  // Detaches from the person's terminal, so that no characters can be injected into it.
  "--new-session",
  "--unshare-user-try",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  // With root's capabilities, a program could remove the wall.
  "--cap-drop",
  "ALL",
  ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
];

/** Kernel settings, which root could write like other files. */
export const KERNEL: readonly string[] = ["sys", "sysrq-trigger", "acpi", "asound", "scsi", "mtrr"].map(
  (name) => `/proc/${name}`,
);

export function bwrapArguments(layout: Layout): readonly string[] {
  return [
    ...BASE_ARGUMENTS,
    ...(layout.network === "none" ? ["--unshare-net"] : []),
    ...layout.kernel.map((at) => ({ type: "read", at }) as const).flatMap(argumentsOf),
    ...layout.devices.flatMap(argumentsOf),
    ...mountsOf(layout).flatMap(argumentsOf),
    ...["--chdir", layout.cwd],
  ];
}

function mountsOf(layout: Layout): readonly Mount[] {
  const { closed, folder, guarded, hidden, own, read, root, write } = layout;
  const work = { type: layout.readOnly ? "read" : "write", at: folder } as const;
  const state = `${root}/.pawl`;
  const inProject = (path: string) => isInside(path, root);
  // A nested place comes after the outer one: a home inside a readable place stays hidden, and a tool inside
  // a home is visible.
  const places = (isHere: (path: string) => boolean): readonly Mount[] =>
    outerFirst([
      ...guarded.filter((mount) => mount.type === "write" && isHere(mount.at)),
      ...hidden.filter(({ at }) => isHere(at)).map(mountOf),
      ...read.filter(isHere).map((at) => ({ type: "read", at }) as const),
      ...write.filter(isHere).map((at) => ({ type: "write", at }) as const),
    ]);
  const isOutside = (path: string) => !inProject(path);
  const isInState = isInside(folder, state);
  return [
    ...places(isOutside),
    { type: "read", at: root },
    ...(isInState || layout.isApart ? [] : [work]),
    ...places((path) => inProject(path) && !hidden.some(({ at }) => at === root && path === root)),
    ...closed.map((at) => ({ type: "read", from: "/dev/null", at }) as const),
    ...guarded.filter(({ type }) => type !== "write"),
    { type: "empty", at: state },
    ...(isInState ? [work] : []),
    ...own,
    { type: "seal", at: state },
    ...layout.last,
  ];
}

function mountOf({ at, by }: Hidden): Mount {
  return by === null ? { type: "empty", at } : { type: "write", at, from: by };
}

export function outerFirst(mounts: readonly Mount[]): readonly Mount[] {
  return mounts.toSorted((one, other) => one.at.length - other.at.length);
}

export function argumentsOf(mount: Mount): readonly string[] {
  switch (mount.type) {
    case "read":
      return [
        ...["--ro-bind", mount.from ?? mount.at, mount.at],
        ...(mount.open ?? []).flatMap((at) => ["--bind", at, at]),
      ];
    case "write":
      return ["--bind", mount.from ?? mount.at, mount.at];
    case "device":
      return ["--dev-bind", mount.from, mount.at];
    case "empty":
      return ["--tmpfs", mount.at];
    case "cover":
      return mount.isFolder
        ? ["--tmpfs", mount.at, "--remount-ro", mount.at]
        : ["--ro-bind", "/dev/null", mount.at];
    case "seal":
      return ["--remount-ro", mount.at];
  }
}

/** Whether the path is the folder, or inside it. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith("../"));
}
