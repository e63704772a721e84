import fc from "fast-check";
import { expect, test } from "vitest";
import { promise } from "../../../test/rig/promise.ts";
import { parseAtlassianLink, parseAtlassianUrls, unprocessedUrls } from "./atlassian.ts";

const URL = "https://acme.atlassian.net/browse/PROJ-1";

test.each([
  ["plain text", `see ${URL} for more`],
  ["a full stop after it", `see ${URL}.`],
  ["angle brackets", `<${URL}>`],
  ["parentheses", `(${URL})`],
  ["a markdown link", `[issue](${URL})`],
  ["a markdown link with a title", `[issue](${URL} "the issue")`],
  ["a link whose text is the link", `[${URL}](${URL})`],
  ["bold and quotes", `**${URL}** "${URL}" '${URL}'`],
  ["a table", `| ${URL}|x |`],
  ["a comma list", `${URL}, ${URL};`],
  ["a code fence", `\`\`\`\n${URL}\n\`\`\``],
])("a URL is found in %s", (_, text) => {
  expect(parseAtlassianUrls(text)).toEqual([URL]);
});

test.each([
  "http://acme.atlassian.net/browse/PROJ-1",
  "https://atlassian.net/x",
  "https://acme.atlassian.net.evil.example/x",
  "https://evil.example/acme.atlassian.net/x",
  "https://evil.example?https=acme.atlassian.net",
  "https://acme.atlassian.net:8443/x",
  "https://a.b.atlassian.net/x",
  "https://user:pw@acme.atlassian.net/x",
  "https://acme.atlassian.net@evil.example/x",
  "https://notatlassian.net/x",
])("%s is none, since its host is not a site of Atlassian's", (url) => {
  expect(parseAtlassianUrls(url)).toEqual([]);
});

test("parentheses that belong to the address stay", () => {
  const url = "https://acme.atlassian.net/wiki/spaces/D/pages/1/Design_(new)";
  expect(parseAtlassianUrls(`(${url})`)).toEqual([url]);
});

test("a URL is processed whatever way its address is written", () => {
  const refs = "\uFEFF# done\r\nHTTPS://ACME.atlassian.net/browse/PROJ-1\r\n\r\n";
  expect(unprocessedUrls(`${URL} ${URL}2`, refs)).toEqual([`${URL}2`]);
});

test.each([
  ["/browse/PROJ-1", "issue", "PROJ-1"],
  ["/jira/software/projects/PROJ/boards/1?selectedIssue=PROJ-7", "issue", "PROJ-7"],
  ["/jira/software/c/projects/PROJ/issues/proj-9", "issue", "PROJ-9"],
  ["/jira/servicedesk/projects/SUP/queues/custom/12/SUP-10", "issue", "SUP-10"],
  ["/servicedesk/customer/portal/3/SUP-11", "issue", "SUP-11"],
  ["/servicedesk/customer/portal/3", "other", undefined],
  ["/wiki/spaces/DEV/pages/4711/Title", "page", "4711"],
  ["/wiki/spaces/DEV/blog/2026/01/02/4711/Post", "page", "4711"],
  ["/wiki/spaces/DEV/blog/2026/01/02", "other", undefined],
  ["/wiki/spaces/DEV/pages/edit-v2/4711", "page", "4711"],
  ["/wiki/pages/viewpage.action?pageId=4711", "page", "4711"],
  ["/wiki/x/AbCd", "other", undefined],
  ["/jira/boards/1", "other", undefined],
  ["/browse/../../etc", "other", undefined],
])("%s leads to %s %s", (path, kind, id) => {
  const link = parseAtlassianLink(`https://acme.atlassian.net${path}`);
  expect([link.kind, "key" in link ? link.key : "page" in link ? link.page : undefined]).toEqual([kind, id]);
});

test.each([
  ["https://jira.acme.example/browse/PROJ-1", "PROJ-1"],
  ["http://127.0.0.1:8080/jira/browse/PROJ-1", "PROJ-1"],
  ["https://acme.example:8443/jira/browse/PROJ-1?focusedId=3#c", "PROJ-1"],
  ["https://jira.acme.example/projects/PROJ/issues/PROJ-9", "PROJ-9"],
  ["https://jira.acme.example/secure/RapidBoard.jspa?rapidView=1&selectedIssue=PROJ-7", "PROJ-7"],
  ["https://jira.acme.example/servicedesk/customer/portal/3/SUP-11", "SUP-11"],
  ["https://wiki.acme.example/pages/viewpage.action?pageId=4711", "4711"],
  ["https://wiki.acme.example/pages/viewpage.action?spaceKey=DEV&title=How+to", "DEV/How to"],
  ["https://acme.example/wiki/spaces/DEV/pages/4711/Title", "4711"],
  ["https://wiki.acme.example/confluence/display/DEV/How+to+%C3%BCb", "DEV/How to üb"],
  ["https://wiki.acme.example/display/~ann/Notes", "~ann/Notes"],
  ["https://wiki.acme.example/display/DEV/2026/01/02/We+ship", "DEV/2026/01/02/We ship"],
  ["https://wiki.acme.example/spaces/DEV/blog/2026/01/02/4711/We+ship", "4711"],
])("%s is one of a Data Center", (url, id) => {
  promise("trackers.data-center");
  expect(parseAtlassianUrls(`see ${url}.`)).toEqual([url]);
  const link = parseAtlassianLink(url);
  expect("key" in link ? link.key : "page" in link && link.page).toBe(id);
});

test.each([
  "https://acme.example/browse/src/main.ts",
  "https://acme.example/a/b/issues/12",
  "https://acme.example/a/b/issues/ABC-12",
  "https://acme.example/display/board",
  "https://acme.example/display/a/b/c/d",
  "https://acme.example/blog/2026/01/4711",
  "https://acme.example/blog/2026/01/02/4711/title",
  "https://acme.example/docs/pages/12",
  "https://acme.example/pages/viewpage.action",
  "https://acme.example/?selectedIssue=PROJ-1",
  "https://user:pw@acme.example/browse/PROJ-1",
])("%s is nobody's", (url) => {
  expect(parseAtlassianUrls(url)).toEqual([]);
});

test("whatever the text, what is found has a site of Atlassian's for its host, or names one issue", () => {
  const part = fc.constantFrom(
    URL,
    "https://",
    ".atlassian.net",
    "acme",
    "/",
    "@",
    "[",
    "](",
    ")",
    " ",
    ".",
    "\n",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 20 }), (parts) => {
      for (const url of parseAtlassianUrls(parts.join("")))
        expect([new globalThis.URL(url).host, parseAtlassianLink(url).kind].join()).toMatch(
          /^[a-z0-9-]+\.atlassian\.net,|,issue$/,
        );
    }),
  );
});
