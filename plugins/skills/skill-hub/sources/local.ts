/** A folder or an archive of this machine. */
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { SvcError } from 'svc/sdk'
import { SKIPPED_IN_SKILLS } from 'svc/sdk/kit/files'
import { readArchive } from '../archive.ts'
import type { FetchedSkill, Files, SkillSource } from './source.ts'

const MAX_FILES = 1000
const MAX_BYTES = 10 * 2 ** 20

export function localSource(): SkillSource {
  return {
    name: 'local',
    forms: './folder, /path/to/skill, ./skill.zip, ./skill.tar.gz',
    accepts: (identifier) => /^(?:\.{1,2}(?:[/\\]|$)|[/~]|[A-Za-z]:[/\\])/.test(identifier),
    fetch: async (identifier) => fetchLocal(identifier),
  }
}

/** The identifier as it can be used from any folder: a path that begins with a dot is one of `cwd`. */
export function resolveIdentifier(identifier: string, cwd: string): string {
  return /^\.{1,2}(?:[/\\]|$)/.test(identifier) ? resolve(cwd, identifier) : identifier
}

async function fetchLocal(identifier: string): Promise<FetchedSkill> {
  const path = resolve(identifier.replace(/^~(?=$|[/\\])/, () => homedir()))
  const facts = statSync(path, { throwIfNoEntry: false })
  if (!facts) throw new SvcError('SKILL_SOURCE', `There is no folder or file ${path}.`, { status: 404 })
  const name = basename(path).replace(/\.(?:zip|skill|tgz|tar\.gz)$/i, '')
  const files = facts.isDirectory() ? readFolder(path) : await readArchive(readFileSync(path))
  return { identifier: path, source: 'local', trust: 'community', name, files }
}

function readFolder(root: string): Files {
  const files: Files = new Map()
  let total = 0
  for (const path of listPaths(root)) {
    total += lstatSync(join(root, path)).size
    if (files.size >= MAX_FILES || total > MAX_BYTES)
      throw new SvcError('SKILL_PACKAGE', `${root} has more than ${MAX_FILES} files or ${MAX_BYTES / 2 ** 20} MiB.`)
    files.set(path, readFileSync(join(root, path)))
  }
  return files
}

function* listPaths(root: string, inner = ''): Iterable<string> {
  const entries = readdirSync(join(root, inner), { withFileTypes: true }).filter(
    ({ name }) => !SKIPPED_IN_SKILLS.has(name),
  )
  for (const entry of entries.sort((one, two) => (one.name < two.name ? -1 : 1))) {
    const path = inner === '' ? entry.name : `${inner}/${entry.name}`
    if (entry.isDirectory()) yield* listPaths(root, path)
    else if (entry.isFile()) yield path
    else throw new SvcError('SKILL_PACKAGE', `${path} is a link or a special file; a skill has files only.`)
  }
}
