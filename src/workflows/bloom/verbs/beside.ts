/**
 * What a project's manifests use from outside the project folder. Workspaces lack it, because nothing above
 * the project's root is copied there.
 */
import { projectPath } from "../../../core/path.ts";
import type { View } from "../../../core/ports/store.ts";

export interface Beside {
  /** The manifest. */
  readonly path: string;
  /** The path that it names. */
  readonly place: string;
}

const MANIFESTS: Readonly<Record<string, RegExp>> = {
  "package.json": /"(?:file|link|portal):(\.\.\/[^"]*)"/g,
  "Cargo.toml": /\bpath\s*=\s*"(\.\.\/[^"]*)"/g,
  "go.mod": /=>\s*(\.\.\/\S*)/g,
  "pyproject.toml": /\bpath\s*=\s*"(\.\.\/[^"]*)"/g,
};

export async function besideProject(view: View): Promise<readonly Beside[]> {
  const found: Beside[] = [];
  for (const [path, pattern] of Object.entries(MANIFESTS)) {
    const text = (await view.read(projectPath(path))) ?? "";
    for (const [, place = ""] of text.matchAll(pattern)) found.push({ path, place });
  }
  return found;
}

export function renderBeside({ path, place }: Beside): string {
  return `${path}: warning: it uses ${place}, which lies beside the project and so in no workspace. Move it into the repository, or depend on a published version.`;
}
