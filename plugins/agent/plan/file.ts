/** Where plans are kept: `.svc/plans` of the folder that one works in. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const SLUG_LENGTH = 40

/** Writes a new file and returns its path below the folder. `at` is part of its name, in UTC. */
export async function planFile(cwd: string, task: string, text: string, at: Date): Promise<string> {
  const moment = at.toISOString().slice(0, 19).replace('T', '_').replaceAll(':', '')
  const slug = task
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+/, '')
    .slice(0, SLUG_LENGTH)
    .replace(/-+$/, '')
  const folder = join('.svc', 'plans')
  await mkdir(join(cwd, folder), { recursive: true })
  const file = join(folder, `${moment}-${slug || 'plan'}.md`)
  await writeFile(join(cwd, file), `${text.trim()}\n`, { flag: 'wx' })
  return file
}
