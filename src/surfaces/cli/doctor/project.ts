import { ALLOWED_SIGNERS } from "../../../core/gate-record.ts";
import type { Settings } from "../../../core/settings.ts";
import { isSignedLevel } from "../../../core/strength.ts";
import type { Project } from "../../../runtime/project.ts";
import type { Host } from "../line/command.ts";
import { type Finding, fault, findingsOr, good, hint } from "./finding.ts";

/** Checks Pawl's own files, in the project and outside of it. */
export async function state(host: Host, project: Project): Promise<readonly Finding[]> {
  return [
    ...(await findingsOr("state folder", async () => {
      const { board, state } = await host.machine.inspect(project.root);
      const folder = "state folder";
      return [
        ...(state === null
          ? []
          : state.refused === null
            ? [good(folder, state.folder)]
            : [
                fault(folder, `nothing can be written to ${state.folder}: ${state.refused}`, {
                  fix: "Let this user write there, or name another place with XDG_STATE_HOME.",
                }),
              ]),
        ...(board === "stale"
          ? [hint("board", "a file names a board that no longer runs", { command: "pawl board" })]
          : board === "open"
            ? [good("board", "runs")]
            : []),
      ];
    })),
    ...(await findingsOr("journal", () => journal(project))),
    ...(await findingsOr("trust", () => trust(project))),
    ...(await findingsOr("database", () => database(host, project))),
  ];
}

/** The database with Bloom's work; no finding if the project uses none. */
async function database(host: Host, project: Project): Promise<readonly Finding[]> {
  if (!project.database) return [];
  // Throws if the project is not in it.
  await project.database();
  const database = await host.projects.database();
  try {
    const { project_id } = await project.runtime.settings(project.files.view());
    const [{ login, role }, faults] = [
      await database.access(project_id ?? undefined),
      await database.faults(),
    ];
    return [
      ...faults.map(({ fix, message }) => fault("database", message, { fix })),
      good("database", `${database.shown} has Bloom's work; ${login} has the role ${role}`),
    ];
  } finally {
    await database.close();
  }
}

async function journal({ repairJournal, runtime }: Project): Promise<readonly Finding[]> {
  // Throws for a damaged journal, so the repair below never sets one aside.
  const pending = await runtime.store.catchUp();
  const { foreign } = await repairJournal();
  return [
    ...(pending === null ? [] : [fault("journal", pending.message, { fix: pending.fix })]),
    ...foreign.map(({ commits, kept }) =>
      hint("journal", `${kept} holds ${commits} commits that this project did not make`, {
        command: "pawl repair",
      }),
    ),
    ...(pending === null && foreign.length === 0 ? [good("journal", "nothing is pending")] : []),
  ];
}

async function trust({ trust: { status } }: Project): Promise<readonly Finding[]> {
  const { entries, untrusted } = await status();
  if (untrusted.length === 0)
    return [good("trust", `all that the project starts is agreed to (${entries.length})`)];
  const names = untrusted.map(({ name }) => name).join(", ");
  return [hint("trust", `nobody has agreed yet to start ${names}`, { command: "pawl trust" })];
}

/** Checks the person's key if a gate of this project needs a signature. */
export function signatures(host: Host, project: Project, settings: Settings): Promise<readonly Finding[]> {
  return findingsOr("signatures", async () => {
    const what = "signatures";
    const gates = Object.entries(settings.gates).flatMap(([gate, level]) =>
      isSignedLevel(level) ? [gate] : [],
    );
    const keys = await host.person.keys(project.root);
    const used = await keys.used();
    if (used === null) {
      if (gates.length === 0) return [good(what, "no gate needs one")];
      return [
        fault(what, `${gates.join(", ")} need one, and no key of yours is known here`, {
          command: "pawl keys add --generate",
        }),
      ];
    }
    await keys.inspect(used.path);
    const signers = (await project.runtime.store.view().read(ALLOWED_SIGNERS)) ?? "";
    const isListed = signers.split("\n").some((line) => line.trim().split(/\s+/, 1)[0] === used.principal);
    const signing = `you sign as ${used.principal}, with ${used.path}`;
    return [
      isListed || gates.length === 0
        ? good(what, signing)
        : fault(what, `${signing}, and ${ALLOWED_SIGNERS} does not name you`, { command: "pawl keys add" }),
    ];
  });
}
