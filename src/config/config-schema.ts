/**
 * The only definition of what a configuration file may contain: `config.ts` checks files against it, and the
 * published `pawl.schema.json` is made from it (`json-schemas.ts`). Every key is optional; the defaults are
 * in `core/settings.ts`.
 */
import { z } from "zod";
import { NOTICE_KINDS } from "../core/notice.ts";
import { pathFault } from "../core/path.ts";
import { SIZES } from "../core/settings.ts";
import { GATE_LEVELS } from "../core/strength.ts";
import { loadWorkflows } from "../runtime/project.ts";
import { RUN_TOOLS } from "../workflows/alfred/state/status.ts";
import { WORKFLOWS } from "../workflows/index.ts";

const reviewers = z.union(
  [
    z.tuple([]),
    z.tuple([z.literal("ai")]),
    z.tuple([z.literal("human")]),
    z.tuple([z.literal("ai"), z.literal("human")]),
  ],
  { error: "expected [], [ai], [human] or [ai, human]" },
);

/** The keys of `.alfred/config.yml`, and of `alfred:` in `pawl.yaml`. */
export const ALFRED_FILE = z.strictObject({
  provider: z.enum(["local", "jira", "linear", "github"]).optional().describe("Where tasks come from."),
  reviews: z
    .union([z.enum(SIZES), z.partialRecord(z.enum(["default", ...RUN_TOOLS]), reviewers)], {
      error: `expected ${SIZES.join(", ")}, or the reviewers by tool`,
    })
    .optional()
    .describe(
      "How much review a task gets: light, standard or careful; or who reviews an artifact, in order, per tool, `default` for the tools not named.",
    ),
  human_review: z
    .enum(["relay", "elicit", "confirm"])
    .optional()
    .describe(
      "How a human's verdict reaches Pawl: relayed by the assistant, asked of the human through the client, or only from a terminal.",
    ),
  evidence: z
    .enum(["show", "require"])
    .optional()
    .describe("Whether a disagreement between report and evidence is only shown, or must be settled first."),
  checks: z
    .record(z.string().min(1), z.string().min(1))
    .optional()
    .describe("Maps a name to a shell command, which runs before a review."),
  checks_in: z
    .enum(["checkout", "worktree"])
    .optional()
    .describe(
      "Where checks run: in a fresh checkout of what was handed in, or in the working folder, ignored files and all.",
    ),
  personas: z
    .partialRecord(z.enum(RUN_TOOLS), z.string().min(1))
    .optional()
    .describe("Maps a tool to the persona that speaks in its prompts."),
  tracker: z
    .strictObject({
      project: z
        .string()
        .min(1)
        .optional()
        .describe("Jira's project or Linear's team by its key, or GitHub's `owner/name`."),
      statuses: z
        .record(z.string().min(1), z.string().min(1))
        .optional()
        .describe(
          "Maps a task's status to the tracker's; a status that is not named leaves the tracker unchanged.",
        ),
      link: z.string().includes("{path}").optional().describe("The address of a file, with {path} in it."),
    })
    .optional()
    .describe("How to read and update the provider's tasks, if it is not local."),
});

const minutes = z.number().positive();

