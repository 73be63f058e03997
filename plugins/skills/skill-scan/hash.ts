/** What was scanned, as `SkillFolder.hash` names it. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSkillHash, SKIPPED_IN_SKILLS } from 'svc/sdk/kit/files'
import type { SkillFile } from './files.ts'

export function hashFiles(dir: string, files: readonly SkillFile[]): string {
  const hash = createSkillHash()
  for (const { path, kind } of files) {
    if (kind !== 'file' || path.split('/').some((part) => SKIPPED_IN_SKILLS.has(part))) continue
    if (existsSync(join(dir, path))) hash.add(path, readFileSync(join(dir, path)))
  }
  return hash.finish()
}
