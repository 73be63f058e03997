/**
 * Sizes are guides. What comes near one is reported and fails nothing, so no change has to touch code that it has nothing to
 * do with. Only the limits fail: they are far above the guides, and what exceeds one holds more than one idea. Tests have neither.
 */
import { posix } from 'node:path'
import { expect, test } from 'vitest'
import {
  browserSources,
  exists,
  filesBelow,
  pluginFolder,
  pluginNames,
  read,
  rooms,
  sourcesBelow,
} from '../support/repository.ts'
import { KERNEL_LINES, SIZES } from '../support/sizes.ts'
import { codeLines, getLineNumber, getName, type Node, source, walk } from '../support/syntax.ts'

interface Size {
  readonly name: string
  readonly size: number
}

/** A list of names, which is read by searching it. */
const lists = ['sdk/index.ts', ...filesBelow('sdk/entries'), 'plugins/dashboard/web-ui/app/client/contract.ts']
/** Grammars and tables of programs, which belong together: a cut would run through the middle of an idea. */
const tables = ['command-risk', 'command-knowledge']
/** Names that say nothing about what is inside. */
const forbiddenNames = ['utils', 'helpers', 'common', 'types', 'misc', 'base', 'manager', 'core']

const product = [...sourcesBelow(...rooms, 'sdk', 'plugins', 'examples'), ...browserSources()]

function check(kind: keyof typeof SIZES, all: readonly Size[]): void {
  const { guide, limit } = SIZES[kind]
  const near = all.filter(({ size }) => size > guide * 0.95 && size <= limit)
  if (near.length > 0) console.info(`${kind}: guide ${guide}, limit ${limit}\n${lines(near)}`)
  expect(all.filter(({ size }) => size > limit)).toEqual([])
}

const lines = (all: readonly Size[]) => all.map(({ name, size }) => `  ${name}: ${size}`).join('\n')

const measure = (name: string): Size => {
  const text = read(name)
  return { name, size: text.split('\n').length - (text.endsWith('\n') ? 1 : 0) }
}

test(`a source file has at most ${SIZES.file.limit} lines`, () => {
  const files = [...product, ...filesBelow('.ci')].filter((file) => !lists.includes(file))
  check('file', files.map(measure))
})

test(`the index.ts of a plugin only wires and has at most ${SIZES.index.limit} lines`, () => {
  const files = pluginNames().map((name) => `${pluginFolder(name)}/index.ts`)
  check('index', files.filter(exists).map(measure))
})

test(`README.md and CONTRIBUTING.md have at most ${SIZES.document.limit} lines`, () => {
  check('document', ['README.md', 'CONTRIBUTING.md'].map(measure))
})

/** Components of the web UI that are longer. Only to be shortened. */
const LONG = [
  'plugins/dashboard/web-ui/app/board/task-dialog.tsx TaskBody',
  'plugins/dashboard/web-ui/app/chat/composer.tsx Composer',
  'plugins/dashboard/web-ui/app/pages/sessions.tsx SessionList',
  'plugins/dashboard/web-ui/app/pages/sessions.tsx SessionView',
  'plugins/dashboard/web-ui/app/ui/virtual-list.tsx VirtualList',
]

test(`a function has at most ${SIZES.function.limit} lines`, () => {
  const all = product.flatMap(functionsIn)
  const isListed = ({ name }: Size) => LONG.includes(name.replace(/:\d+/, ''))
  check(
    'function',
    all.filter((each) => !isListed(each)),
  )
  const long = all.filter((each) => isListed(each) && each.size > SIZES.function.limit)
  expect(long, 'no longer one: remove it from the list').toHaveLength(LONG.length)
})

function functionsIn(file: string): Size[] {
  const { text, tree } = source(file)
  return [...walk(tree)]
    .filter(({ node }) => isFunction(node))
    .map(({ node, around }) => {
      const name =
        getName(node['id']) ?? getName(around.at(-1)?.['key']) ?? getName(around.at(-1)?.['id']) ?? 'a function'
      const size = text.slice(node.start, node.end).split('\n').length
      return { name: size > SIZES.function.guide ? `${file}:${getLineNumber(text, node.start)} ${name}` : name, size }
    })
}

function isFunction({ type }: Node): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
}

const codeIn = (files: readonly string[]) => files.reduce((sum, file) => sum + codeLines(read(file)), 0)

test(`the kernel has at most ${KERNEL_LINES} lines of code`, () => {
  const sum = codeIn(sourcesBelow('kernel'))
  expect(sum).toBeLessThanOrEqual(KERNEL_LINES)
  expect(sum).toBeGreaterThan(KERNEL_LINES / 2)
})

test(`a plugin has at most ${SIZES.plugin.limit} lines of code in ${SIZES.files.limit} files`, () => {
  const plugins = pluginNames().filter((name) => !tables.includes(name))
  const sources = new Map(plugins.map((name) => [name, sourcesBelow(pluginFolder(name))]))
  check(
    'plugin',
    plugins.map((name) => ({ name, size: codeIn(sources.get(name) ?? []) })),
  )
  check(
    'files',
    plugins.map((name) => ({ name, size: sources.get(name)?.length ?? 0 })),
  )
})

test('no file has a name that says nothing', () => {
  const bad = product.filter((file) => forbiddenNames.includes(posix.basename(file).replace(/\.tsx?$/, '')))
  expect(bad).toEqual([])
})

test('lines of code leave out blanks and comments of both kinds', () => {
  const text = '/** a\n * b\n */\nconst a = 1 // c\n\n// d\n/* e */\nconst b = `x\n`\n'
  expect(codeLines(text)).toBe(3)
})
