/** A merchant's page in React: the package of the sources, with a React from npm. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const PACKAGES = fileURLToPath(new URL("../../../sdk/packages", import.meta.url));
const folderOf = (version) => fileURLToPath(new URL(`../react/${version}`, import.meta.url));

/** Installs that React, as its lock file says, where it is not there. */
function install(folder) {
  if (!existsSync(`${folder}/node_modules/react-dom`)) execFileSync("npm", ["ci", "--silent", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
}

/** The script of `app.jsx` for a page, and the version of React that it has. */
export async function reactApp(version) {
  const folder = folderOf(version);
  install(folder);
  const { outputFiles: [{ text }] } = await build({
    alias: {
      "@pointsman/loader": `${PACKAGES}/loader/index.ts`, "@pointsman/react": `${PACKAGES}/react/index.tsx`,
      "react": `${folder}/node_modules/react`, "react-dom": `${folder}/node_modules/react-dom`,
    },
    bundle: true, define: { "process.env.NODE_ENV": '"development"' }, entryPoints: [fileURLToPath(new URL("app.jsx", import.meta.url))],
    format: "iife", jsx: "automatic", logLevel: "error", write: false,
  });
  return { script: text, version: JSON.parse(readFileSync(`${folder}/node_modules/react/package.json`, "utf8")).version };
}
