/** The service under test: the binary in a fresh directory, its API with the secret key, the simulator's books. */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "./wait.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
export const BINARY = process.env.POINTSMAN_BIN || resolve(HERE, "../../../target/debug/pointsman");
/** A debug build on a busy machine. */
const START_BOUND_MS = 60_000;

export const SECRET_KEY = "sk_test_browser0secret0key0of0the0default0team";

/** A refused operation of the API: the errors of its answer. */
export class Refused extends Error {
  constructor(errors) {
    super(errors.map((error) => error.message).join("; "));
    this.errors = errors;
  }
}

export class Service {
  #process;
  #output = "";

  /** `environment`: settings as variables, such as `POINTSMAN_LIMITS__BODY`. */
  constructor(environment = {}) {
    this.environment = environment;
    this.directory = mkdtempSync(join(tmpdir(), "pointsman-browser-"));
    mkdirSync(join(this.directory, "work"));
    this.port = 0;
  }

  static async start(environment) {
    const service = new Service(environment);
    await service.resume();
    return service;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts the process; after a stop or kill on the same port and directory. */
  async resume() {
    if (!existsSync(BINARY)) throw new Error(`no binary at ${BINARY}: cargo build --workspace --locked, or name one by POINTSMAN_BIN`);
    const flags = ["serve", "--sandbox", "--listen", `127.0.0.1:${this.port}`, "--data-dir", join(this.directory, "data")];
    const child = spawn(BINARY, flags, {
      cwd: join(this.directory, "work"),
      env: { PATH: process.env.PATH, POINTSMAN_ACCESS_TOKEN: SECRET_KEY, POINTSMAN_JOBS__POLL_INTERVAL: "100ms", ...this.environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#process = child;
    let said = "";
    child.stdout.on("data", (bytes) => { said += bytes; this.#output += bytes; });
    child.stderr.on("data", (bytes) => { this.#output += bytes; });
    const address = await until("the service listens", () => {
      if (child.exitCode !== null) throw new Error(`the service ended: ${this.#output}`);
      return /pointsman listening on http:\/\/\S+:(\d+)\n/.exec(said);
    }, START_BOUND_MS);
    this.port = Number(address[1]);
    await until("the service is ready", async () => (await fetch(`${this.url}/health/ready`).catch(() => undefined))?.ok, START_BOUND_MS);
  }

  /** Kills it as a power cut would. */
  async kill() {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((done) => child.once("exit", done));
    child.kill("SIGKILL");
    await ended;
  }

  /** Ends it and removes its directory. */
  async end() {
    await this.kill();
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Everything that it wrote to standard output and error. */
  get output() {
    return this.#output;
  }

  /** Every file below its directory: [path, bytes]. */
  files() {
    const names = readdirSync(this.directory, { recursive: true, withFileTypes: true });
    const paths = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath ?? entry.path, entry.name));
    return paths.map((path) => [path, readFileSync(path)]);
  }

  /** Runs a document and returns its data; throws `Refused` where it has errors. */
  async graphql(query, variables = {}, { key = SECRET_KEY, headers = {} } = {}) {
    const reply = await fetch(`${this.url}/api/graphql`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: JSON.stringify({ query, variables }),
    });
    const { data, errors } = await reply.json();
    if (errors?.length) throw new Refused(errors);
    return data;
  }

  /** A client token; `given` are the arguments of `generateClientToken`. */
  async clientToken(given = {}) {
    const { generateClientToken: made } = await this.graphql(
      `mutation($amount: Long, $currency: String, $customerId: String, $intentId: String, $flowId: String) {
        generateClientToken(amount: $amount, currency: $currency, customerId: $customerId, intentId: $intentId, flowId: $flowId) { id token }
      }`, given);
    return made;
  }

  /** An intent of this amount: its id. */
  async intent(amount, currency, cart) {
    const { startIntent } = await this.graphql(
      `mutation($amount: IntentAmountInput!, $cart: IntentCartInput) {
        startIntent(trackingId: "order-1", paymentFlowId: "default", amount: $amount, cart: $cart) { id }
      }`, { amount: { amount, currency }, cart });
    return startIntent.id;
  }

  /** A payment link of 50.99 euros: its address and id. */
  async paymentLink(given = {}) {
    const { createPaymentLink } = await this.graphql(
      `mutation($amount: Long!, $orderId: String, $description: String, $returnUrl: String, $isSingleUse: Boolean) {
        createPaymentLink(amount: $amount, currencyCode: "EUR", orderId: $orderId, description: $description, returnUrl: $returnUrl, singleUse: $isSingleUse) { id url }
      }`, { amount: 5099, ...given });
    return createPaymentLink;
  }

  /** A customer with stored cards: `{id, tokens}`. */
  async customer(cards) {
    const { createCustomer: id } = await this.graphql(
      `mutation($data: CustomerInput!) { createCustomer(data: $data) }`, { data: { customer: { name: "Ada Lovelace", email: "ada@example.com" } } });
    const tokens = [];
    for (const card of cards) {
      const { tokenisePaymentMethod } = await this.graphql(
        `mutation($data: TokenInput!) { tokenisePaymentMethod(data: $data) { token } }`,
        { data: { customer: { id }, paymentMethod: { card } } });
      tokens.push(tokenisePaymentMethod.token);
    }
    return { id, tokens };
  }

  /** Pays with a token of Elements, as the merchant's server does. */
  async authorise(payment, headers = {}) {
    const { authorizePayment } = await this.graphql(
      `mutation($payment: AuthorisedPaymentInput!) {
        authorizePayment(authorisePayment: $payment) { id status amount { rawAmount currency } }
      }`, { payment }, { headers });
    return authorizePayment;
  }

  /** Changes what an intent costs. */
  async setAmount(intentId, amount, currency) {
    await this.graphql(`mutation($id: ID!, $amount: IntentAmountInput!) { updateIntent(id: $id, amount: $amount) { id } }`, { id: intentId, amount: { amount, currency } });
  }

  async payment(id) {
    const { getPayment } = await this.graphql(
      `query($id: ID!) { getPayment(id: $id) { id status amount { rawAmount currency } } }`, { id });
    return getPayment;
  }

  /** Every payment of the team, newest first. */
  async payments() {
    const { listPayments } = await this.graphql(`{ listPayments(first: 100) { edges { node { id status orderId } } } }`);
    return listPayments.edges.map((edge) => edge.node);
  }

  /** What the simulated processor holds, an entry for each authorisation that it was asked for. */
  async books() {
    const reply = await fetch(`${this.url}/sandbox/books`, { headers: { authorization: `Bearer ${SECRET_KEY}` } });
    const books = await reply.json();
    return Array.isArray(books) ? books : books.entries;
  }

  /** Entries of the books for which money was taken or is held: those of one payment, or all. */
  async charges(paymentId) {
    const uuid = paymentId?.replace(/^payments:/, "") ?? "";
    return (await this.books()).filter((entry) => entry.authorised > 0 && !entry.cancelled && entry.reference.startsWith(uuid));
  }
}
