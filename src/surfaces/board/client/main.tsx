/** The board's page: the session first, then what the address asks for. */
import { render } from "preact";
import { App } from "./app.tsx";
import { listenToKeys } from "./keys.ts";
import { wearTheme } from "./theme.ts";

wearTheme();
listenToKeys();
const home = document.getElementById("app");
if (home) render(<App />, home);
