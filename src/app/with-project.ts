import type { WithProject } from "../services/with-project.ts";

/** With the shipped workflows and the project's own: for programs that start without the command line. */
export const withProject: WithProject = async (place, work) => {
  const [{ allWorkflows, openProject }, { WORKFLOWS }] = await Promise.all([
    import("./open-project.ts"),
    import("../workflows/index.ts"),
  ]);
  const asShipped = { ...place, workflows: WORKFLOWS };
  const workflows = await allWorkflows(place.root, asShipped, openProject);
  const project = await openProject({ ...asShipped, workflows });
  try {
    return await work(project);
  } finally {
    await project.close();
  }
};
