/** What one part of svc has to tell another travels as data. No source reads it out of a sentence that svc wrote. */
import { expect, test } from 'vitest'
import { sourcesBelow } from '../support/repository.ts'
import {
  argumentsOf,
  calledName,
  isNode,
  lineOf,
  literal,
  type Node,
  nameOf,
  parse,
  type Source,
  source,
  walk,
} from '../support/syntax.ts'

const MATCHING = [
  'includes',
  'startsWith',
  'endsWith',
  'indexOf',
  'lastIndexOf',
  'split',
  'match',
  'matchAll',
  'test',
  'exec',
  'search',
  'RegExp',
]
/** Stands for what is not known before the program runs: a hole of a template, a number, a wildcard of a pattern. */
const HOLE = '\u0000'

/** A text that a source writes, or that it looks for in another text. */
interface Text {
  readonly path: string
  readonly line: number
  readonly text: string
}

const sources = sourcesBelow('kernel', 'sdk', 'plugins').filter((file) => !file.startsWith('sdk/testing/'))

/** Numbers are as good as holes: `(status 403)` is looked for in what `(status ${status})` writes. */
const normalise = (text: string) => text.replace(/\d+/g, HOLE)

function writtenIn({ path, text, tree }: Source): Text[] {
  return [...walk(tree)].flatMap(({ node, around }) => {
    if (isLookedFor(node, around)) return []
    const value = templateText(node) ?? literal(node)
    return value === undefined || !isSentence(value)
      ? []
      : [{ path, line: lineOf(text, node.start), text: normalise(value) }]
  })
}

function templateText(node: Node): string | undefined {
  if (node.type !== 'TemplateLiteral') return undefined
  return (node['quasis'] as readonly Node[])
    .map((quasi) => (quasi['value'] as { cooked?: string }).cooked ?? '')
    .join(HOLE)
}

/** Whether the node is the operand of a comparison or of a call that searches. */
function isLookedFor(node: Node, around: readonly Node[]): boolean {
  const parent = around.at(-1)
  if (!parent) return false
  if (parent.type === 'BinaryExpression') return /^[!=]==?$/.test(String(parent['operator']))
  if (parent.type === 'SwitchCase') return parent['test'] === node
  if (parent.type !== 'CallExpression' && parent.type !== 'NewExpression') return false
  return parent['callee'] !== node && MATCHING.includes(calledName(parent) ?? '')
}

/** At least two words. */
function isSentence(text: string): boolean {
  return /\p{L}{2,}[^\p{L}\n]*\s[^\p{L}\n]*\p{L}{2,}/u.test(text) || /\p{L}{2,} [(:]?(?:\d|\0)/u.test(text)
}

function lookedForIn({ path, text, tree }: Source): Text[] {
  const constants = new Map<string, Node>()
  for (const { node } of walk(tree))
    if (node.type === 'VariableDeclarator' && isNode(node['init']))
      constants.set(nameOf(node['id']) ?? '', node['init'])
  const resolved = (node: Node) => constants.get(nameOf(node) ?? '') ?? node
  return [...walk(tree)].flatMap(({ node, around }) => {
    const searched = isLookedFor(node, around) ? resolved(node) : node
    const isPattern = searched.type === 'Literal' && 'regex' in searched
    const values = isPattern
      ? fragmentsOf((searched['regex'] as { pattern: string }).pattern)
      : isLookedFor(node, around)
        ? [templateText(searched) ?? literal(searched) ?? '']
        : []
    return values.filter(isSentence).map((value) => ({ path, line: lineOf(text, node.start), text: normalise(value) }))
  })
}

/** The plain texts of a pattern. */
function fragmentsOf(pattern: string): string[] {
  return pattern
    .replace(/\\[dw][+*]?|\([^()]*\)[?*+]?|\.[*+]\??|\\[SD][+*]?/g, HOLE)
    .replace(/\\([.()[\]{}/?+*|^$-])/g, '$1')
    .split(/\||\^|\$|\[[^\]]*\]|\\[a-zA-Z]|[?+*](?!\w* )/)
}

const written = [...sources.flatMap((file) => writtenIn(source(file)))]

function offences(own: Source, others: readonly Text[]): string[] {
  return lookedForIn(own).flatMap(({ path, line, text }) => {
    const fragment = text.replace(/^\0+|\0+$/g, '')
    if (!isSentence(fragment)) return []
    const writer = others.find((other) => other.text.includes(fragment))
    return writer
      ? [`${path}:${line} looks for ${JSON.stringify(text)}, which ${writer.path}:${writer.line} writes`]
      : []
  })
}

test('no source looks for a sentence that svc wrote', () => {
  expect(sources.flatMap((file) => offences(source(file), written))).toEqual([])
})
