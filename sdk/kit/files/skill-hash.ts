/** The hash over the files of a skill, by which a scan, a record of what was installed and a folder are compared. */
import { createHash } from 'node:crypto'

/**
 * Names of folders and files that are no part of a skill: what version control, package managers and systems put beside the files
 * of an author.
 * @since 0.2
 */
export const SKIPPED_IN_SKILLS: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  'node_modules',
  '__pycache__',
  '.venv',
  'venv',
  '.DS_Store',
])

/** Makes `SkillFolder.hash`. @since 0.2 */
export interface SkillHash {
  /** `path` is relative to the folder, with slashes. To be called in the order of the paths, as `<` compares them. */
  add(path: string, bytes: Uint8Array): void
  /** `sha256:` and 64 hexadecimal digits. To be called once, at the end. */
  finish(): string
}

/** @since 0.2 */
export function createSkillHash(): SkillHash {
  const hash = createHash('sha256')
  return {
    // Lengths keep one list of files from having the bytes of another.
    add: (path, bytes) => void hash.update(`${Buffer.byteLength(path)}:${path}:${bytes.length}:`).update(bytes),
    finish: () => `sha256:${hash.digest('hex')}`,
  }
}
