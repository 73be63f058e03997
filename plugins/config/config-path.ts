/** Dotted paths: `model.default`, list items by number, keys that hold dots in double quotes: `a."b.c".0`. */
import { distance } from 'fastest-levenshtein'
import { SvcError } from 'svc/sdk'

const segment = /"((?:[^"\\]|\\.)*)"|([^".]+)/y

/** The segments of a typed path. Throws `CONFIG_PATH`. */
export function parsePath(text: string): readonly string[] {
  const segments: string[] = []
  let at = 0
  while (at <= text.length) {
    segment.lastIndex = at
    const found = segment.exec(text)
    const end = at + (found?.[0].length ?? 0)
    if (!found || (end < text.length && text[end] !== '.')) throw malformed(text)
    segments.push(found[1] === undefined ? (found[2] as string) : found[1].replace(/\\(.)/g, '$1'))
    at = end + 1
  }
  return segments
}

/** Segments as a person would type them. */
export function formatPath(segments: readonly string[]): string {
  return segments.map((part) => (/^[^".]+$/.test(part) ? part : JSON.stringify(part))).join('.')
}

/** The value at a path; lists are indexed by number. */
export function valueAt(values: unknown, path: readonly string[]): unknown {
  let value = values
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    if (Array.isArray(value) && !isIndex(key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/** Whether a segment can number an item of a list. */
export function isIndex(key: string): boolean {
  return /^(0|[1-9]\d{0,8})$/.test(key)
}

/** Whether `path` is `start` or lies under it. */
export function isUnder(path: readonly string[], start: readonly string[]): boolean {
  return start.every((key, at) => path[at] === key)
}

/** "Did you mean": the nearest name, when it is near enough that a slip is likely. */
export function nearest(typed: string, names: readonly string[]): string | undefined {
  const limit = Math.max(2, Math.floor(typed.length / 3))
  const ranked = names.map((name) => ({ name, steps: distance(typed.toLowerCase(), name.toLowerCase()) }))
  return ranked.filter(({ steps }) => steps <= limit).toSorted((a, b) => a.steps - b.steps)[0]?.name
}

function malformed(text: string): SvcError {
  const example = 'Write keys with dots between them: model.default, list.0, or "key.with.dots" in quotes.'
  return new SvcError('CONFIG_PATH', `"${text}" is not a key. ${example}`, { status: 400 })
}
