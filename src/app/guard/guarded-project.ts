/** The project as the guard opens it: a client's hook is a process of its own. */
import { keptScopes } from "./kept-scopes.ts";

export function lookAt(place: Omit<Parameters<typeof keptScopes>[0], "open">) {
  const { environment, home, root } = place;
  return keptScopes({
    ...place,
    async open(work) {
      const [{ allWorkflows, openProject }, { WORKFLOWS }] = await Promise.all([
        import("../open-project.ts"),
        import("../../workflows/index.ts"),
      ]);
      const asShipped = { root, home, environment, workflows: WORKFLOWS };
      const workflows = await allWorkflows(root, asShipped, openProject);
      const project = await openProject({ ...asShipped, workflows });
      try {
        return await work(project);
      } finally {
        await project.close();
      }
    },
  });
}