/** The keys of `bloom:` in `pawl.yaml`. */
const BLOOM_FILE = z
  .strictObject({
    tasks_file: z.string().min(1).optional().describe("The tasks file, relative to the project's root."),
    command: z.string().min(1).optional().describe("How an agent's prompt calls this program."),
    agent: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(8)])
      .optional()
      .describe("The agent of tasks that name none; of a list the first, see on_limit."),
    life: z
      .string()
      .min(1)
      .optional()
      .describe("The life of tasks that name none: one of `workflows` that extends bloom."),
    on_limit: z
      .enum(["wait", "next"])
      .optional()
      .describe("While that agent's account is limited: wait, or let the next of the list take over."),
    fit: z
      .boolean()
      .optional()
      .describe(
        "Let a step wait for the reset if less is left of its agent's quota than its last runs took.",
      ),
    agents: z.int().min(1).max(64).optional().describe("How many agents work at once."),
    merge_train: z
      .int()
      .min(1)
      .max(16)
      .optional()
      .describe("How many merges into one branch are verified side by side, each on top of the one before."),
    permission: z
      .enum(["ask", "edits", "all"])
      .optional()
      .describe("What agents may do without asking: nothing, edits in their folder, everything."),
    on_unmarked_step: z
      .enum(["assume", "ask", "block"])
      .optional()
      .describe("What to do if an agent succeeds and leaves its step open."),
    tries: z.int().min(1).max(20).optional().describe("Tries before a task is blocked."),
    backoff: z
      .strictObject({ first: z.number().min(0).optional(), limit: z.number().min(0).optional() })
      .optional()
      .describe("Seconds before the second try, doubled for each further one up to the limit."),
    watch_pull_requests: z
      .number()
      .min(0)
      .optional()
      .describe("Seconds between checks for merged pull requests; 0: only when a run starts."),
    pr: z
      .strictObject({ rounds: z.int().min(0).max(20).optional() })
      .optional()
      .describe("How often a pull request goes back to its agent before a person is asked; 0: never."),
    budget: z
      .strictObject({
        usd: z.number().positive().optional(),
        turns: z.int().positive().optional(),
        minutes: minutes.optional(),
      })
      .optional()
      .describe("The budget of a task that has none of its own."),
    caps: z
      .strictObject({
        repositories: z
          .record(z.string().min(1), z.int().min(1))
          .optional()
          .describe("By a repository's path: how many tasks are at work there."),
        agents: z
          .record(z.string().min(1), z.int().min(1))
          .optional()
          .describe("By an agent's name: how many tasks are at work with it."),
        usd_per_day: z.number().positive().optional().describe("What all agents may spend in a day, in UTC."),
      })
      .optional()
      .describe("Limits over all machines that work on one database."),
    labels: z
      .record(
        z.string().min(1),
        z.array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "expected a word such as gpu")),
      )
      .optional()
      .describe("By a repository's path: the labels that a worker must have to work there, such as macos."),
    limits: z
      .strictObject({ silence: minutes.optional(), run: minutes.optional(), verify: minutes.optional() })
      .optional()
      .describe("Minutes of an agent's silence, of an agent's run, of a verify command."),
    environment: z.array(z.string().min(1)).optional().describe("More variables for verify commands."),
  })
  .refine(({ budget, caps }) => caps?.usd_per_day === undefined || budget?.usd !== undefined, {
    path: ["caps", "usd_per_day"],
    error:
      "expected `budget: {usd: …}` beside it: Pawl reserves, out of the day's dollars, what each task at work may still spend",
  });

const workflowFile = z
  .string()
  .regex(
    /^(?:\.\/)?(?:[^/\\]+\/)*[A-Za-z][A-Za-z0-9_-]*\.ya?ml$/,
    "expected the path of a .yaml file in the project, its name of letters, digits, _ and -",
  );
const AGENT = z.strictObject({
  dialect: z
    .enum(["claude", "codex", "opencode", "gemini", "scripted"])
    .optional()
    .describe("The kind of program (default: the agent's own name)."),
  acp: z
    .strictObject({ command: z.string().min(1), args: z.array(z.string()).optional() })
    .optional()
    .describe("Instead of a dialect: a program that speaks the Agent Client Protocol."),
  program: z.string().min(1).optional().describe("The program, if not the dialect's own on the PATH."),
  args: z.array(z.string()).optional().describe("More arguments, after Pawl's own."),
  model: z.string().min(1).optional(),
  environment: z
    .array(z.string().min(1))
    .optional()
    .describe("Variables that it may have, secrets included; a `*` at the end matches any rest."),
});

const insidePath = z
  .string()
  .refine(
    (path) => pathFault(path) === null,
    "expected a path inside the repository, such as package-lock.json",
  );
const SETUP = z.strictObject({
  run: z.array(z.string().min(1)).min(1).describe("Shell commands, in order."),
  inputs: z
    .array(insidePath)
    .optional()
    .describe("Files whose changes make the commands run again (default: the known lock files)."),
  cache: z
    .array(
      z
        .string()
        .refine(
          (path) => pathFault(path.replaceAll("*", "x")) === null,
          "expected a name, which matches at any depth, or a path inside the repository, such as packages/*/node_modules",
        ),
    )
    .optional()
    .describe(
      "Ignored files and folders that the commands make; another checkout with the same inputs gets copies. A name matches at any depth, a path may have *.",
    ),
});

