/**
 * A separate program, inside a wall whose network is `model`: starts the given program, and forwards its
 * requests to the proxy's socket, which is the only network here. Arguments: the socket, the model's ports on
 * this machine's loopback (comma-separated, may be empty), the program and its arguments.
 */
import { spawn } from "node:child_process";
import { connect, createServer, type Server, type Socket } from "node:net";
import { constants } from "node:os";

const [socket = "", ports = "", program = "", ...args] = process.argv.slice(2);
const LOOPBACK = "127.0.0.1";
/** A side that has finished sending may still receive. */
const HALF_OPEN = { allowHalfOpen: true };

function listenOnLoopback(server: Server, port: number): Promise<number> {
  return new Promise((done, fail) => {
    server.once("error", fail);
    server.listen(port, LOOPBACK, () => {
      const address = server.address();
      done(typeof address === "object" ? (address?.port ?? 0) : 0);
    });
  });
}

function lead(near: Socket, far: Socket): void {
  near.pipe(far).pipe(near);
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
  }
}

/** A model's server on this machine: the same address inside, by way of the proxy. */
function toLoopback(port: number): Server {
  return createServer(HALF_OPEN, (near) => {
    near.pause();
    near.on("error", () => near.destroy());
    const far = connect({ path: socket, ...HALF_OPEN });
    far.on("error", () => near.destroy());
    far.write(`CONNECT ${LOOPBACK}:${port} HTTP/1.1\r\nhost: ${LOOPBACK}:${port}\r\n\r\n`);
    let head = Buffer.alloc(0);
    const onData = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0) return;
      far.removeListener("data", onData);
      if (!/^HTTP\/1\.1 200 /.test(head.toString("latin1"))) return void near.destroy();
      near.write(head.subarray(end + 4));
      lead(near, far);
    };
    far.on("data", onData);
  });
}

const proxy = `http://${LOOPBACK}:${await listenOnLoopback(
  createServer(HALF_OPEN, (near) => lead(near, connect({ path: socket, ...HALF_OPEN }))),
  0,
)}`;
for (const port of ports.split(",").filter(Boolean))
  await listenOnLoopback(toLoopback(Number(port)), Number(port));

const none = `${LOOPBACK},localhost,::1`;
const named = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => [name, name.toLowerCase()]);
const env = {
  ...process.env,
  ...Object.fromEntries(named.map((name) => [name, proxy])),
  NO_PROXY: none,
  no_proxy: none,
  NODE_USE_ENV_PROXY: "1",
};
const child = spawn(program, args, { stdio: "inherit", env });
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  process.stderr.write(`${program}: ${error.message}\n`);
  process.exit(127);
});
child.on("exit", (code, signal) =>
  process.exit(code ?? 128 + (signal === null ? 0 : (constants.signals[signal] ?? 0))),
);
