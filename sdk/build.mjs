/**
 * Builds what the service embeds: the loader, the frame's scripts and style, `manifest.json`, `integrity.json`, and `texts.json`, from
 * which the service writes pages of its own.
 *
 *   node build.mjs             writes ../crates/server/assets/sdk
 *   node build.mjs --check     builds into a temporary folder; fails on any difference and on any file over its budget
 *   node build.mjs --release   keeps the loader of this build permanently in released/v1
 *   node build.mjs --packages  writes the dist folders of packages/*
 *
 * File names hold a hash of the contents, so that files can be cached permanently. The same sources and the same
 * version of esbuild give the same bytes.
 */
import { build } from "esbuild";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { budgetReport } from "./tools/budget.mjs";
import { buildPackages } from "./tools/packages.mjs";
import { hashedName, integrityOf, keepRelease, readReleases } from "./tools/releases.mjs";

const ROOT = dirname(fileURLToPath(import.meta.url));
const ASSETS = join(ROOT, "../crates/server/assets/sdk");
const RELEASED = join(ROOT, "released/v1");
const LANGUAGES = ["fr", "de", "es", "nl", "pt"];
const MESSAGES = LANGUAGES.flatMap((language) => [language, `${language}-later`]).concat("later");

/**
 * Scripts of documents, by the name that the manifest has for them, and the parts that they load late. Each is one file: the
 * service speaks HTTP/1.1.
 */
const SCRIPTS = {
  "brandchoice.js": "src/frame/brandchoice.ts",
  "fields.js": "src/fields/index.ts",
  "hostedfields.js": "src/frame/hostedfields.ts",
  "hostedstandin.js": "src/wallets/stand-in.ts",
  "hostedwallets.js": "src/frame/hostedwallets.ts",
  "theme.js": "src/frame/theme.ts",
  "paying.js": "src/frame/paying.ts",
  "card.js": "src/frame/card.ts",
  "checkout.js": "src/frame/checkout.ts",
  "hosted.js": "src/frame/hosted.ts",
  "message.js": "src/frame/message.ts",
  "challenge.js": "src/frame/challenge.ts",
  "return.js": "src/frame/return.ts",
};

const COMMON = {
  absWorkingDir: ROOT,
  bundle: true,
  charset: "utf8",
  legalComments: "none",
  minify: true,
  target: ["chrome100", "firefox101", "safari16.4"],
  write: false,
};

/** The files of one build: contents by hashed name, and the hashed name of each plain one. */
class Output {
  contents = new Map();
  names = new Map();

  add(name, contents) {
    const hashed = hashedName(name, contents);
    this.contents.set(hashed, Buffer.from(contents));
    this.names.set(name, hashed);
    return hashed;
  }
}

/** Scripts that run in the merchant's page, whose encoding may be any. */
const ON_PAGE = { format: "iife", charset: "ascii" };

/** Bundles one file and returns its text. */
async function bundle(entry, options) {
  const result = await build({ ...COMMON, entryPoints: [entry], ...options });
  return result.outputFiles[0].text;
}

/**
 * Names of files that are only known once they are built. A dynamic import of `messages/fr` or of the theme stays an
 * import of the module with the hash in its name; an imported picture or the wallets' stand-in (`built:wallet-stand-in.js`) becomes
 * its address.
 */
function builtFiles(output) {
  return {
    name: "built-files",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /(messages\/[\w-]+|\/theme|\/brandchoice)\.js$/ }, ({ kind, path }) => {
        if (kind !== "dynamic-import") return undefined;
        const name = path.includes("messages/") ? `messages.${basename(path)}` : basename(path);
        return { path: `./${output.names.get(name)}`, external: true };
      });
      onResolve({ filter: /\.svg$/ }, ({ kind, path, resolveDir }) => {
        const hashed = output.add(basename(path), readFileSync(join(resolveDir, path)));
        return kind === "url-token" ? { path: `./${hashed}`, external: true } : { path: hashed, namespace: "address" };
      });
      onResolve({ filter: /^built:/ }, ({ path }) => ({ path: output.names.get(path.slice(6)), namespace: "address" }));
      onResolve({ filter: /^integrity:/ }, ({ path }) => ({ path: output.names.get(path.slice(10)), namespace: "integrity" }));
      onLoad({ filter: /.*/, namespace: "integrity" }, ({ path }) => ({ contents: integrityOf(output.contents.get(path)), loader: "text" }));
      onLoad({ filter: /.*/, namespace: "address" }, ({ path }) => ({ contents: `/sdk/v1/f/${path}`, loader: "text" }));
    },
  };
}

/** Styles of the loader: minified texts, for constructed sheets. */
const styleTexts = {
  name: "style-texts",
  setup({ onLoad }) {
    onLoad({ filter: /\.css$/ }, async ({ path }) => ({ contents: await bundle(path, {}), loader: "text" }));
  },
};

