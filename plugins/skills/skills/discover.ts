/** Finds folders with a SKILL.md below a root: `<skill>/SKILL.md` or `<category>/<skill>/SKILL.md`. Reads no file. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A root has at most so many skills; further ones are not looked at. */
const MAX_SKILLS = 500
const SKIPPED = new Set(['node_modules', '__pycache__', 'venv'])

/** A SKILL.md, and what tells that it has changed. */
export interface FoundSkill {
  readonly folder: string
  readonly name: string
  readonly category?: string
  readonly file: string
  readonly mtimeMs: number
  readonly size: number
}

/** In the order of their paths. A root that does not exist is empty; errors of the system are thrown. */
export async function discover(root: string): Promise<readonly FoundSkill[]> {
  const groups = await Promise.all(
    (await folders(root)).map(async (name) => {
      const own = await lookAt(join(root, name), name)
      if (own) return [own]
      const inner = await folders(join(root, name))
      const found = await Promise.all(inner.map((each) => lookAt(join(root, name, each), each)))
      return found.flatMap((each) => (each ? [{ ...each, category: name }] : []))
    }),
  )
  return groups.flat().slice(0, MAX_SKILLS)
}

async function folders(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true })
    const named = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
    return named
      .map(({ name }) => name)
      .filter((name) => !name.startsWith('.') && !SKIPPED.has(name))
      .sort()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}

async function lookAt(folder: string, name: string): Promise<FoundSkill | undefined> {
  const file = join(folder, 'SKILL.md')
  const facts = await stat(file).catch(() => undefined)
  return facts?.isFile() ? { folder, name, file, mtimeMs: facts.mtimeMs, size: facts.size } : undefined
}
