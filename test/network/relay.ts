/**
 * A program: passes connections on, and holds every byte back for so many milliseconds in each direction. A line of its input
 * says how many, from then on. `node relay.ts HOST PORT=TO_HOST:TO_PORT…`
 */
import { connect, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";

let delay = 0;

const [host = "", ...ways] = process.argv.slice(2);
for (const way of ways) {
  const [port = "", to = ""] = way.split("=");
  const [toHost = "", toPort = ""] = to.split(":");
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    const upstream = connect({ host: toHost, port: Number(toPort), allowHalfOpen: true, noDelay: true });
    const end = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on("error", end).on("close", end);
    passOn(client, upstream);
    passOn(upstream, client);
  });
  server.listen(Number(port), host);
}
createInterface({ input: process.stdin })
  .on("line", (line) => {
    delay = Number(line);
  })
  .on("close", () => process.exit());
process.stdout.write("ready\n");

/** In order, also where the delay becomes shorter meanwhile. */
function passOn(from: Socket, to: Socket): void {
  let last = Promise.resolve();
  const later = (act: () => void) => {
    const waited = new Promise((resolve) => setTimeout(resolve, delay));
    last = last.then(() => waited).then(act);
  };
  from.on("data", (bytes) => later(() => to.write(bytes)));
  from.on("end", () => later(() => to.end()));
}
