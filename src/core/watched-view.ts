import type { ProjectPath } from "./path.ts";
import type { View } from "./ports/store.ts";

export type Note = (path: string) => void;

/** A view that reports its reads and lists. */
export function watched(view: View, { onList, onRead }: { onRead?: Note; onList?: Note }): View {
  return {
    read(path: ProjectPath) {
      onRead?.(path);
      return view.read(path);
    },
    lastLine(path: ProjectPath) {
      onRead?.(path);
      return view.lastLine(path);
    },
    list(folder: ProjectPath) {
      onList?.(folder);
      return view.list(folder);
    },
    isCurrent: (paths) => view.isCurrent(paths),
    packaged: (path) => view.packaged(path),
  };
}
