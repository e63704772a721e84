import type { Requirement } from "./requirements.ts";

const E2E = "test/e2e/notices.slow.test.ts";
const RULES = "src/runtime/notices.test.ts";
const DOC = "docs/notices.md";

/** What a person is told while they look elsewhere. */
export const NOTICES: Readonly<Record<string, Requirement>> = {
  "notices.causes": {
    says: "A person is told of a gate that waits, a question, a blocked task, a budget of which four fifths are spent, and of the loop's rest, each once and only while it holds.",
    source: `${DOC}, What is told`,
    tests: [
      `${E2E}: is told in signed JSON: what, of which run, who acts, the command, and the board's address`,
      `${E2E}: is told again when it waits anew`,
      `${E2E}: tells of a question, a blocked task, a budget and its own rest, each once; its agents see no secret`,
      `${E2E}: that has nothing to do from its beginning tells nothing; one that finished tells that it is done`,
      "src/workflows/bloom/scheduler/people.test.ts: sets a budget, and hears once, while the agent still works, that four fifths are spent",
      `${RULES}: is told of each cause by itself, once, and of none that it does not want`,
    ],
  },
  "notices.once": {
    says: "However many processes look at the same time, a receiver gets one notice of a cause.",
    source: `${DOC}, What is told`,
    tests: [
      `${E2E}: is told once, however many processes look at the same time`,
      `${E2E}: is not told again after its file could not be read for a while`,
    ],
  },
  "notices.quiet": {
    says: "In quiet hours nothing is sent; what began in them and still holds is told afterwards in one notice.",
    source: `${DOC}, What is told`,
    tests: [
      `${E2E}: waits for the end of quiet hours, and is told then`,
      `${RULES}: is told afterwards, in one notice, what began in quiet hours; what began since, by itself`,
      `${RULES}: %s at %s end at %s`,
      "src/app/notices.test.ts: A process that lives through quiet hours looks again when they end",
    ],
  },
  "notices.no-delay": {
    says: "A receiver that never answers, or a sender that cannot start, delays and fails no command; the notice follows when the receiver is back.",
    source: `${DOC}, Who sends`,
    tests: [
      `${E2E}: that never answers delays no command, and hears of it when it is back`,
      `${E2E}: A sender that cannot be started keeps no command from its work`,
      `${E2E}: is told by the server of an assistant, too, while it serves`,
    ],
  },
  "notices.trusted": {
    says: "Nothing is sent to a receiver that no person on this machine agreed to as it is; one that was agreed to and is changed or taken out hears so once.",
    source: "docs/threats.md, A project that sends",
    tests: [
      `${E2E}: sends nothing and starts nothing before a person agrees to exactly its receivers`,
      `${E2E}: whose pawl.yaml an agent edits redirects no notice; the receiver that was agreed to hears so, once`,
    ],
  },
  "notices.addresses": {
    says: "https goes only to the internet and http only to this machine, no redirect is followed, and no output contains an address.",
    source: "docs/threats.md, A notice to another address",
    tests: [
      `${E2E}: that redirects, fails, or is not this machine over http is said by its variable, never by its address`,
      "src/adapters/notify/post.test.ts: %s is not reached over https",
      "src/adapters/notify/post.test.ts: %s is refused, wherever its name leads, and not shown",
      "src/config/config.test.ts: refuses in `notify` %s",
    ],
  },
  "notices.not-by-agents": {
    says: "Processes of the loop's agents send nothing: the loop tells what they did.",
    source: `${DOC}, Who sends`,
    tests: [
      "src/app/notices.test.ts: An agent's process never looks: it has no secret, and ends with its run",
      `${E2E}: tells of a question, a blocked task, a budget and its own rest, each once; its agents see no secret`,
    ],
  },
  "notices.secrets": {
    says: "No agent and no command gets an address or a secret of notices, whatever the settings pass on, and all output masks them.",
    source: "docs/threats.md, An agent reads where notices go",
    tests: [
      `${E2E}: tells of a question, a blocked task, a budget and its own rest, each once; its agents see no secret`,
      `${E2E}: A command of the project gets no variable of a notice, whatever the settings name`,
      "src/adapters/process/redact.test.ts: is the address of a receiver of notices, too",
    ],
  },
  "notices.words": {
    says: "Words of an agent in a notice mention nobody, are no link and no script, and are clean and short.",
    source: "docs/threats.md, Words of an agent in a notice",
    tests: [
      `${E2E}: mention nobody in Slack and Discord, and are no link there`,
      `${E2E}: are one argument of the desktop's program, and run nothing`,
      `${E2E}: reach a program of one's own on standard input; it gets no secret, and no file of the project is one`,
      `${RULES}: is told words that are clean, in one line and short, whatever a file or an agent says`,
      `${RULES}: is told a megabyte of %j within two seconds of work`,
    ],
  },
  "notices.test": {
    says: "A test notice goes to each receiver with `pawl notify --test`, which says what came of each; an agent may not call it.",
    source: `${DOC}`,
    tests: [`${E2E}: is asked for by \`pawl notify --test\`, which tells of each receiver what came of it`],
  },
};