const variables = z.array(z.string().min(1));
const ENVIRONMENT = z.union(
  [
    variables,
    z.strictObject({
      variables: variables.optional().describe("More variables for the commands that Pawl runs itself."),
      ports: z
        .int()
        .min(0)
        .max(64)
        .optional()
        .describe("How many free ports each task at work has: PAWL_PORT_1 and so on."),
      up: z
        .string()
        .min(1)
        .optional()
        .describe(
          "A shell command that makes what a task needs, in the project's folder, such as `docker compose -p $PAWL_NAME up -d`.",
        ),
      down: z.string().min(1).optional().describe("The one that takes it away."),
      exclusive: z
        .array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,60}$/, "expected a word such as emulator"))
        .optional()
        .describe("Names of what one task at a time may use."),
    }),
  ],
  { error: "expected a list of variables, or a map with variables, ports, up, down and exclusive" },
);

const gateLevel = z.enum(GATE_LEVELS);
const SANDBOX_KIND = z.enum(["auto", "bwrap", "none"]);
const paths = z
  .array(
    z
      .string()
      .min(1)
      .regex(
        /^(?!.*\$\{?[A-Za-z_])/,
        "expected a path without variables: none is replaced here, so write `~/x` for `$HOME/x`",
      ),
  )
  .optional();
const HOST = /^(?:\*\.)?[\w.-]+(?::\d{1,5})?$/;
const SANDBOX = z.union(
  [
    SANDBOX_KIND,
    z.strictObject({
      kind: SANDBOX_KIND.optional().describe("auto: bwrap where it works; bwrap: nothing without it."),
      network: z
        .enum(["all", "model", "none"])
        .optional()
        .describe("model: only the agent's model, and `hosts`; none: nothing but a loopback of its own."),
      hosts: z
        .array(z.string().regex(HOST, "expected a host: name, *.name or name:port"))
        .optional()
        .describe("More hosts that may be reached where the network is `model`."),
      read: paths.describe(
        "More that may be read, from HOME say: absolute, from `~/`, or from the project's root.",
      ),
      write: paths.describe("More that may be written."),
    }),
  ],
  { error: "expected auto, bwrap or none, or a map with kind, network, hosts, read and write" },
);

/** Names of variables whose values Pawl masks in its output (`adapters/process/redact.ts`). */
const secretName = z
  .string()
  .regex(
    /^[A-Z_][A-Z0-9_]*$/,
    "expected the name of an environment variable in capitals, such as SLACK_WEBHOOK_URL",
  )
  .regex(
    /WEBHOOK|SECRET|TOKEN|KEY/,
    "expected a variable whose name shows that it is secret: with WEBHOOK, SECRET, TOKEN or KEY in it",
  );
const incomingWebhook = z.strictObject({
  url_env: secretName.describe("The variable that holds the address."),
});
const CLOCK = "(?:[01][0-9]|2[0-3]):[0-5][0-9]";
const NOTIFY = z.strictObject({
  for: z.array(z.enum(NOTICE_KINDS)).optional().describe("The notices that are sent (default: all)."),
  quiet: z
    .string()
    .regex(new RegExp(`^${CLOCK}-${CLOCK}$`), "expected two times of day, such as 22:00-07:00")
    .optional()
    .describe("Hours in which nothing is sent, such as 22:00-07:00; what still waits is sent afterwards."),
  desktop: z.boolean().optional().describe("Notices of this machine's desktop."),
  webhook: z
    .strictObject({
      url_env: secretName.describe("The variable that holds the address."),
      secret_env: secretName.describe("The variable that holds the secret of the signature."),
    })
    .optional()
    .describe("Signed JSON to an address of your own."),
  slack: incomingWebhook.optional().describe("An incoming webhook of Slack."),
  discord: incomingWebhook.optional().describe("A webhook of Discord."),
  command: z
    .tuple(
      [
        z
          .string()
          .regex(
            /^(?:\/|~\/)[^\0]+$|^[^/\\~.\0][^/\\\0]*$/,
            "expected a program by its name or its absolute path; agents could change one of the project",
          ),
      ],
      z.string(),
    )
    .optional()
    .describe("A program of yours and its arguments; it gets the notice as JSON on standard input."),
});

/** The keys of `pawl.yaml`, without those that workflows add. */
export const PAWL_FILE = z.strictObject({
  project_id: z
    .string()
    .regex(/^[0-9a-f-]{32,36}$/, "expected the random id that `pawl init` or `pawl keys add` wrote")
    .optional()
    .describe("The project's random id: what is signed for this project counts for no other."),
  gates: z
    .union([gateLevel, z.record(z.string().min(1), gateLevel)], {
      error: `expected one of ${GATE_LEVELS.join(", ")}, or such a level by gate`,
    })
    .optional()
    .describe(
      "How strong a person's verdict must be (any, terminal, signed, touch): for all gates, or by gate, workflow and `default`.",
    ),
  guard: z
    .boolean()
    .optional()
    .describe(
      "Keep assistants from writing where the state of a run does not allow it (`pawl init --guard`).",
    ),
  share: z
    .boolean()
    .optional()
    .describe(
      "Record the steps of runs in .alfred/records, so that other clones get them by git; a workflow with a signed gate does so in any case.",
    ),
  verify: z
    .strictObject({
      reviewers: z
        .array(
          z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/, "expected a person's login, such as octocat"),
        )
        .optional()
        .describe("The logins whose approving reviews on GitHub count for `pawl verify --forge`."),
    })
    .optional()
    .describe("Who may approve where no gate is signed."),
  alfred: ALFRED_FILE.optional().describe("One task through gates, by MCP tools."),
  bloom: BLOOM_FILE.optional().describe("Many tasks and agents, from tasks.yaml."),
  setup: z
    .record(z.string().min(1), SETUP)
    .optional()
    .describe(
      "By a repository's path (`.` is the project's): what a checkout needs before work or checks in it, such as `npm ci`.",
    ),
  environment: ENVIRONMENT.optional().describe(
    "More variables for the commands that Pawl runs itself: checks, verify, setup, own workflows' commands; and what each task at work has for itself.",
  ),
  git: z
    .strictObject({
      filters: z
        .array(z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, "expected a filter's name, such as lfs"))
        .optional()
        .describe(
          "The filters that git may run, such as lfs; their commands come from your own git configuration.",
        ),
      fence: z
        .enum(["refs", "branches", "none"])
        .optional()
        .describe(
          "With several machines: the refs by which a remote refuses the push of a worker that lost its task. branches: for a remote that accepts no refs/pawl/*.",
        ),
      deliver: z
        .enum(["merge", "squash", "rebase"])
        .optional()
        .describe(
          "How a task's commits come into `merge_into`: by a merge commit, as one commit, or each anew on top. Without it a merge commit, or each anew where the remote takes no merge commits.",
        ),
      message: z
        .string()
        .min(1)
        .max(2000)
        .optional()
        .describe(
          "The message of that commit: {id}, {title}, {type} (feat, fix … as the first commit's title says) and {commits} (what the commits say).",
        ),
    })
    .optional()
    .describe("What Pawl's own git may do."),
  stores: z
    .strictObject({
      bloom: z
        .enum(["files", "postgres"])
        .optional()
        .describe("postgres: the tasks and their runs are in the database that PAWL_DATABASE_URL names."),
    })
    .optional()
    .describe("Where a workflow's work is kept."),
  sandbox: SANDBOX.optional().describe("The wall around agents, checks, verify and setup."),
  notify: NOTIFY.optional().describe("Where Pawl tells you that something waits for you."),
  workflows: z
    .array(workflowFile)
    .optional()
    .describe(
      "The files of the project's own workflows, such as ./release.yaml; each has the name of its file.",
    ),
  agents: z
    .record(z.string().min(1), AGENT)
    .optional()
    .describe("Agents by name; claude, codex, opencode, gemini and scripted need no entry."),
});

/** The keys of `pawl.yaml`, with those that workflows add. */
export async function pawlFile(): Promise<z.ZodObject> {
  const modules = await loadWorkflows(WORKFLOWS);
  const parts = modules.map(async ({ name, settings, summary }) =>
    settings ? [[name, (await settings()).optional().describe(summary)] as const] : [],
  );
  return PAWL_FILE.extend(Object.fromEntries((await Promise.all(parts)).flat()));
}
