/** Builds the npm packages: each has one module and its types in `dist`. */
import { build } from "esbuild";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

export async function buildPackages(root, common) {
  for (const name of readdirSync(join(root, "packages"))) {
    const folder = join(root, "packages", name);
    rmSync(join(folder, "dist"), { recursive: true, force: true });
    await build({
      ...common, entryPoints: [join(folder, "index.ts")], external: ["react", "@pointsman/*"], format: "esm", minify: false,
      outfile: join(folder, "dist/index.js"), sourcemap: true, write: true,
    });
  }
}
