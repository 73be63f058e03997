/**
 * Runs a library of the built package from its compiled form: compiling is half of what a library costs at start. The
 * build puts libraries that every start needs into `dist/vendor` and makes their imports come here.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'

const folder: string = fileURLToPath(new URL('../vendor/', import.meta.url))

/** The exports of `dist/vendor/<name>.cjs`. The first run with a Node of this kind keeps what it compiled. */
export function loadVendor(name: string): unknown {
  const file = `${folder}${name}.cjs`
  const cache = `${folder}${name}-${process.versions.v8}-${process.arch}.cache`
  const source = `(function(exports,require,module){${readFileSync(file, 'utf8')}\n})`
  const cachedData = readIfThere(cache)
  const script = new Script(source, { filename: file, ...(cachedData ? { cachedData } : {}) })
  const module = { exports: {} }
  script.runInThisContext()(module.exports, createRequire(import.meta.url), module)
  if (!cachedData || script.cachedDataRejected) process.once('exit', () => keep(cache, script))
  return module.exports
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch {
    return undefined
  }
}

/** At the end of a run, so that what was compiled on the way is in it. */
function keep(file: string, script: Script): void {
  try {
    const temporary = `${file}.${process.pid}`
    writeFileSync(temporary, script.createCachedData())
    renameSync(temporary, file)
  } catch {
    // A package that was installed read-only starts a little slower; there is nothing to tell anybody.
  }
}
