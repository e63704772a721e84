import type { Requirement } from "./requirements.ts";

/** How strong a person's verdict must be, and what a signature binds. */
export const SIGNED_GATES = {
  "gates.level": {
    says: "A gate refuses a verdict that is weaker than it asks, whatever the workflow and the channel, and by the policy that was pinned for the run.",
    source: "docs/verify.md, Signed gates",
  },
  "gates.signed": {
    says: "A signed verdict is committed with the record that was signed and its signature, for each kind of workflow.",
    source: "docs/verify.md, The record",
  },
  "gates.base": {
    says: "Work is compared with the commit at which it left the newer of the local and the fetched base branch.",
    source: "docs/verify.md, What `pawl verify` does not prove",
  },
  "gates.as-signed": {
    says: "What is committed is what was signed to the letter; where anything has changed meanwhile, the person is asked again.",
    source: "docs/verify.md, Signed gates",
  },
  "gates.passphrase": {
    says: "A signature needs the key's passphrase at the terminal: no ssh agent gives it, and nothing shows it.",
    source: "docs/verify.md, Signed gates",
  },
  "gates.touch": {
    says: "A hardware key's signature counts like any other, and says whether the key was touched; that cannot be forged.",
    source: "docs/verify.md, Signed gates",
  },
  "gates.keys": {
    says: "A person's key is added to the signers by name; one that anyone could use is refused.",
    source: "docs/verify.md, Signed gates",
  },
  "verify.passes": {
    says: "What was approved passes, be it merged by git itself, on a bare clone too, with who approved it and which commit it covers.",
    source: "docs/verify.md, What `pawl verify` looks at",
  },
  "verify.faults": {
    says: "Nothing that was forged, replayed, edited, moved or left out passes; each fault is named by its rule.",
    source: "docs/verify.md, What `pawl verify` looks at",
  },
  "verify.workflows": {
    says: "Work of Alfred, of Bloom and of an own workflow passes with the records that their gates left, and not once it is changed.",
    source: "docs/verify.md, What `pawl verify` looks at",
  },
  "verify.forge": {
    says: "Where the base wants no signatures, one approving review on GitHub of exactly HEAD counts, by a listed login that did not make the work; what GitHub does not say completely verifies nothing.",
    source: "docs/verify.md, Without keys: a review on GitHub",
  },
  "verify.action": {
    says: "The action for GitHub verifies by an exact version and puts nothing that others wrote into a script.",
    source: "docs/verify.md, In CI",
  },
  "verify.machines": {
    says: "A report has a form for machines, and the base's checks can be run on HEAD's files.",
    source: "docs/verify.md, What `pawl verify` looks at",
  },
  "guard.after-the-fact": {
    says: "What changed while nothing may be written is told once, stops every move but a person's, and is shown at the gate before its question.",
    source: "trust, the guard",
  },
} satisfies Record<string, Requirement>;
