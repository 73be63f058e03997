/** How copies in the home differ from the skills of the program. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SvcError } from 'svc/sdk'
import { findLocalSkills } from './local.ts'
import { readManifest } from './manifest.ts'
import type { SeedSource, SourceSkill } from './source.ts'
import { hashFolder, listEntries } from './tree.ts'

/** A copy that the user changed. */
export interface ModifiedSeed {
  readonly name: string
  /** Below the root of skills. */
  readonly path: string
  /** The program has another version than the one that was copied. */
  readonly has_update: boolean
}

/** Copies that the user changed; not deleted ones, and not those that were never copied. */
export function listModified(root: string, source: SeedSource): readonly ModifiedSeed[] {
  const local = findLocalSkills(root)
  const upstream = new Map(source.skills.map(({ name, hash }) => [name, hash]))
  return [...readManifest(root).origins].flatMap(([name, origin]) => {
    const path = local.get(name)
    const hash = path === undefined ? undefined : hashFolder(join(root, path))
    const now = upstream.get(name)
    if (path === undefined || now === undefined || hash === undefined || hash === origin || hash === now) return []
    return [{ name, path, has_update: now !== origin }]
  })
}

/** Throws `SKILL_SEEDS_UNKNOWN`. */
export function findSeed(source: SeedSource, name: string): SourceSkill {
  const found = source.skills.find((skill) => skill.name === name)
  if (found) return found
  throw new SvcError(
    'SKILL_SEEDS_UNKNOWN',
    `There is no built-in skill "${name}". svc skills list --source builtin lists them.`,
  )
}

/** A file that differs; texts as a unified diff from the program's to the user's, other files without. */
export interface FileDifference {
  readonly path: string
  readonly what: 'added' | 'removed' | 'changed'
  readonly diff?: string
}

/** Empty when the copy is that of the program. A skill that is not in the home has all files removed. */
export async function compareSeed(root: string, source: SeedSource, name: string): Promise<readonly FileDifference[]> {
  const seed = findSeed(source, name)
  const theirs = join(source.folder, seed.path)
  const ours = join(root, findLocalSkills(root).get(name) ?? seed.path)
  const paths = new Set([...listEntries(theirs), ...(existsSync(ours) ? listEntries(ours) : [])])
  const found: FileDifference[] = []
  for (const path of [...paths].sort()) {
    const before = readFile(join(theirs, path))
    const after = readFile(join(ours, path))
    if (before !== undefined && after !== undefined && before.equals(after)) continue
    const what = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
    const diff = await formatDiff(path, before, after)
    found.push({ path, what, ...(diff !== undefined && { diff }) })
  }
  return found
}

function readFile(file: string): Buffer | undefined {
  return existsSync(file) ? readFileSync(file) : undefined
}

async function formatDiff(
  path: string,
  before: Buffer | undefined,
  after: Buffer | undefined,
): Promise<string | undefined> {
  if (before?.includes(0) || after?.includes(0)) return undefined
  const { createTwoFilesPatch } = await import('diff')
  const [one, two] = [before, after].map((bytes) => bytes?.toString('utf8') ?? '')
  return createTwoFilesPatch(path, path, one ?? '', two ?? '', 'svc', 'yours')
}
