const FILE_LINE = /^\*\*\* (?:Add File|Update File|Delete File|Move to): ?(.*)$/gm;

/** The files that a patch in the format of Codex's `apply_patch` creates, changes, moves or removes. */
export function patchedPaths(patch: string): readonly string[] {
  return [...patch.matchAll(FILE_LINE)].map(([, path = ""]) => path.trim()).filter((path) => path !== "");
}
