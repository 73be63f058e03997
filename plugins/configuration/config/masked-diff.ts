/** Unified diffs of config.yaml and `.env` in which no secret can be read. */
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff'
import { getAtPath } from 'svc/sdk/host'
import type { ConfigText } from './config-text.ts'
import { parseAssignments } from './env-edit.ts'
import { isSecretAt, type JsonSchema } from './json-schema.ts'
import { isSecretPath, soleReference } from './secrets.ts'

type Span = readonly [start: number, end: number]

/** The difference of two states of `config.yaml`; undefined stands for no file. `whole` marks secrets. */
export async function yamlDiff(
  name: string,
  [before = '', after = '']: readonly [string | undefined, string | undefined],
  yaml: ConfigText,
  whole: JsonSchema,
): Promise<string> {
  const [old, now] = [await secretsInYaml(before, yaml, whole), await secretsInYaml(after, yaml, whole)]
  return diff(name, [before, maskSpans(before, old)], [after, maskSpans(after, now)])
}

/** The difference of two states of `.env`, without any value. */
export function envDiff(before = '', after = ''): string {
  return diff('.env', [before, maskSpans(before, valuesInEnv(before))], [after, maskSpans(after, valuesInEnv(after))])
}

/** The difference is made of the real lines, so that a changed secret shows; then the masked ones are shown. */
function diff(name: string, [before, old]: [string, string], [after, now]: [string, string]): string {
  const patch = structuredPatch(name, name, before, after, undefined, undefined, { context: 2 })
  const [oldLines, newLines] = [old.split('\n'), now.split('\n')]
  const hunks = patch.hunks.map((hunk) => {
    let [oldAt, nowAt] = [hunk.oldStart - 1, hunk.newStart - 1]
    const lines = hunk.lines.map((line) => {
      if (line.startsWith('\\')) return line
      const text = line.startsWith('+') ? newLines[nowAt] : oldLines[oldAt]
      if (!line.startsWith('+')) oldAt++
      if (!line.startsWith('-')) nowAt++
      return `${line[0]}${(text ?? '').replace(/\r$/, '')}`
    })
    return { ...hunk, lines }
  })
  return formatPatch({ ...patch, hunks }, FILE_HEADERS_ONLY)
}

/** All of a text that cannot be parsed. */
async function secretsInYaml(text: string, yaml: ConfigText, whole: JsonSchema): Promise<Span[]> {
  const parsed = await yaml.parse(text)
  if (!('values' in parsed)) return [[0, text.length]]
  return parsed.places.flatMap(({ path, span }) => {
    const value = getAtPath(parsed.values, path)
    const isOpen = typeof value === 'boolean' || value === null || soleReference(value) !== undefined
    return span && !isOpen && (isSecretPath(path) || isSecretAt(whole, path)) ? [span] : []
  })
}

function valuesInEnv(text: string): Span[] {
  return parseAssignments(text).flatMap(({ start, end }) => (end > start ? [[start, end] as const] : []))
}

/** A key that was commented out is still a key. */
function secretsInComments(text: string): Span[] {
  return [...text.matchAll(/#[^\r\n]*?(?:key|token|secret|password)[\w-]*\s*[:=]\s*(\S[^\r\n]*)/gi)].map((match) => {
    const end = match.index + match[0].length
    return [end - (match[1] as string).length, end]
  })
}

/** The text with `***` on each line of each span; the number of lines stays. */
function maskSpans(text: string, spans: readonly Span[]): string {
  const backwards = [...spans, ...secretsInComments(text)].toSorted((a, b) => b[0] - a[0])
  let [result, limit] = [text, text.length]
  for (const [start, end] of backwards) {
    const stars = text.slice(start, Math.min(end, limit)).replace(/[^\r\n]+/g, '***')
    result = result.slice(0, start) + stars + result.slice(Math.min(end, limit))
    limit = start
  }
  return result
}
