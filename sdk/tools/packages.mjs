/** Builds the npm packages: each has one module, its types and its licence. */
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

/** The folders of the packages. */
export const packageNames = (root) => readdirSync(join(root, "packages")).filter((name) => existsSync(join(root, "packages", name, "package.json")));

/** Writes `dist` and `LICENSE` of every package. */
export async function buildPackages(root, common) {
  const declarations = mkdtempSync(join(tmpdir(), "pointsman-types-"));
  try {
    const compiler = join(root, "node_modules/typescript/bin/tsc");
    execFileSync(process.execPath, [compiler, "-p", join(root, "tsconfig.packages.json"), "--outDir", declarations], { stdio: "inherit" });
    for (const name of packageNames(root)) {
      const folder = join(root, "packages", name);
      const dist = join(folder, "dist");
      rmSync(dist, { recursive: true, force: true });
      const entry = ["index.ts", "index.tsx"].map((file) => join(folder, file)).find(existsSync);
      await build({
        ...common, entryPoints: [entry], external: ["react", "react/*", "@pointsman/*"], format: "esm", jsx: "automatic", minify: false,
        outfile: join(dist, "index.js"), sourcemap: true, write: true,
      });
      copyTypes(join(declarations, "packages", name, "index.d.ts"), dist);
      copyFileSync(join(root, "../LICENSE"), join(folder, "LICENSE"));
    }
  } finally {
    rmSync(declarations, { recursive: true, force: true });
  }
}

/** Copies a file of declarations and those that it imports by a relative path side by side. */
function copyTypes(file, dist) {
  const besides = [];
  const text = readFileSync(file, "utf8").replace(/(["'])(\.{1,2}\/[^"']+)\.js\1/g, (_, quote, path) => {
    besides.push(join(dirname(file), `${path}.d.ts`));
    return `${quote}./${basename(path)}.js${quote}`;
  });
  writeFileSync(join(dist, basename(file)), text);
  besides.forEach((beside) => copyTypes(beside, dist));
}
