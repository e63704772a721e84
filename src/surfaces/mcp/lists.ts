/** The lists of tools and resources, by who asks: the SDK's own are the same for every client. */
import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { APP_URI } from "./app/app.ts";
import { showsApp } from "./client.ts";
import type { Listed, Serving } from "./serving.ts";

export function answerLists(serving: Serving): void {
  const { listings, server, tools } = serving;
  server.server.setRequestHandler("tools/list", (_, context) => {
    const isShown = showsApp(serving, context);
    const own = tools.filter(({ audience }) => isShown || audience !== "app");
    return { tools: own.map((each) => shownTool(each, isShown)) };
  });
  server.server.setRequestHandler("resources/list", async () => {
    const lists = await Promise.all(listings.map((list) => list()));
    return { resources: lists.flat() };
  });
}

const DIALECT = { target: "draft-2020-12" } as const;
const AT_GATE = { ui: { resourceUri: APP_URI } };

function shownTool({ audience, name, tool }: Listed, isShown: boolean) {
  const { annotations, description, inputSchema, outputSchema, title } = tool;
  const _meta = isShown && audience === "gate" ? { ...tool._meta, ...AT_GATE } : tool._meta;
  return {
    ...{ name, title, description, inputSchema: json(inputSchema, "input"), annotations, _meta },
    ...(outputSchema && { outputSchema: json(outputSchema, "output") }),
  };
}

function json(schema: StandardSchemaWithJSON | undefined, side: "input" | "output") {
  return { type: "object" as const, ...schema?.["~standard"].jsonSchema[side](DIALECT) };
}
