import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { exists, filesBelow, pluginFolder, pluginNames, sourcesBelow } from '../support/repository.ts'
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

/** Kernel files that no test imports, with what proves them instead. */
const provenBy: Readonly<Record<string, string>> = {
  'config-gate.ts': 'edits from disk in test/kernel/life-hooks.test.ts',
  'context.ts': 'test/kernel/host.test.ts and test/kernel/lasting.test.ts, through testKernel',
  'lasting.ts': 'test/kernel/lasting.test.ts, through testKernel',
  'replacements.ts': 'test/kernel/replace.test.ts, through testKernel',
  'required.ts': 'test/kernel/required.test.ts, through kernels that lack a required plugin',
  'missing-names.ts': 'test/kernel/sdk-facade.test.ts, through plugins that are bundled',
  'named-folders.ts': 'test/plugins/configuration/plugin-manager/named-folder.test.ts runs it as a process',
  'place.ts': 'test/plugins/configuration/plugin-manager/named-folder.test.ts runs it as a process',
  'bin.ts': 'test/architecture/start-up.test.ts runs it',
  'errors.ts': 'test/architecture/error-codes.test.ts compares it with what is thrown',
  'guards.ts': 'test/kernel/guards.test.ts, through testKernel',
  'host.ts': 'test/kernel/host.test.ts, through testKernel',
  'import.ts': 'test/architecture/manifests.test.ts loads every built-in plugin through it',
  'intrinsics.ts': 'test/kernel/intrinsics.test.ts runs it in a process of its own',
  'kernel-options.ts': 'types only',
  'kernel.ts': 'test/kernel/kernel.test.ts, through testKernel',
  'jobs.ts': 'test/kernel/jobs.test.ts, through testKernel',
  'library.ts': 'test/kernel/library.test.ts, by its public name',
  'linger.ts': 'test/kernel/main.test.ts runs it as a process',
  'load.ts': 'test/architecture/program.test.ts: the built package loads its code through it',
  'main.ts': 'test/kernel/main.test.ts runs it as a process',
  'module-import.ts': 'test/architecture/manifests.test.ts loads every built-in plugin through it',
  'outside-changes.ts': 'test/kernel/changes.test.ts, through testKernel',
  'own-services.ts': 'test/kernel/kernel.test.ts, through testKernel',
  'plugin-catalogue.ts': 'test/kernel/kernel.test.ts, through testKernel',
  'plugins-service.ts': 'test/kernel/kernel.test.ts, through testKernel',
  'problems.ts': 'test/kernel/kernel.test.ts, through testKernel',
  'run.ts': 'test/kernel/main.test.ts runs it as a process',
  'run-loaded.ts': 'test/kernel/main.test.ts runs it as a process',
  'settings-migration.ts': 'test/kernel/settings-migration.test.ts runs it as a process',
  'state.ts': 'test/kernel/state.test.ts, through testKernel',
  'stdout.ts': 'test/kernel/main.test.ts runs it as a process',
}

test('every kernel file is imported by a test of the kernel or proven by another way that is named', () => {
  const imported = tests
    .filter((file) => file.startsWith('test/kernel/'))
    .flatMap((file) => listImports(source(file)).map(({ specifier }) => posix.join(posix.dirname(file), specifier)))
  const unproven = filesBelow('kernel')
    .filter((file) => file.endsWith('.ts') && !imported.includes(file))
    .map((file) => posix.basename(file))
  expect(unproven.sort()).toEqual(Object.keys(provenBy).sort())
})

test('what proves a kernel file is there', () => {
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
