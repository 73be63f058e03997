/** `skills/.bundled_manifest`: the hash that each built-in skill had when it was copied, as lines `name:hash`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeAtomically } from 'svc/sdk/kit/files'

/** What was copied. */
export interface SeedManifest {
  /** Of the source that the last complete sync was made from. */
  readonly digest: string | undefined
  /** Hashes by name; empty where an earlier version recorded the name only. */
  readonly origins: ReadonlyMap<string, string>
}

const NAME = '.bundled_manifest'
const LINE = /^([a-z0-9]+(?:-[a-z0-9]+)*)(?::([0-9a-f]{64}))?$/
const HEAD = /^# source ([0-9a-f]{32})$/

/** A file that does not exist is empty, lines that say nothing are left out. Throws the error of the system. */
export function readManifest(root: string): SeedManifest {
  let digest: string | undefined
  const origins = new Map<string, string>()
  for (const line of readText(manifestFile(root)).split(/\r?\n/)) {
    digest ??= HEAD.exec(line)?.[1]
    const [, name, hash = ''] = LINE.exec(line) ?? []
    if (name !== undefined) origins.set(name, hash)
  }
  return { digest, origins }
}

/** Replaces the file in one step. Throws the error of the system. */
export async function writeManifest(root: string, { digest, origins }: SeedManifest): Promise<void> {
  const lines = [...origins].sort(([one], [two]) => (one < two ? -1 : 1))
  const text = [...(digest === undefined ? [] : [`# source ${digest}`]), ...lines.map(formatLine)]
  await writeAtomically(manifestFile(root), `${text.join('\n')}\n`, { isLocked: true })
}

export function manifestFile(root: string): string {
  return join(root, NAME)
}

function formatLine([name, hash]: readonly [string, string]): string {
  return hash === '' ? name : `${name}:${hash}`
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
