/** The board's page: opens the session first, then the page that the URL names. */
import { render } from "preact";
import { App } from "./app.tsx";
import { listenToKeys } from "./keys.ts";
import { wearTheme } from "./theme.ts";

wearTheme();
listenToKeys();
const home = document.getElementById("app");
if (home) render(<App />, home);
