/** What was scanned, as `SkillFolder.hash` names it. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SkillFile } from './files.ts'

const SKIPPED = /(?:^|\/)(?:\.git|\.hg|\.svn|node_modules|__pycache__|\.venv|venv|\.DS_Store)(?:\/|$)/

export function hashFiles(dir: string, files: readonly SkillFile[]): string {
  const hash = createHash('sha256')
  for (const { path, kind } of files) {
    if (kind !== 'file' || SKIPPED.test(path) || !existsSync(join(dir, path))) continue
    const bytes = readFileSync(join(dir, path))
    hash.update(`${Buffer.byteLength(path)}:${path}:${bytes.length}:`).update(bytes)
  }
  return `sha256:${hash.digest('hex')}`
}
