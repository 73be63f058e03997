/**
 * Paths, and names that are left alone. Paths are as Linux has them: any bytes but `/` and NUL. Within this plugin a path is a text with one character for each
 * byte (latin1), relative to the project; that loses nothing, and is neither shown nor compared with what people type.
 */
import { lstatSync } from 'node:fs'

/** The path as the system takes it. */
export function toPathBytes(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(root), Buffer.from(path === '' ? '' : `/${path}`, 'latin1')])
}

/** Whether anything is there; a link counts, wherever it leads. */
export function isThere(place: string | Buffer): boolean {
  try {
    lstatSync(place)
    return true
  } catch {
    return false
  }
}

/** As people read it. */
export function shownPath(path: string): string {
  return Buffer.from(path, 'latin1').toString()
}

/** What a person typed, as a path. */
export function typedPath(text: string): string {
  return Buffer.from(text).toString('latin1')
}

/** The folder it is in; empty for the project itself. */
export function getParentPath(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** Its last part. */
export function getFileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Whether it is `other` or in it. */
export function isWithin(path: string, other: string): boolean {
  return other === '' || path === other || path.startsWith(`${other}/`)
}

const ALWAYS = /^\.git$/i
/** Copies that a restoration is about to put in place; a crash leaves one behind. */
const OURS = /^\.svc-restore-[0-9a-f]{16}$/

/** A name for such a copy. */
export function copyName(random: string): string {
  return `.svc-restore-${random}`
}

export function isCopyName(name: string): boolean {
  return OURS.test(name)
}

/** Whether a name fits. The patterns are those of `checkpoints.exclude`. */
export type NameRule = (name: string) => boolean

export function nameRule(patterns: readonly string[]): NameRule {
  const bytes = (text: string) => Buffer.from(text).toString('latin1')
  const plain = new Set(patterns.filter((pattern) => !/[*?]/.test(pattern)).map(bytes))
  const globs = patterns
    .filter((pattern) => /[*?]/.test(pattern))
    .map((pattern) => {
      const source = bytes(pattern).replace(/[.+^${}()|[\]\\]/g, '\\$&')
      return new RegExp(`^${source.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's')
    })
  return (name) => ALWAYS.test(name) || OURS.test(name) || plain.has(name) || globs.some((glob) => glob.test(name))
}

/** Whether any part of a path fits. */
export function hasName(path: string, rule: NameRule): boolean {
  return path.split('/').some(rule)
}
