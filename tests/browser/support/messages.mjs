/** The texts of the SDK's sources, by language. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const FOLDER = fileURLToPath(new URL("../../../sdk/src/shared/messages", import.meta.url));

async function read(name) {
  const { outputFiles: [{ text }] } = await build({ bundle: true, entryPoints: [`${FOLDER}/${name}.ts`], format: "esm", logLevel: "error", write: false });
  return await import(`data:text/javascript,${encodeURIComponent(text)}`);
}

/** Every text of a language by its key. */
export async function textsOf(language) {
  const names = language === "en" ? ["en", "outcome", "later"] : [language, `${language}-later`];
  const parts = await Promise.all(names.map(read));
  return Object.assign({}, ...parts.flatMap((part) => Object.values(part)));
}
