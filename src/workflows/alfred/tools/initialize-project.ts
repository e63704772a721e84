import type { Change, View } from "../../../core/ports/store.ts";
import type { AlfredSettings } from "../../../core/settings.ts";
import { isCommandLine } from "../../../runtime/transaction/person.ts";
import { PROJECT_IGNORES } from "../state/live-state.ts";
import { CONFIG, GITIGNORE } from "../state/paths.ts";
import { success, type ToolPlan, toolTransaction } from "./response.ts";

export interface InitializeInput {
  readonly provider?: AlfredSettings["provider"];
}

interface ConfigTexts {
  readonly config: string | null;
  readonly gitignore: string | null;
}

export const PROVIDERS = ["local", "jira", "linear", "github"] as const;

const CHOICES = [
  { provider: "local", description: "Tasks are markdown files in .alfred/tasks." },
  {
    provider: "jira",
    description: "Tasks come from Jira; needs JIRA_BASE_URL, ATLASSIAN_EMAIL and ATLASSIAN_API_TOKEN.",
  },
  { provider: "linear", description: "Tasks come from Linear; needs LINEAR_API_KEY." },
  { provider: "github", description: "Tasks are issues on GitHub; needs GITHUB_TOKEN." },
];

/** Creates what is missing under `.alfred/`; existing files stay unchanged. */
export const initializeProject: ToolPlan<InitializeInput, ConfigTexts, undefined> = {
  tool: "initialize_project",
  task: () => null,
  run: () => "alfred:project",
  read: async (view: View) => ({ config: await view.read(CONFIG), gitignore: await view.read(GITIGNORE) }),
  propose({ config, gitignore }, _, { provider }, { settings, caller }) {
    if (provider === undefined)
      return {
        reply: {
          response: {
            status: "choices_needed",
            message:
              "Where do the project's tasks live? Ask the user, then call initialize_project with the provider.",
            data: { choices: CHOICES },
          },
        },
      };
    const changes: Change[] = [];
    if (config === null) changes.push({ type: "write", path: CONFIG, text: configText(provider) });
    if (gitignore === null) changes.push({ type: "write", path: GITIGNORE, text: PROJECT_IGNORES });
    if (changes.length > 0)
      return {
        reply: success(
          `The project is ready in .alfred/, with the provider '${config === null ? provider : settings.alfred.provider}'. ${isCommandLine({ caller }) ? "Tell your assistant to create a task." : "Call create_task to add a task."}`,
          { created: changes.map((change) => ("path" in change ? change.path : "")) },
        ),
        changes,
      };
    const current = settings.alfred.provider;
    const other =
      current === provider
        ? ""
        : ` Its provider is '${current}'; to change it to '${provider}', edit ${CONFIG}.`;
    const message = `The project was ready already. Nothing was changed.${other}`;
    return { reply: success(message, { created: [] }) };
  },
};

/** `pawl init`: uses the configured provider. */
export const init = toolTransaction<InitializeInput>({
  ...initializeProject,
  propose: (seen, gathered, _, context) =>
    initializeProject.propose(seen, gathered, { provider: context.settings.alfred.provider }, context),
});

/** The configuration file that `pawl init` writes. */
export function configText(provider: string): string {
  return `# Alfred's configuration. Every key is optional; the comments show the defaults.

# Where the tasks live: local, jira, linear or github.
provider: ${provider}

# Who reviews, in order, for every tool or for one: [ai, human], [ai], [human] or [].
# reviews:
#   default: [ai, human]
#   plan_task: [ai]

# How a human's verdict is given: relay (the assistant passes it on), elicit (the human is asked through the client),
# confirm (only in a terminal: pawl approve ID).
# human_review: relay

# Whether a disagreement between a report and what the server found is shown to the reviewer, or stops the approval:
# show or require.
# evidence: show

# Commands that are really run before an implementation is reviewed.
# checks:
#   test: npm test

# The persona of a tool: a name in .alfred/personas/ or a packaged one.
# personas:
#   plan_task: planning

# With another provider than local: whose tasks (Jira's project, Linear's team, GitHub's owner/name), a task's status as the
# tracker's, and the address of a file for the comment on an accepted plan.
# tracker:
#   project: TS
#   statuses: {planning: In Progress, in_development: In Progress, revisions_requested: In Progress, done: Done}
#   link: https://example.com/blob/main/{path}
`;
}
