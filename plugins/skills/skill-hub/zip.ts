/** The files of an archive with a skill. */
import { SvcError } from 'svc/sdk'
import { readZip } from 'svc/sdk/kit/files'
import type { Files } from './sources/source.ts'

export const MAX_FILES = 1000
export const MAX_BYTES = 10 * 2 ** 20

/** The files without the one folder that all may be in. Rejects with `SKILL_PACKAGE`. */
export async function readSkillZip(bytes: Uint8Array): Promise<Files> {
  const found = await readZip(bytes, { maxFiles: MAX_FILES, maxBytes: MAX_BYTES, refuse })
  return withoutTop(new Map([...found].filter(([name]) => !/^__MACOSX\/|\.DS_Store$/.test(name))))
}

/** Throws `SKILL_PACKAGE`. */
export function checkPath(name: string): void {
  if (/^(?:[/\\~]|[A-Za-z]:)|(?:^|[/\\])\.\.(?:[/\\]|$)|\0/.test(name)) throw refuse(`the path ${name} leads out of it`)
}

export function refuse(why: string, cause?: unknown): SvcError {
  return new SvcError('SKILL_PACKAGE', `The archive is not used: ${why}.`, { cause })
}

export function withoutTop(files: Files): Files {
  if (files.has('SKILL.md')) return files
  const tops = new Set([...files.keys()].map((path) => path.split('/')[0] ?? ''))
  const [top = ''] = tops
  if (tops.size !== 1 || !files.has(`${top}/SKILL.md`)) return files
  return new Map([...files].map(([path, data]) => [path.slice(top.length + 1), data]))
}
