/** Archives of skills: zip, and tar with gzip. */
import type { Files } from './sources/source.ts'

/** A zip archive, or what gzip packed. */
export function isArchive(bytes: Uint8Array): boolean {
  return (bytes[0] === 0x50 && bytes[1] === 0x4b) || isGzip(bytes)
}

function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b
}

/** By what it is, not by its name. Rejects with `SKILL_PACKAGE`. */
export async function readArchive(bytes: Uint8Array): Promise<Files> {
  if (isGzip(bytes)) return (await import('./tar.ts')).readTar(bytes)
  return (await import('./zip.ts')).readSkillZip(bytes)
}
