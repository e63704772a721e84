/** A program: serves the git repositories of a folder over HTTP. `node git-server.ts FOLDER HOST PORT` */
import { openGitHttp } from "../rig/git-http.ts";

const [folder = "", host = "", port = ""] = process.argv.slice(2);
const { url } = await openGitHttp(folder, { host, port: Number(port) });
process.stdout.write(`${url}\n`);
process.stdin.on("end", () => process.exit()).resume();
