import { PawlError } from "../../core/error.ts";
import { projectPath } from "../../core/path.ts";
import type { Git } from "../../core/ports/git.ts";
import type { Outside } from "../../core/ports/outside.ts";

/** Git in a repository of the project, or why it is unavailable. `repo`: null is the project's own. */
export async function gitOf(
  { git }: Outside,
  repo: string | null,
): Promise<Git | { readonly reason: string }> {
  if (repo === null) return git;
  if (!git.in) return { reason: `its work is in the repository ${repo}` };
  try {
    return await git.in(projectPath(repo));
  } catch (thrown) {
    if (thrown instanceof PawlError) return { reason: thrown.message };
    throw thrown;
  }
}
