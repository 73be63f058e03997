import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { exists, filesBelow, pluginFolder, pluginNames, read, sourcesBelow } from '../support/repository.ts'
import { codeLines, lineOf, type Node, nameOf, source, walk } from '../support/syntax.ts'

const FILE_LINES = 430
const FUNCTION_LINES = 60
const INDEX_LINES = 80
const DOCUMENT_LINES = 180
/** Lines of code, without blanks and comments: what a reader has to hold. */
const KERNEL_LINES = 5380
/** A gateway that reads, answers, marks and brakes is one idea; design, section 3: a number is no reason to cut it in two. */
const PLUGIN_LINES = 3050
const PLUGIN_FILES = 34

/** Names that say nothing about what is inside. */
const forbiddenNames = ['utils', 'helpers', 'common', 'types', 'misc', 'base', 'manager', 'core']

const product = sourcesBelow('kernel', 'sdk', 'plugins', 'examples')

function linesOf(text: string): number {
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0)
}

function longerThan(limit: number, files: readonly string[]): string[] {
  return files.filter((file) => linesOf(read(file)) > limit).map((file) => `${file}: ${linesOf(read(file))}`)
}

/** A list of names, which is read by searching it. */
const lists = ['sdk/index.ts']

test(`no source file is longer than ${FILE_LINES} lines`, () => {
  const files = [...product, ...filesBelow('.ci')].filter((file) => !lists.includes(file))
  expect(longerThan(FILE_LINES, files)).toEqual([])
})

test(`the index.ts of a plugin only wires and has at most ${INDEX_LINES} lines`, () => {
  const files = pluginNames().map((name) => `${pluginFolder(name)}/index.ts`)
  expect(longerThan(INDEX_LINES, files.filter(exists))).toEqual([])
})

test(`README.md and CONTRIBUTING.md are read in one go: at most ${DOCUMENT_LINES} lines`, () => {
  expect(longerThan(DOCUMENT_LINES, ['README.md', 'CONTRIBUTING.md'])).toEqual([])
})

test(`no function is longer than ${FUNCTION_LINES} lines`, () => {
  const long = product.flatMap((file) => {
    const { text, tree } = source(file)
    return [...walk(tree)]
      .filter(({ node }) => isFunction(node))
      .flatMap(({ node, around }) => {
        const [first, last] = [lineOf(text, node.start), lineOf(text, node.end)]
        const name =
          nameOf(node['id']) ?? nameOf(around.at(-1)?.['key']) ?? nameOf(around.at(-1)?.['id']) ?? 'a function'
        return last - first + 1 > FUNCTION_LINES ? [`${file}:${first} ${name}: ${last - first + 1}`] : []
      })
  })
  expect(long).toEqual([])
})

function isFunction({ type }: Node): boolean {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
}

test(`the kernel stays small: at most ${KERNEL_LINES} lines of code`, () => {
  const sum = sourcesBelow('kernel').reduce((lines, file) => lines + codeLines(read(file)), 0)
  expect(sum).toBeLessThanOrEqual(KERNEL_LINES)
  expect(sum).toBeGreaterThan(KERNEL_LINES / 2)
})

/** Grammars and tables of programs, which belong together: a cut would run through the middle of an idea. */
const large = ['command-risk', 'command-knowledge']

test(`a plugin stays small: at most ${PLUGIN_FILES} source files and ${PLUGIN_LINES} lines of code`, () => {
  const small = pluginNames().filter((name) => !large.includes(name))
  const big = small.flatMap((name) => {
    const files = sourcesBelow(pluginFolder(name))
    const lines = files.reduce((sum, file) => sum + codeLines(read(file)), 0)
    return files.length > PLUGIN_FILES || lines > PLUGIN_LINES ? [`${name}: ${files.length} files, ${lines} lines`] : []
  })
  expect(big).toEqual([])
})

test('no file has a name that says nothing', () => {
  const bad = product.filter((file) => forbiddenNames.includes(posix.basename(file, '.ts')))
  expect(bad).toEqual([])
})

test('lines of code leave out blanks and comments of both kinds', () => {
  const text = '/** a\n * b\n */\nconst a = 1 // c\n\n// d\n/* e */\nconst b = `x\n`\n'
  expect(codeLines(text)).toBe(3)
})
