/** What GitHub's description, as Octokit has it, says of an answer: a double may leave out what Pawl does not read. */
import type { RestEndpointMethodTypes as Endpoints } from "@octokit/rest";

type Part<T> = T extends readonly (infer Item)[]
  ? readonly Part<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]?: Part<T[Key]> }
    : T;

type Data<T> = T extends { readonly response: { readonly data: infer Found } } ? Found : never;

/** An answer, or one of a list's. */
export type Answered<Group extends keyof Endpoints, Method extends keyof Endpoints[Group]> = Part<
  Data<Endpoints[Group][Method]> extends readonly (infer Item)[] ? Item : Data<Endpoints[Group][Method]>
>;
