/**
 * Released loaders: `released/v1` holds each with the wallets' code that it loads, and `releases.json` lists them, oldest first. Pages
 * pin a loader by name and hash, so nothing in that folder is ever changed or removed.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const LIST = "releases.json";

const sha = (algorithm, contents, encoding) => createHash(algorithm).update(contents).digest(encoding);
export const integrityOf = (contents) => `sha384-${sha("sha384", contents, "base64")}`;

/** `card.js` with these contents becomes `card.0123456789ab.js`. */
export function hashedName(name, contents) {
  const dot = name.lastIndexOf(".");
  return `${name.slice(0, dot)}.${sha("sha256", contents, "hex").slice(0, 12)}${name.slice(dot)}`;
}

const listed = (folder) => (existsSync(join(folder, LIST)) ? JSON.parse(readFileSync(join(folder, LIST), "utf8")) : []);

/** A file of a release as it was released. */
function contentsOf(folder, name) {
  if (!existsSync(join(folder, name))) throw new Error(`released/v1/${name} is missing: pages that pin it would break`);
  const contents = readFileSync(join(folder, name));
  const plain = name.replace(/\.[0-9a-f]{12}(\.\w+)$/, "$1");
  if (hashedName(plain, contents) !== name) throw new Error(`released/v1/${name} was changed: pages that pin it would break`);
  return contents;
}

/** The releases, oldest first, each with the contents of its files by name. Fails where the folder is not what was released. */
export function readReleases(folder) {
  const releases = listed(folder).map((release) => {
    const files = new Map([release.file, release.wallets].map((name) => [name, contentsOf(folder, name)]));
    if (integrityOf(files.get(release.file)) !== release.integrity) throw new Error(`${LIST} has another hash of ${release.file} than it was released with`);
    return { ...release, files };
  });
  const known = new Set([LIST, ...releases.flatMap(({ files }) => [...files.keys()])]);
  const unknown = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => !known.has(name));
  if (unknown.length > 0) throw new Error(`released/v1 holds what ${LIST} does not list: ${unknown.join(", ")}`);
  return releases;
}

/** Keeps a loader, and the wallets' code that it loads. False where it is kept already. */
export function keepRelease(folder, entry, files) {
  const releases = listed(folder);
  if (releases.some(({ file }) => file === entry.file)) return false;
  mkdirSync(folder, { recursive: true });
  for (const name of [entry.file, entry.wallets]) writeFileSync(join(folder, name), files.get(name));
  writeFileSync(join(folder, LIST), `${JSON.stringify([...releases, entry], null, 2)}\n`);
  return true;
}

/**
 * What a repository's history knows of released files and the folder no longer has as it was: a line each. A loader can be taken out
 * of the folder and of the list in one change; the history remembers it. Nothing where there is none, as in an archive of the sources.
 */
export function lostReleases(repository, folder) {
  const git = (...parameters) => execFileSync("git", ["-C", repository, ...parameters], { encoding: "utf8", maxBuffer: 1 << 26, stdio: ["ignore", "pipe", "ignore"] });
  let commits;
  try {
    commits = git("log", "--full-history", "--format=%H", "--", `${folder}/${LIST}`).split("\n").filter(Boolean);
  } catch {
    return [];
  }
  const now = listed(join(repository, folder));
  const lost = new Set();
  for (const commit of commits) {
    const path = `${commit}:${folder}/${LIST}`;
    let then = [];
    try {
      then = JSON.parse(git("show", path));
    } catch {
      // The commit that took the list out.
    }
    for (const release of then) {
      const kept = now.find(({ file }) => file === release.file);
      if (!kept) lost.add(`${release.file}, released as ${release.version}, is gone`);
      else if (kept.integrity !== release.integrity || kept.wallets !== release.wallets) lost.add(`${release.file}, released as ${release.version}, is another now`);
    }
  }
  return [...lost].sort();
}
