/** What must happen in one place only, so that nothing can pass it by. */
import { expect, test } from 'vitest'
import { read, rooms, sourcesBelow } from '../support/repository.ts'
import { getLineNumber, getName, type Node, parse, type Source, source, walk } from '../support/syntax.ts'

/** Calls of a method of this name on something of this name. */
function calls({ path, text, tree }: Source, on: RegExp, method: string): string[] {
  return [...walk(tree)].flatMap(({ node }) => {
    const callee = node['callee'] as Node | undefined
    if (node.type !== 'CallExpression' || callee?.type !== 'MemberExpression') return []
    const object = callee['object'] as Node
    const owner = getName(object) ?? getName(object['property'] as Node)
    const isMeant = getName(callee['property'] as Node) === method && on.test(owner ?? '')
    return isMeant ? [`${path}:${getLineNumber(text, node.start)}`] : []
  })
}

const product = sourcesBelow(...rooms, 'sdk', 'plugins').filter(
  (file) => !file.startsWith('sdk/testing') && !file.includes('/stand-in/'),
)

test('a model provider is asked in one place', () => {
  const places = product.flatMap((file) => calls(source(file), /provider$/i, 'stream'))
  expect(places.map((place) => place.split(':')[0])).toEqual(['plugins/agent/model-calls/begin-call.ts'])
})

test('the rule sees a provider under any of its names', () => {
  const found = (code: string) => calls(parse('plugins/x/y.ts', code), /provider$/i, 'stream')
  expect(found('provider.stream(request)')).toEqual(['plugins/x/y.ts:1'])
  expect(found('choice.provider.stream(request)')).toEqual(['plugins/x/y.ts:1'])
  expect(found('modelProvider.stream(r)')).toEqual(['plugins/x/y.ts:1'])
  expect(found('markdown.stream()')).toEqual([])
})

/** Signs of an implementation, and the only files that may have one. */
const IMPLEMENTATIONS: Readonly<Record<string, { readonly sign: RegExp; readonly files: readonly string[] }>> = {
  'the identity of a process': { sign: /boot_id|\blstart\b/, files: ['sdk/kit/process/identity.ts'] },
  'asking whether a process id is in use': {
    sign: /process\.kill\([^()]+, 0\)/,
    files: ['sdk/kit/process/identity.ts'],
  },
  'a lock file that names its holder': { sign: /hostname\(\)/, files: ['sdk/kit/process/lock-holder.ts'] },
  'making text safe for a terminal': {
    sign: /u202a|u2066/,
    // The layout of the full screen keeps tab stops and drops whole sequences; the scan of skills finds what hides a text.
    files: [
      'plugins/skills/skill-scan/text/characters.ts',
      'plugins/terminal-ui/typography/clean-text.ts',
      'sdk/kit/terminal/safe-text.ts',
    ],
  },
  'waits that double': {
    sign: /(WAIT|RETRY|PAUSE)_MS \* 2 \*\*|\* 2 \*\* (attempt|tries|failures|Math)/i,
    files: ['sdk/kit/async/backoff.ts'],
  },
  'replacing a file in one step': {
    sign: /\bO_EXCL\b|svc-tmp/,
    files: ['sdk/kit/files/write-atomically.ts'],
  },
}

test.for(Object.entries(IMPLEMENTATIONS))('%s has one implementation', ([, { sign, files }]) => {
  expect(product.filter((file) => sign.test(read(file))).toSorted()).toEqual(files)
})