/** Builds the frame's files. Those that others name come first. */
async function buildFrame(output) {
  for (const language of MESSAGES) {
    const entry = `src/shared/messages/${language}.ts`;
    if (existsSync(join(ROOT, entry))) output.add(`messages.${language}.js`, await bundle(entry, { format: "esm" }));
  }
  const standIn = "src/wallets/stand-in-script.ts";
  if (existsSync(join(ROOT, standIn))) output.add("wallet-stand-in.js", await bundle(standIn, { ...ON_PAGE, plugins: [styleTexts] }));
  output.add("wallets.js", await bundle("src/wallets/index.ts", { ...ON_PAGE, plugins: [styleTexts] }));
  const plugins = [builtFiles(output)];
  for (const [name, entry] of Object.entries(SCRIPTS)) {
    if (existsSync(join(ROOT, entry))) output.add(name, await bundle(entry, { format: "esm", plugins: [...plugins, styleTexts] }));
  }
  for (const name of ["frame.css", "hosted.css"]) {
    if (existsSync(join(ROOT, "src/frame", name))) output.add(name, await bundle(`src/frame/${name}`, { plugins }));
  }
}

/** What a source of ours exports. */
const importText = async (path) => await import(`data:text/javascript,${encodeURIComponent(await bundle(path, { format: "esm" }))}`);

/** The texts of forms in every language, and the names of brands: the service writes pages of its own in the customer's language from the first byte. */
async function readTexts() {
  const texts = {};
  const read = (name) => importText(`src/shared/messages/${name}.ts`);
  for (const language of ["en", ...LANGUAGES]) {
    const [{ fields, page, payment }, { outcome }] = await Promise.all([read(language), read(language === "en" ? "outcome" : `${language}-later`)]);
    const written = Object.entries({ ...fields, ...page, ...payment, ...outcome }).filter(([key]) => !/(^|\.)(errors|error|status|modal)\./.test(key));
    texts[language] = Object.fromEntries(written);
  }
  const { BRANDS, nameOfBrand } = await importText("src/shared/brands.ts");
  texts["brands"] = Object.fromEntries(BRANDS.map((brand) => [brand, nameOfBrand(brand)]));
  return texts;
}

/** Builds everything: contents by file name, with `manifest.json` and `integrity.json`. */
async function buildAssets() {
  const frame = new Output();
  await buildFrame(frame);
  const loader = await bundle("src/loader/index.ts", { ...ON_PAGE, plugins: [styleTexts, builtFiles(frame)] });
  const [file, wallets] = [hashedName("pointsman.js", loader), frame.names.get("wallets.js")];
  const current = { file, integrity: integrityOf(loader), bytes: Buffer.byteLength(loader), wallets };
  const files = new Map(frame.contents);
  const names = Object.fromEntries([...frame.names].sort());
  const releases = readReleases(RELEASED);
  for (const released of releases) {
    for (const [name, contents] of released.files) files.set(name, contents);
    // The service gives out the files that the manifest lists. A name with a hash stands for itself.
    if (released.wallets !== wallets) names[released.wallets] = released.wallets;
  }
  const entries = releases.map(({ files: _, ...entry }) => entry);
  files.set(current.file, Buffer.from(loader));
  const json = (value) => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  files.set("texts.json", json(await readTexts()));
  files.set("manifest.json", json({ loader: { file: current.file, integrity: current.integrity }, files: names }));
  const isReleased = releases.some(({ file }) => file === current.file);
  files.set("integrity.json", json({ loaders: isReleased ? entries : [...entries, current] }));
  return { current, files, names: frame.names };
}

function writeFiles(folder, files) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, contents] of files) writeFileSync(join(folder, name), contents);
}

/** Names of files that are in one folder alone or differ. */
function differences(left, right) {
  const names = new Set([left, right].flatMap((folder) => (existsSync(folder) ? readdirSync(folder) : [])));
  const read = (folder, name) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name)) : Buffer.from("absent"));
  return [...names].filter((name) => !read(left, name).equals(read(right, name))).sort();
}

/** Keeps the loader of this build permanently. */
function release({ current, files }) {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const isNew = keepRelease(RELEASED, { ...current, version, releasedOn: new Date().toISOString().slice(0, 10) }, files);
  console.log(isNew ? `released ${current.file} as ${version}` : `${current.file} is released already`);
}

async function check(assets) {
  const folder = mkdtempSync(join(tmpdir(), "pointsman-sdk-"));
  try {
    writeFiles(folder, assets.files);
    const found = differences(ASSETS, folder);
    if (found.length > 0) throw new Error(`not what the sources give: ${found.join(", ")}; run "npm run build" in sdk/`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function main(flags) {
  if (flags.includes("--packages")) return buildPackages(ROOT, COMMON);
  let assets = await buildAssets();
  if (flags.includes("--release")) {
    release(assets);
    assets = await buildAssets();
  }
  const { lines, isWithin } = budgetReport(assets);
  console.log(lines.join("\n"));
  if (flags.includes("--check")) await check(assets);
  else writeFiles(ASSETS, assets.files);
  if (!isWithin) throw new Error("over the size budget");
}

await main(process.argv.slice(2)).catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
