/** The skills of the program: `builtin-skills` and its index, which holds the hash of each. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { errorMessage, SvcError } from 'svc/sdk'

/** A skill of the program. */
export interface SourceSkill {
  readonly name: string
  /** `category/name`, below `builtin-skills`. */
  readonly path: string
  readonly hash: string
}

/** All of them. */
export interface SeedSource {
  readonly folder: string
  /** Changes when any of them does. */
  readonly digest: string
  readonly skills: readonly SourceSkill[]
}

const SKILL_PATH = /^[a-z0-9-]+\/[a-z0-9]+(?:-[a-z0-9]+)*$/
const HASH = /^[0-9a-f]{64}$/

/** The folder of this installation: beside `dist`, or in a checkout. */
export function findSourceFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'builtin-skills/index.json'))) {
    const above = dirname(folder)
    if (above === folder) throw new SvcError('SKILL_SEEDS_SOURCE', 'This installation has no built-in skills.')
    folder = above
  }
  return join(folder, 'builtin-skills')
}

/** Reads one file. Throws `SKILL_SEEDS_SOURCE`. */
export function readSource(folder: string): SeedSource {
  const file = join(folder, 'index.json')
  try {
    const text = readFileSync(file, 'utf8')
    const entries = Object.entries(JSON.parse(text) as Record<string, unknown>)
    const skills = entries.map(([path, hash]) => {
      if (!SKILL_PATH.test(path) || typeof hash !== 'string' || !HASH.test(hash)) throw new Error(`bad entry ${path}`)
      return { name: path.slice(path.indexOf('/') + 1), path, hash }
    })
    return { folder, digest: createHash('sha256').update(text).digest('hex').slice(0, 32), skills }
  } catch (cause) {
    throw new SvcError('SKILL_SEEDS_SOURCE', `The list of built-in skills ${file} is damaged: ${errorMessage(cause)}`, {
      cause,
    })
  }
}
