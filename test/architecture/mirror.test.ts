import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { exists, pluginFolder, pluginNames, rooms, sourcesBelow } from '../support/repository.ts'
import { getArguments, listImports, literal, type Node, parse, type Source, source, walk } from '../support/syntax.ts'

const tests = sourcesBelow('test').filter((file) => file.endsWith('.test.ts'))

test('every plugin has a folder of tests, and every such folder a plugin', () => {
  const withTests = tests.filter((file) => file.startsWith('test/plugins/')).map((file) => posix.dirname(file))
  expect([...new Set(withTests)].sort()).toEqual(
    pluginNames()
      .map((name) => `test/${pluginFolder(name)}`)
      .sort(),
  )
})

/** Files of the rooms that no test of theirs imports, with what proves them instead. */
const provenBy: Readonly<Record<string, string>> = {
  'home/config-gate.ts': 'edits from disk in test/kernel/life-hooks.test.ts',
  'kernel/context.ts': 'test/kernel/host.test.ts and test/kernel/plugin-lifetime.test.ts, through testKernel',
  'kernel/plugin-lifetime.ts': 'test/kernel/plugin-lifetime.test.ts, through testKernel',
  'kernel/replacements.ts': 'test/kernel/replace.test.ts, through testKernel',
  'program/required.ts': 'test/program/required.test.ts, through kernels that lack a required plugin',
  'loader/missing-names.ts': 'test/loader/sdk-facade.test.ts, through plugins that are bundled',
  'loader/named-folders.ts': 'test/plugins/configuration/plugin-manager/named-folder.test.ts runs it as a process',
  'kernel/error-place.ts': 'test/plugins/configuration/plugin-manager/named-folder.test.ts runs it as a process',
  'program/bin.ts': 'test/architecture/start-up.test.ts runs it',
  'kernel/errors.ts': 'test/architecture/error-codes.test.ts compares it with what is thrown',
  'home/errors.ts': 'test/architecture/error-codes.test.ts compares it with what is thrown',
  'loader/errors.ts': 'test/architecture/error-codes.test.ts compares it with what is thrown',
  'program/errors.ts': 'test/architecture/error-codes.test.ts compares it with what is thrown',
  'kernel/declarations.ts': 'test/loader/manifest-words.test.ts and test/kernel/host.test.ts, through testKernel',
  'home/plugin-settings.ts': 'test/kernel/host.test.ts and test/program/settings-migration.test.ts, through kernels',
  'loader/plugin-catalogue.ts': 'test/loader/manifest-words.test.ts, through testKernel',
  'kernel/guards.ts': 'test/kernel/guards.test.ts, through testKernel',
  'kernel/host.ts': 'test/kernel/host.test.ts, through testKernel',
  'loader/import.ts': 'test/architecture/manifests.test.ts loads every built-in plugin through it',
  'program/intrinsics.ts': 'test/program/intrinsics.test.ts runs it in a process of its own',
  'kernel/kernel-options.ts': 'types only',
  'kernel/kernel.ts': 'test/kernel/kernel.test.ts, through testKernel',
  'program/jobs.ts': 'test/program/jobs.test.ts, through testKernel',
  'program/library.ts': 'test/program/library.test.ts, by its public name',
  'program/linger.ts': 'test/program/main.test.ts runs it as a process',
  'program/load.ts': 'test/architecture/program.test.ts: the built package loads its code through it',
  'program/help.ts': 'test/program/main.test.ts runs it as a process',
  'program/main.ts': 'test/program/main.test.ts runs it as a process',
  'loader/module-import.ts': 'test/architecture/manifests.test.ts loads every built-in plugin through it',
  'home/report-outside-changes.ts': 'test/home/outside-changes.test.ts, through testKernel',
  'program/own-services.ts': 'test/kernel/kernel.test.ts, through testKernel',
  'kernel/plugin-catalogue.ts': 'test/kernel/kernel.test.ts, through testKernel',
  'kernel/plugins-service.ts': 'test/kernel/kernel.test.ts, through testKernel',
  'kernel/problems.ts': 'test/kernel/kernel.test.ts, through testKernel',
  'program/run.ts': 'test/program/main.test.ts runs it as a process',
  'program/run-loaded.ts': 'test/program/main.test.ts runs it as a process',
  'program/settings-migration.ts': 'test/program/settings-migration.test.ts runs it as a process',
  'home/state.ts': 'test/home/state.test.ts, through testKernel',
  'program/stdout.ts': 'test/program/main.test.ts runs it as a process',
}

test('every file of the rooms is imported by a test of theirs or proven by another way that is named', () => {
  const imported = tests
    .filter((file) => rooms.some((room) => file.startsWith(`test/${room}/`)))
    .flatMap((file) => listImports(source(file)).map(({ specifier }) => posix.join(posix.dirname(file), specifier)))
  const unproven = sourcesBelow(...rooms).filter((file) => !imported.includes(file))
  expect(unproven.sort()).toEqual(Object.keys(provenBy).sort())
})

test('what proves a file of the rooms is there', () => {
  const named = Object.values(provenBy).flatMap((reason) => reason.match(/test\/\S+\.test\.ts/g) ?? [])
  expect(named.filter((file) => !exists(file))).toEqual([])
})

test('a test is named by a sentence that no other test has', () => {
  const seen = new Map<string, string>()
  const bad: string[] = []
  for (const file of tests)
    for (const name of testNames(source(file))) {
      if (name.split(/\s+/).length < 3) bad.push(`${file}: "${name}" is no sentence`)
      const other = seen.get(name)
      if (other) bad.push(`"${name}" is in ${other} and in ${file}`)
      seen.set(name, file)
    }
  expect(bad).toEqual([])
})

/** Names of tests with the groups they are in. */
function testNames({ text, tree }: Source): string[] {
  return [...walk(tree)].flatMap(({ node, around }) => {
    const name = getTestTitle(node, text, ['test', 'it'])
    if (name === undefined) return []
    const groups = around.flatMap((outer) => getTestTitle(outer, text, ['describe']) ?? [])
    return [[...groups, name].join(' > ')]
  })
}

/** The first argument of `test(...)`, `test.skipIf(x)(...)`, `test.for(...)(...)`. */
function getTestTitle(node: Node, text: string, functions: readonly string[]): string | undefined {
  if (node.type !== 'CallExpression') return undefined
  const [first] = getArguments(node)
  const called = text.slice(node.start, (node['callee'] as Node).end)
  const [head = ''] = called.split(/[.(]/)
  if (!first || !functions.includes(head) || !/^\w+$|\)$|\.(only|skip|concurrent|sequential)$/.test(called))
    return undefined
  if (literal(first) === undefined && first.type !== 'TemplateLiteral') return undefined
  return literal(first) ?? text.slice(first.start + 1, first.end - 1)
}

test('names are read from every way to write a test', () => {
  const text = `
    describe('a group', () => {
      it('is one of a kind', () => {})
    })
    test.skipIf(true)('is skipped here', () => {})
    test.for([['x']])('counts %s once', () => {})
    test(\`counts \${n} lines\`, () => {})
    regexp.test('is no test at all')`
  expect(testNames(parse('x.ts', text))).toEqual([
    'a group > is one of a kind',
    'is skipped here',
    'counts %s once',
    'counts ${n} lines',
  ])
})
