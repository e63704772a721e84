/** A client's window in the browser: shows an app in a frame, by the host's side of its protocol, and passes on its calls. */
// Before all others: what checks messages decides when it is loaded.
import "./no-eval.ts";
import {
  AppBridge,
  type McpUiHostCapabilities,
  type McpUiHostContext,
  PostMessageTransport,
} from "@modelcontextprotocol/ext-apps/app-bridge";

type Params = Record<string, unknown>;

/** Given by the test. */
declare const outside: (what: "call" | "message" | "context" | "mode", params: Params) => Promise<Params>;

export interface Shown {
  readonly document: string;
  readonly context: McpUiHostContext;
  readonly capabilities: McpUiHostCapabilities;
  readonly input: Params;
  readonly result: Params;
}

/** Strict: neither forms nor an origin of its own. */
const SANDBOX = "allow-scripts";

let bridge: AppBridge;

async function show({ capabilities, context, document: text, input, result }: Shown): Promise<void> {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", SANDBOX);
  frame.title = "Pawl";
  frame.srcdoc = text;
  bridge = new AppBridge(null, { name: "Rig", version: "1.0.0" }, capabilities, { hostContext: context });
  bridge.oncalltool = async (params) => (await outside("call", params as Params)) as never;
  bridge.onmessage = async (params) => await outside("message", params as Params);
  bridge.onupdatemodelcontext = async (params) => await outside("context", params as Params);
  bridge.onrequestdisplaymode = async (params) => (await outside("mode", params as Params)) as never;
  bridge.addEventListener("sizechange", ({ height }) => {
    if (height !== undefined) frame.style.height = `${height}px`;
  });
  const ready = new Promise<void>((resolve) => bridge.addEventListener("initialized", () => resolve()));
  document.body.append(frame);
  const inner = frame.contentWindow;
  if (!inner) throw new Error("The frame has no window.");
  await bridge.connect(new PostMessageTransport(inner, inner));
  await ready;
  await bridge.sendToolInput({ arguments: input });
  await bridge.sendToolResult(result as never);
}

Object.assign(globalThis, {
  show,
  change: (context: McpUiHostContext) => bridge.sendHostContextChange(context),
});
