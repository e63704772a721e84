/** What git says of a failure holds no secret that Pawl knows, nor a remote's password. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { git } from "./git.ts";

const folder = mkdtempSync(join(tmpdir(), "pawl-git-"));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("git's own words of a failure are masked before they are shown", async () => {
  const environment = { ...process.env, DEPLOY_TOKEN: "tok-1234567890" };
  const call = { folder, environment, accept: [128] };
  await git({ folder, environment }, ["init", "-q"]);
  const failing = git(call, ["add", "--", "tok-1234567890://me:hunter22@host/x"]);
  const told = await failing.then(
    ({ errors }) => errors,
    (thrown: Error) => thrown.message,
  );
  expect(told).toContain("[redacted DEPLOY_TOKEN]://me:[redacted]@host/x");
  expect(told).not.toMatch(/tok-1234567890|hunter22/);
});

it("a remote's password is in no error of a fetch that fails", async () => {
  const { PATH = "" } = process.env;
  await git({ folder, environment: { PATH } }, ["init", "-q", folder]).catch(() => {});
  const address = "https://me:hunter22@127.0.0.1:9/x.git";
  const failing = git({ folder: tmpdir(), environment: { PATH } }, ["ls-remote", address]);
  await expect(failing).rejects.toThrow(/^(?!.*hunter22)/s);
});
