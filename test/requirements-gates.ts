import type { Requirement } from "./requirements.ts";

const STRAYS = "test/e2e/stray-edits.slow.test.ts";
const TERMINAL = "test/e2e/signed-gates.slow.test.ts";
const HARDWARE = "src/adapters/signatures/signatures.test.ts";
const SIGNED = "test/e2e/signed-gates.test.ts";
const WORKFLOWS = "test/e2e/verify-workflows.slow.test.ts";
const ACTION = "test/action.slow.test.ts";
const FORGE = "test/e2e/verify-forge.slow.test.ts";
const VERIFY = "test/e2e/verify.slow.test.ts";
const GATE = "src/runtime/signed-gate.test.ts";

/** How strong a person's verdict must be, and what a signature binds. */
export const SIGNED_GATES: Readonly<Record<string, Requirement>> = {
  "gates.level": {
    says: "A gate refuses a verdict that is weaker than it asks, whatever the workflow and the channel, and by the policy that was pinned for the run.",
    source: "docs/verify.md, Signed gates",
    tests: [
      `${GATE}: is refused where it is weaker than %s`,
      `${GATE}: is what it was where no gate asks for more`,
      `${GATE}: is signed where it was pinned so, whatever the files say since`,
      `${SIGNED}: is not passed by anyone without a key, nor without a terminal`,
      `${SIGNED}: stays signed for a run that is under way, whatever pawl.yaml says meanwhile`,
      `${SIGNED}: asks for a touch of the key where it wants one`,
    ],
  },
  "gates.signed": {
    says: "A signed verdict is committed with the record that was signed and its signature, for each kind of workflow.",
    source: "docs/verify.md, The record",
    tests: [
      `${SIGNED}: takes a signature in place of a yes, and commits the record with the move`,
      `${SIGNED}: is not passed by what an assistant relays, and binds the artifact that the person signs`,
      `${SIGNED}: binds the commit's tree, and lets the work be merged`,
      `${SIGNED}: binds the next record to the one before, and does not go on from one that was edited`,
      `${SIGNED}: is not passed by %j in the digits' place`,
      `${SIGNED}: is not passed by a key that the signers' file does not name, even under an allowed name`,
      `${GATE}: is asked for as a signature, and committed with record and signature`,
    ],
  },
  "gates.base": {
    says: "Work is compared with the commit at which it left the newer of the local and the fetched base branch.",
    source: "docs/verify.md, What `pawl verify` does not prove",
    tests: [
      "src/adapters/git/changes.test.ts: work starts where it left %s",
      "src/adapters/git/changes.test.ts: the remote-tracking branch is the one that is configured, and else the usual remote's",
    ],
  },
  "gates.as-signed": {
    says: "What is committed is what was signed to the letter; where anything has changed meanwhile, the person is asked again.",
    source: "docs/verify.md, Signed gates",
    tests: [
      `${GATE}: is asked for anew where the work has changed since it was signed`,
      `${GATE}: is asked for anew where %s has changed since it was signed`,
    ],
  },
  "gates.passphrase": {
    says: "A signature needs the key's passphrase at the terminal: no ssh agent gives it, and nothing shows it.",
    source: "docs/verify.md, Signed gates",
    tests: [
      `${TERMINAL}: asks for the key's passphrase there, and shows it to nobody`,
      `${TERMINAL}: is not made without the passphrase, be the digits typed as they are shown`,
      `${TERMINAL}: is not made by an ssh agent that holds the key, which every program of the user may ask`,
      `${TERMINAL}: is made by a key that Pawl has made, with the passphrase that was typed`,
    ],
  },
  "gates.touch": {
    says: "A hardware key's signature counts like any other, and says whether the key was touched; that cannot be forged.",
    source: "docs/verify.md, Signed gates",
    tests: [
      `${HARDWARE}: signs like any other, and a flag that is set afterwards breaks its signature`,
      `${HARDWARE}: counts only for its name, its namespace and its time`,
      "src/core/ssh-signature.test.ts: of a hardware key says whether the key was touched",
      "src/core/ssh-signature.test.ts: of another key says nothing of it, nor does what is no signature",
    ],
  },
  "gates.keys": {
    says: "A person's key is added to the signers by name; one that anyone could use is refused.",
    source: "docs/verify.md, Signed gates",
    tests: [
      `${SIGNED}: are added once, with a random id for a project that has none; a key that anyone can use is refused`,
      "src/surfaces/cli/project-id.test.ts: the id of a project is added to %j, whose other values stay",
    ],
  },
  "verify.passes": {
    says: "What was approved passes, be it merged by git itself, on a bare clone too, with who approved it and which commit it covers.",
    source: "docs/verify.md, What `pawl verify` looks at",
    tests: [
      `${VERIFY}: passes what was approved, and says who approved it and which commit it covers`,
      `${VERIFY}: passes a merge that git makes by itself of approved work and a base that went on`,
      `${VERIFY}: works on a bare clone without any state of Pawl's, and wherever it is called`,
    ],
  },
  "verify.faults": {
    says: "Nothing that was forged, replayed, edited, moved or left out passes; each fault is named by its rule.",
    source: "docs/verify.md, What `pawl verify` looks at",
    tests: [
      `${VERIFY}: names %s: %s`,
      `${VERIFY}: verifies nothing by a base that asks for no signature`,
      `${VERIFY}: ends with a usage error where the range is none, or is not there`,
    ],
  },
  "verify.workflows": {
    says: "Work of Alfred, of Bloom and of an own workflow passes with the records that their gates left, and not once it is changed.",
    source: "docs/verify.md, What `pawl verify` looks at",
    tests: [
      `${WORKFLOWS}: passes where the work and its records are what a person signed`,
      `${WORKFLOWS}: names an artifact that is not the one that was approved`,
      `${WORKFLOWS}: names a change of the work, and a task's file that changed since`,
      `${WORKFLOWS}: passes what was approved and merged by the loop, and names what was put on top`,
    ],
  },
  "verify.forge": {
    says: "Where the base wants no signatures, one approving review on GitHub of exactly HEAD counts, by a listed login that did not make the work; what GitHub does not say completely verifies nothing.",
    source: "docs/verify.md, Without keys: a review on GitHub",
    tests: [
      `${FORGE}: passes a head that a listed login approves, and says how little that proves`,
      `${FORGE}: counts no review %s`,
      `${FORGE}: counts no review from before %s, which was about another difference`,
      `${FORGE}: counts no review of a pull request that does not show the whole range`,
      `${FORGE}: finds the approving login among several, and a remark after an approval changes nothing`,
      `${FORGE}: reads all pages: the review that takes an approval back may be on the last`,
      `${FORGE}: finds a pull request from a fork by its number only, and says so`,
      `${FORGE}: counts no pull request with another head, be it named`,
      `${FORGE}: takes the reviewers from the base, never from the range`,
      `${FORGE}: wants reviewers of the base, and asks GitHub nothing without them`,
      `${FORGE}: does not let a review stand for a signature that the base wants`,
      `${FORGE}: counts nothing on the forge unless it is asked to`,
      `${FORGE}: fails as such with %s, and never passes`,
      `${FORGE}: takes no %s %s`,
      `${ACTION}: counts reviews where it is told to, and keeps the token from the program otherwise`,
    ],
  },
  "verify.action": {
    says: "The action for GitHub verifies by an exact version and puts nothing that others wrote into a script.",
    source: "docs/verify.md, In CI",
    tests: [
      `${ACTION}: gives its script what others wrote by the environment alone`,
      `${ACTION}: passes what was approved, fails what was not, and leaves a report`,
      `${ACTION}: takes an exact version only`,
    ],
  },
  "verify.machines": {
    says: "A report has a form for machines, and the base's checks can be run on HEAD's files.",
    source: "docs/verify.md, What `pawl verify` looks at",
    tests: [
      `${VERIFY}: tells machines of each fault, in SARIF and JUnit`,
      `${VERIFY}: runs the base's checks on HEAD's files where it is asked to`,
    ],
  },
  "guard.after-the-fact": {
    says: "What changed while nothing may be written is told once, stops every move but a person's, and is shown at the gate before its question.",
    source: "trust, the guard",
    tests: [
      `${STRAYS}: keep an assistant from moving the run until they are undone`,
      `${STRAYS}: are shown to the person before the gate's question, and a yes accepts them`,
      `${STRAYS}: stay if a person accepts exactly what they saw, with \`pawl repair\``,
      `${STRAYS}: still count when the guard is switched off in pawl.yaml meanwhile`,
    ],
  },
};
