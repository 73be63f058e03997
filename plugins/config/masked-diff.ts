/** Unified diffs of config.yaml and `.env` in which no secret can be read. */
import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff'
import { isPair, isScalar, type Node, visit } from 'yaml'
import { assignmentsOf } from './env-edit.ts'
import { isSecretPath, soleReference } from './secret-names.ts'
import { parseSource } from './yaml-source.ts'
import type { Path } from './yaml-steps.ts'

type Span = readonly [start: number, end: number]

/** The difference of two states of `config.yaml`; undefined stands for no file. */
export function yamlDiff(
  name: string,
  before: string | undefined,
  after: string | undefined,
  isSecret: (path: Path) => boolean,
): string {
  const mask = (text = '') => masked(text, secretsInYaml(text, isSecret))
  return diff(name, before ?? '', after ?? '', mask)
}

/** The difference of two states of `.env`, without any value. */
export function envDiff(before: string | undefined, after: string | undefined): string {
  const mask = (text = '') =>
    masked(
      text,
      assignmentsOf(text).flatMap(({ start, end }) => (end > start ? [[start, end] as const] : [])),
    )
  return diff('.env', before ?? '', after ?? '', mask)
}

/** The difference is made of the real lines, so that a changed secret shows; then each line is masked. */
function diff(name: string, before: string, after: string, mask: (text: string) => string): string {
  const patch = structuredPatch(name, name, before, after, undefined, undefined, { context: 2 })
  const [old, now] = [mask(before).split('\n'), mask(after).split('\n')]
  const hunks = patch.hunks.map((hunk) => {
    let [oldAt, nowAt] = [hunk.oldStart - 1, hunk.newStart - 1]
    const lines = hunk.lines.map((line) => {
      if (line.startsWith('\\')) return line
      const text = line.startsWith('+') ? now[nowAt] : old[oldAt]
      if (!line.startsWith('+')) oldAt++
      if (!line.startsWith('-')) nowAt++
      return `${line[0]}${(text ?? '').replace(/\r$/, '')}`
    })
    return { ...hunk, lines }
  })
  return formatPatch({ ...patch, hunks }, FILE_HEADERS_ONLY)
}

function secretsInYaml(text: string, isSecret: (path: Path) => boolean): Span[] {
  const source = parseSource(text)
  if (!('values' in source)) return [[0, text.length]]
  const spans: Span[] = []
  visit(source.document, {
    Scalar(key, node, ancestors) {
      if (
        key === 'key' ||
        !node.range ||
        typeof node.value === 'boolean' ||
        node.value === null ||
        soleReference(node.value)
      )
        return
      const pairs = [...ancestors, node].filter(isPair)
      const path = pairs.map((pair) => (isScalar(pair.key) ? String(pair.key.value) : ''))
      if (isSecret(path) || isSecretPath(path))
        spans.push([node.range[0], (node as Node & { range: [number, number] }).range[1]])
    },
  })
  return spans
}

/** A key that was commented out is still a key. */
function secretsInComments(text: string): Span[] {
  return [...text.matchAll(/#[^\r\n]*?(?:key|token|secret|password)[\w-]*\s*[:=]\s*(\S[^\r\n]*)/gi)].map((match) => {
    const end = match.index + match[0].length
    return [end - (match[1] as string).length, end]
  })
}

/** The text with `***` on each line of each span; the number of lines stays. */
function masked(text: string, spans: readonly Span[]): string {
  const backwards = [...spans, ...secretsInComments(text)].toSorted((a, b) => b[0] - a[0])
  let [result, limit] = [text, text.length]
  for (const [start, end] of backwards) {
    const stars = text.slice(start, Math.min(end, limit)).replace(/[^\r\n]+/g, '***')
    result = result.slice(0, start) + stars + result.slice(Math.min(end, limit))
    limit = start
  }
  return result
}
