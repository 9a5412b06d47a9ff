import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { hashedName, integrityOf, keepRelease, lostReleases, readReleases } from "./releases.mjs";

/** Tests run in the folder of package.json. */
const REPOSITORY = join(process.cwd(), "..");
const FOLDER = "sdk/released/v1";

/** A loader with the wallets' code that it loads. */
function release(text, version) {
  const [loader, wallets] = [Buffer.from(`loader ${text}`), Buffer.from(`wallets ${text}`)];
  const [file, walletsFile] = [hashedName("pointsman.js", loader), hashedName("wallets.js", wallets)];
  return {
    entry: { file, integrity: integrityOf(loader), bytes: loader.length, wallets: walletsFile, version, releasedOn: "2026-11-25" },
    files: new Map([[file, loader], [walletsFile, wallets]]),
  };
}

/** A repository of its own, in which `act` releases and commits. */
function inRepository(act) {
  const repository = mkdtempSync(join(tmpdir(), "pointsman-releases-"));
  const git = (...parameters) => execFileSync("git", ["-C", repository, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...parameters], { stdio: "ignore" });
  const folder = join(repository, FOLDER);
  const commit = () => {
    git("add", "--all");
    git("commit", "--allow-empty", "-m", "a step");
  };
  try {
    git("init");
    const made = ["1", "2"].map((version) => release(version, version));
    for (const { entry, files } of made) {
      assert.ok(keepRelease(folder, entry, files));
      commit();
    }
    act({ commit, folder, made, repository });
  } finally {
    rmSync(repository, { force: true, recursive: true });
  }
}

test("every loader that this repository has released is there as it was", () => {
  readReleases(join(REPOSITORY, FOLDER));
  assert.deepEqual(lostReleases(REPOSITORY, FOLDER), []);
});

test("a release is kept once, and read with the contents of its files", () => {
  inRepository(({ folder, made: [first, second], repository }) => {
    assert.equal(keepRelease(folder, second.entry, second.files), false);
    assert.deepEqual(readReleases(folder).map(({ files, ...entry }) => [entry, files]), [first, second].map(({ entry, files }) => [entry, files]));
    assert.deepEqual(lostReleases(repository, FOLDER), []);
  });
});

for (const which of ["file", "wallets"]) {
  test(`a released file that is changed is refused: ${which}`, () => {
    inRepository(({ folder, made: [first] }) => {
      writeFileSync(join(folder, first.entry[which]), "another");
      assert.throws(() => readReleases(folder), /was changed: pages that pin it would break/);
    });
  });

  test(`a released file that is removed is refused: ${which}`, () => {
    inRepository(({ folder, made: [first] }) => {
      rmSync(join(folder, first.entry[which]));
      assert.throws(() => readReleases(folder), /is missing: pages that pin it would break/);
    });
  });
}

test("a hash that is changed with its file is refused, and so is a file that is on no list", () => {
  inRepository(({ folder, made: [first, second] }) => {
    const list = join(folder, "releases.json");
    const text = readFileSync(list, "utf8");
    writeFileSync(list, text.replace(first.entry.integrity, second.entry.integrity));
    assert.throws(() => readReleases(folder), /another hash/);
    writeFileSync(list, JSON.stringify([second.entry]));
    assert.throws(() => readReleases(folder), /does not list/);
  });
});

test("a release that is taken out with its place on the list is found in the history", () => {
  inRepository(({ commit, folder, made: [first, second], repository }) => {
    for (const name of first.files.keys()) rmSync(join(folder, name));
    writeFileSync(join(folder, "releases.json"), JSON.stringify([second.entry]));
    assert.equal(readReleases(folder).length, 1, "the folder alone looks right");
    const lost = [`${first.entry.file}, released as 1, is gone`];
    assert.deepEqual(lostReleases(repository, FOLDER), lost, "before it is committed");
    commit();
    assert.deepEqual(lostReleases(repository, FOLDER), lost);
    rmSync(folder, { recursive: true });
    commit();
    assert.deepEqual(lostReleases(repository, FOLDER), [first, second].map(({ entry }) => `${entry.file}, released as ${entry.version}, is gone`).sort());
  });
});

test("a release that has another hash than before is found in the history", () => {
  inRepository(({ folder, made: [first, second], repository }) => {
    writeFileSync(join(folder, "releases.json"), JSON.stringify([{ ...first.entry, wallets: second.entry.wallets }, second.entry]));
    assert.deepEqual(lostReleases(repository, FOLDER), [`${first.entry.file}, released as 1, is another now`]);
  });
});
