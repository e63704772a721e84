import type { Requirement } from "./requirements.ts";

const DOC = "docs/notices.md";

/** What a person is told while they look elsewhere. */
export const NOTICES = {
  "notices.causes": {
    says: "A person is told of a gate that waits, a question, a blocked task, a budget of which four fifths are spent, and of the loop's rest, each once and only while it holds.",
    source: `${DOC}, What is told`,
  },
  "notices.once": {
    says: "However many processes look at the same time, a receiver gets one notice of a cause.",
    source: `${DOC}, What is told`,
  },
  "notices.quiet": {
    says: "In quiet hours nothing is sent; what began in them and still holds is told afterwards in one notice.",
    source: `${DOC}, What is told`,
  },
  "notices.no-delay": {
    says: "A receiver that never answers, or a sender that cannot start, delays and fails no command; the notice follows when the receiver is back.",
    source: `${DOC}, Who sends`,
  },
  "notices.trusted": {
    says: "Nothing is sent to a receiver that no person on this machine agreed to as it is; one that was agreed to and is changed or taken out hears so once.",
    source: "docs/security.md, A project sends notices",
  },
  "notices.addresses": {
    says: "https goes only to the internet and http only to this machine, no redirect is followed, and no output contains an address.",
    source: "docs/security.md, A redirected or deceptive notice",
  },
  "notices.not-by-agents": {
    says: "Processes of the loop's agents send nothing: the loop tells what they did.",
    source: `${DOC}, Who sends`,
  },
  "notices.secrets": {
    says: "No agent and no command gets an address or a secret of notices, whatever the settings pass on, and all output masks them.",
    source: "docs/security.md, Tokens in a child's environment",
  },
  "notices.words": {
    says: "Words of an agent in a notice mention nobody, are no link and no script, and are clean and short.",
    source: "docs/security.md, A redirected or deceptive notice",
  },
  "notices.test": {
    says: "A test notice goes to each receiver with `pawl config notify --test`, which says what came of each; an agent may not call it.",
    source: `${DOC}`,
  },
} satisfies Record<string, Requirement>;
