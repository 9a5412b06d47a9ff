/** The shops that come with the service: the one of `pointsman demo`, and the example in Node. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BINARY, SECRET_KEY } from "./service.mjs";
import { until } from "./wait.mjs";

const EXAMPLE = fileURLToPath(new URL("../../../examples/shop/", import.meta.url));
/** The story of the demo, played by a debug build on a busy machine. */
const STORY_BOUND_MS = 150_000;

/** A process with what it has written. */
class Running {
  output = "";

  constructor(command, flags, options) {
    this.process = spawn(command, flags, { stdio: ["ignore", "pipe", "pipe"], ...options });
    for (const stream of [this.process.stdout, this.process.stderr]) stream.on("data", (bytes) => { this.output += bytes; });
  }

  /** What it writes, once it matches. */
  async says(what, pattern, boundMs) {
    return await until(what, () => {
      if (this.process.exitCode !== null) throw new Error(`it ended: ${this.output}`);
      return pattern.exec(this.output);
    }, boundMs);
  }

  async end(signal) {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const ended = new Promise((done) => { this.process.once("exit", done); });
    this.process.kill(signal);
    await ended;
  }
}

/** `pointsman demo` after its story: where its shop, its service and its payment link are, and how long it took. */
export async function startDemo() {
  const directory = mkdtempSync(join(tmpdir(), "pointsman-browser-demo-"));
  const begun = performance.now();
  const demo = new Running(BINARY, ["demo", "--listen", "127.0.0.1:0"], { env: { PATH: process.env.PATH, TMPDIR: directory } });
  const [, service] = await demo.says("the demo listens", /pointsman listening on (http:\/\/\S+)/, STORY_BOUND_MS);
  const [origin] = /http:\/\/localhost:\d+/.exec(demo.output);
  const [link] = /http:\/\/\S+\/pay\/\S+/.exec(demo.output);
  const end = async () => {
    await demo.end("SIGINT");
    rmSync(directory, { force: true, recursive: true });
  };
  return { end, link, origin, seconds: (performance.now() - begun) / 1000, service };
}

/** A port that nobody listens on. */
async function freePort() {
  const server = createServer();
  await new Promise((listening) => { server.listen(0, "127.0.0.1", listening); });
  const { port } = server.address();
  await new Promise((closed) => { server.close(closed); });
  return port;
}

/** The example, on an origin of its own. */
export async function startExample(service) {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const environment = { PATH: process.env.PATH, POINTSMAN_KEY: SECRET_KEY, POINTSMAN_URL: service.url, PORT: String(port), SHOP_ORIGIN: origin };
  const shop = new Running(process.execPath, ["server.mjs"], { cwd: EXAMPLE, env: environment });
  await until("the example listens", async () => {
    if (shop.process.exitCode !== null) throw new Error(`it ended: ${shop.output}`);
    return (await fetch(origin).catch(() => undefined))?.ok;
  });
  return { end: () => shop.end("SIGTERM"), origin, output: () => shop.output };
}
