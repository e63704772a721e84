import { expect, test } from "vitest";
import { readJira } from "./atlassian-environment.ts";

const NEW = { JIRA_BASE_URL: "https://new", ATLASSIAN_EMAIL: "n@x", ATLASSIAN_API_TOKEN: "new" };
const EARLIER = { JIRA_HOST: "https://old", JIRA_EMAIL: "o@x", JIRA_API_TOKEN: "old" };

test.each([
  ["one set of names", NEW, ["https://new", "n@x", "new", "ATLASSIAN_API_TOKEN"]],
  ["the earlier names", EARLIER, ["https://old", "o@x", "old", "JIRA_API_TOKEN"]],
  [
    "both sets: the one of the address that counts",
    { ...EARLIER, ...NEW },
    ["https://new", "n@x", "new", "ATLASSIAN_API_TOKEN"],
  ],
  [
    "an earlier address with the tokens of both",
    { ...EARLIER, ATLASSIAN_EMAIL: "n@x", ATLASSIAN_API_TOKEN: "new" },
    ["https://old", "o@x", "old", "JIRA_API_TOKEN"],
  ],
  [
    "an address of one set and the access of the other",
    { JIRA_BASE_URL: "https://new", JIRA_EMAIL: "o@x", JIRA_API_TOKEN: "old" },
    ["https://new", "o@x", "old", "JIRA_API_TOKEN"],
  ],
  [
    "a personal token without an email, beside another's email",
    { ...NEW, ATLASSIAN_EMAIL: "", JIRA_EMAIL: "o@x", JIRA_API_TOKEN: "old" },
    ["https://new", undefined, "new", "ATLASSIAN_API_TOKEN"],
  ],
  ["nothing", {}, [undefined, undefined, undefined, "ATLASSIAN_API_TOKEN"]],
] as const)("it takes %s", (_, environment, [address, email, token, tokenVariable]) => {
  expect(readJira(environment)).toEqual({ address, email, token, tokenVariable });
});
