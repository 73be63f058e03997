/** What one part of svc has to tell another travels as data. No source reads it out of a sentence that another one writes. */
import { expect, test } from 'vitest'
import { rooms, sourcesBelow } from '../support/repository.ts'
import {
  calledName,
  getLineNumber,
  getName,
  isNode,
  literal,
  type Node,
  parse,
  type Source,
  source,
  walk,
} from '../support/syntax.ts'

/** Functions that look for one text in another. */
const SEARCHES = new Set(
  'includes startsWith endsWith indexOf lastIndexOf split match matchAll test exec search replace replaceAll RegExp'.split(
    ' ',
  ),
)
/** Stands for what is not known before the program runs: a number, a hole of a template, a wildcard of a pattern. */
const HOLE = '\u0001'
/** Reads what earlier versions recorded, in the sentences of that time: they cannot say it as data any more. */
const OF_EARLIER_VERSIONS = 'plugins/sessions/replay/older.ts'

interface Text {
  readonly own: Source
  readonly start: number
  readonly text: string
}

/** Without stand-ins, which write the sentences of services. */
const sources = sourcesBelow(...rooms, 'sdk', 'plugins').filter(
  (file) => !file.startsWith('sdk/testing/') && !file.includes('/stand-in/'),
)

/** At least three words, one of which may be a hole. Tags and marks of file formats are not sentences. */
function isSentence(text: string): boolean {
  const plain = text.replace(/<[^>]*>?/g, ' ')
  const words = plain.match(/\p{L}{2,}/gu) ?? []
  const holes = plain.match(/(?<=\p{L} ?[("]?)\u0001/gu) ?? []
  return (
    words.length >= 2 && words.length + Math.min(1, holes.length) >= 3 && !plain.includes('\0') && plain.includes(' ')
  )
}

/** The parts of a text or template; numbers are like holes. */
function getText(node: Node): string | undefined {
  const quasis = node.type === 'TemplateLiteral' ? (node['quasis'] as readonly Node[]) : undefined
  const text = quasis
    ? quasis.map((quasi) => (quasi['value'] as { cooked?: string }).cooked ?? '').join(HOLE)
    : literal(node)
  return text?.replace(/\d+/g, HOLE)
}

/** The plain texts of a pattern. */
function listFragments(pattern: string): string[] {
  const plain = pattern
    .replace(/\((?:\?[:=!<][^()]*|[^()|]*)\)[?*+]?|\\[dwDSW][+*?]*|\[[^\]]*\][+*?]*|\.[+*]\??/g, HOLE)
    .replace(/\\([^\w\s])/g, '$1')
  return plain.split(/\||\^|\$|\(|\\[a-zA-Z]/)
}

/** Whether the node is what a comparison or a search looks for, or looks in. */
function isSought(node: Node, parent: Node | undefined): boolean {
  if (parent?.type === 'BinaryExpression') return /^[!=]==?$/.test(String(parent['operator']))
  if (parent?.type === 'SwitchCase') return parent['test'] === node
  if (parent?.type !== 'CallExpression' && parent?.type !== 'NewExpression') return false
  const [first] = parent['arguments'] as readonly Node[]
  return first === node && SEARCHES.has(calledName(parent) ?? '')
}

/** The values of the constants of a file. */
function listConstants({ tree }: Source): ReadonlyMap<string, Node> {
  const declarations = (tree['body'] as readonly Node[]).flatMap((statement) => {
    const declaration = isNode(statement['declaration']) ? statement['declaration'] : statement
    return declaration.type === 'VariableDeclaration' ? (declaration['declarations'] as readonly Node[]) : []
  })
  return new Map(
    declarations.flatMap(({ id, init }) => (getName(id) && isNode(init) ? [[getName(id) ?? '', init]] : [])),
  )
}

/** The sentences that a file writes, and those that it looks for. */
function readText(own: Source): { readonly written: readonly Text[]; readonly sought: readonly Text[] } {
  const constants = listConstants(own)
  const all = [...walk(own.tree)].flatMap(({ node, around }) => {
    const isTarget = isSought(node, around.at(-1))
    const target = (isTarget && constants.get(getName(node) ?? '')) || node
    const pattern = getPattern(target)
    const texts = pattern === undefined ? [getText(target) ?? ''] : listFragments(pattern)
    const isReader = isTarget || pattern !== undefined
    return texts.filter(isSentence).map((text) => ({ own, start: node.start, text, isReader }))
  })
  return { written: all.filter(({ isReader }) => !isReader), sought: all.filter(({ isReader }) => isReader) }
}

function getPattern({ type, regex }: Node): string | undefined {
  return type === 'Literal' ? (regex as { readonly pattern: string } | undefined)?.pattern : undefined
}

const place = ({ path, text }: Source, start: number) => `${path}:${getLineNumber(text, start)}`

function offences(all: readonly ReturnType<typeof readText>[]): string[] {
  const written = all.flatMap((each) => each.written).filter(({ text }) => !text.includes('|'))
  return all.flatMap(({ sought }) =>
    sought.flatMap(({ own, start, text }) => {
      const core = text.replace(/^[\u0001\s.]+|[\u0001\s]+$/g, '')
      const writer = isSentence(core) && written.find((other) => other.own !== own && other.text.includes(core))
      return writer
        ? [`${place(own, start)} looks for a text that ${place(writer.own, writer.start)} writes: ${core}`]
        : []
    }),
  )
}

test('no source looks for a sentence that another one writes', () => {
  const all = sources.filter((file) => file !== OF_EARLIER_VERSIONS).map((file) => readText(source(file)))
  expect(all.reduce((sum, { written }) => sum + written.length, 0)).toBeGreaterThan(3000)
  expect(offences(all)).toEqual([])
})

test.for([
  [`if (reason?.includes('svc plugins enable')) go()`, 'const a = `not enabled; svc plugins enable ${name}`'],
  [`const MARK = 'the turn was interrupted'\nx.startsWith(MARK)`, `say('Not run: the turn was interrupted.')`],
  ['if (/^There is no tool "(.*)"/.test(text)) go()', 'const a = `There is no tool "${name}".`'],
  [`if (said.includes('with (status 403)')) go()`, 'const a = `refused with (status ${status}).`'],
  ['text.replace(/\\. Do not try it again[\\s\\S]*$/, "")', `const STOP = '. Do not try it again, please'`],
  [`x === 'Nothing was changed.'`, `throw new SvcError('CODE', 'Nothing was changed.')`],
] as const)('the rule sees %j', ([reader, writer]) => {
  const read = (path: string, text: string) => readText(parse(path, text))
  expect(offences([read('a.ts', reader), read('b.ts', writer)])).toHaveLength(1)
  expect(offences([read('a.ts', writer), read('b.ts', writer)])).toEqual([])
})
