/**
 * Results of earlier runs in a file of JSON lines, so that a run that was ended is continued. A result counts as long as the
 * mutation, the file that it changes and its tests are the same; a change elsewhere is not noticed, `--fresh` measures again.
 */
import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

export class Results {
  #path
  #root
  #known = new Map()

  constructor(root, path, isFresh) {
    this.#root = root
    this.#path = path
    if (isFresh) rmSync(path, { force: true })
    for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
      const result = parsed(line)
      if (result) this.#known.set(result.key, result)
    }
  }

  find(mutation) {
    return this.#known.get(this.#key(mutation))
  }

  add(mutation, result) {
    mkdirSync(dirname(this.#path), { recursive: true })
    appendFileSync(this.#path, `${JSON.stringify({ key: this.#key(mutation), name: mutation.name, ...result })}\n`)
  }

  #key({ file, from, to, tests }) {
    const hash = createHash('sha256').update(JSON.stringify([file, from, to, tests]))
    for (const path of [file, ...tests])
      for (const part of files(join(this.#root, path))) hash.update(readFileSync(part))
    return hash.digest('hex')
  }
}

function files(path) {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true })
    .filter((name) => name.endsWith('.ts'))
    .sort()
    .map((name) => join(path, name))
}

/** The last line may be cut off by the end of the run. */
function parsed(line) {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
