import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { before } from "node:test";

/** Tests run in the folder of package.json. */
const ROOT = process.cwd();
const PACKAGES = ["element", "intent", "loader", "react", "vault"];

before(() => {
  execFileSync(process.execPath, ["build.mjs", "--packages"], { cwd: ROOT, stdio: "inherit" });
});

test("every package can be published, with its types, its README and its licence", () => {
  for (const name of PACKAGES) {
    // A registry that answers nothing: a dry run asks for none.
    const flags = ["--dry-run", "--json", "--ignore-scripts", "--registry", "http://127.0.0.1:9", "--fetch-retries", "0"];
    const answer = execFileSync("npm", ["publish", ...flags], { cwd: join(ROOT, "packages", name), encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
    const parsed = JSON.parse(answer) as { files?: { path: string }[] } & Record<string, { files: { path: string }[] }>;
    const paths = (parsed.files ?? parsed[`@pointsman/${name}`]?.files ?? []).map(({ path }) => path);
    for (const path of ["LICENSE", "README.md", "dist/index.d.ts", "dist/index.js", "package.json"]) {
      assert.ok(paths.includes(path), `${name} lacks ${path}: ${paths.join(", ")}`);
    }
    assert.deepEqual(paths.filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts")), [], name);
  }
});

test("a program in strict TypeScript compiles against the published types", () => {
  const folder = mkdtempSync(join(tmpdir(), "pointsman-consumer-"));
  try {
    mkdirSync(join(folder, "node_modules/@pointsman"), { recursive: true });
    for (const name of PACKAGES) symlinkSync(join(ROOT, "packages", name), join(folder, "node_modules/@pointsman", name));
    for (const name of ["react", "csstype", "@types"]) symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
    writeFileSync(join(folder, "shop.tsx"), SHOP);
    const flags = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--module", "esnext", "--moduleResolution", "bundler", "--jsx", "react-jsx", "--lib", "es2022,dom", "--types", "react", "--preserveSymlinks"];
    execFileSync(process.execPath, [join(ROOT, "node_modules/typescript/bin/tsc"), ...flags, "shop.tsx"], { cwd: folder, stdio: "inherit" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

const SHOP = `
import { loadCheckoutSdkDropIn, loadCheckoutSdkElement } from "@pointsman/loader";
import { PointsmanIntent } from "@pointsman/intent";
import { PointsmanVault } from "@pointsman/vault";
import { CheckoutDropIn, CheckoutElements, type AuthorizePaymentResult, type Theme } from "@pointsman/react";
import { PointsmanCheckout } from "@pointsman/element";

const theme: Theme = { colors: { primary: "#0b5d4e" }, borderType: "round" };
const options = { serviceUrl: "https://pay.example", apiKey: "ct_test_x", flowId: "default", amount: 5099, currencyCode: "EUR", theme };
const report = ({ data, errors }: AuthorizePaymentResult) => console.log(data?.authorizePayment?.["status"], errors[0]?.message);

export async function open() {
  const dropIn = await loadCheckoutSdkDropIn("#pay", { ...options, onPaymentComplete: report });
  dropIn.update({ amount: 6000 });
  const elements = await loadCheckoutSdkElement("#card", { apiKey: "ct_test_x", onPaymentRequest: ({ token }) => console.log(token) });
  const result = await elements.submit();
  const vault = PointsmanVault({ apiKey: "ct_test_x" });
  const { data, errors } = await vault.getPaymentMethods("c");
  const intent = new PointsmanIntent({ apiKey: "pk_test_x", intentId: "i" });
  await intent.completeIntent();
  const element: PointsmanCheckout = new PointsmanCheckout();
  return [result?.token, data?.[0]?.brand, errors, element.surface];
}

export const Page = () => (
  <>
    <CheckoutDropIn options={options} onPaymentComplete={report} onError={({ error }) => console.log(error.message)} onLoaded={() => {}} />
    <CheckoutElements options={{ apiKey: "ct_test_x" }} onPaymentRequest={async ({ token }) => token} />
  </>
);

// @ts-expect-error Drop-In needs an amount.
void loadCheckoutSdkDropIn("#pay", { apiKey: "x", flowId: "f", currencyCode: "EUR" });
`;
