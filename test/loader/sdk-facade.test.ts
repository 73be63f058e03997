import { expect, test } from 'vitest'
import { Seal } from '../../home/seal.ts'
import { stage } from '../../loader/bundle-plugin.ts'
import { acceptsOldNames, describeRename, readRenames, sdkAddress, sdkPaths } from '../../loader/sdk-facade.ts'
import { publicNames } from '../support/docs/api-report.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

const oldHooks = `import { MessageReceived, ToolCalling, definePlugin, service } from 'svc/sdk'
export default { ids: [MessageReceived.id, ToolCalling.id], made: service('box').id, define: typeof definePlugin }`

/** What a plugin for this range of the SDK exports, and the codes of the old names that it uses. */
async function load(
  sdk: string,
  code: string,
): Promise<{ readonly value: unknown; readonly codes: readonly string[] }> {
  const dir = temporaryFolder()
  writeFiles(dir, { 'index.ts': code, 'plugin.json': { name: 'acme', version: '1.0.0', sdk, description: 'Old.' } })
  const codes: string[] = []
  const address = await stage(dir, {
    cache: temporaryFolder(),
    seal: new Seal(temporaryFolder()),
    onTampered: () => {},
    onOldNames: (used) => codes.push(...used),
  })
  return { value: ((await import(address)) as { default: unknown }).default, codes }
}

test('a plugin for SDK 0.1 gets the tokens of today under the names of 0.1, and each old name is reported', async () => {
  const { value, codes } = await load('^0.1.0', oldHooks)
  expect(value).toEqual({ ids: ['message:received', 'tool:calling'], made: 'box', define: 'function' })
  const byCode = new Map(readRenames().map((each) => [each.code, each.old]))
  expect(codes.map((code) => byCode.get(code)).sort()).toEqual(['MessageReceived', 'ToolCalling', 'service'])
})

test('a plugin for SDK 0.1 that uses no renamed name is not warned', async () => {
  const { codes } = await load('^0.1.0', `import { Tools } from 'svc/sdk'\nexport default Tools.id`)
  expect(codes).toEqual([])
})

test('a plugin for SDK 0.2 gets the entry points, and no old name', async () => {
  const code = `import { BeforeToolCall } from 'svc/sdk'\nimport { Platforms } from 'svc/sdk/platform'
export default [BeforeToolCall.id, Platforms.id]`
  expect((await load('^0.2.0', code)).value).toEqual(['tool:calling', 'platforms'])
})

test.for([
  [
    'an old name',
    `\nimport { ToolCalling } from 'svc/sdk'\nexport default ToolCalling`,
    /index\.ts:2: ToolCalling is BeforeToolCall of svc\/sdk since SDK 0\.2 \(SVCDEP\d+\)\. svc plugins migrate \S+ rewrites/,
  ],
  [
    'a name of another entry point',
    `import { TurnEnded } from 'svc/sdk/platform'\nexport default TurnEnded`,
    /index\.ts:1: TurnEnded is exported by svc\/sdk, not by svc\/sdk\/platform/,
  ],
  [
    'a typo',
    `import {\n  definePlugin,\n  BeforeToolCal,\n} from 'svc/sdk'\nexport default definePlugin(BeforeToolCal)`,
    /index\.ts:3: svc\/sdk does not export BeforeToolCal; did you mean BeforeToolCall\?/,
  ],
  [
    'a typo in a name of another entry point',
    `import { Platfroms } from 'svc/sdk'\nexport default Platfroms`,
    /did you mean Platforms of svc\/sdk\/platform\?/,
  ],
  [
    'a name that is like no other',
    `import { Xyzzy123 } from 'svc/sdk'\nexport default Xyzzy123`,
    /exports no value Xyzzy123/,
  ],
] as const)('%s in a plugin for SDK 0.2 is explained with its file and line', async ([, code, message]) => {
  await expect(load('^0.2.0', code)).rejects.toThrow(message)
})

test.for([
  ['^0.1.0', true],
  ['>=0.1 <0.3', true],
  ['~0.1.2', true],
  ['^0.2.0', false],
  ['not a range', false],
] as const)('the range %s accepts names of SDK 0.1: %s', async ([range, accepts]) => {
  expect(await acceptsOldNames(range)).toBe(accepts)
})

test('each old name has a code of its own, in order without a gap, and leads to a name that exists', () => {
  const renames = readRenames()
  expect(renames.map(({ code }) => code)).toEqual(renames.map((_, at) => `SVCDEP${String(at + 1).padStart(3, '0')}`))
  expect(new Set(renames.map(({ old }) => old)).size).toBe(renames.length)
  const names = publicNames()
  const lost = renames.filter(({ new: name, entry }) => !names[entry]?.includes(name))
  expect(lost).toEqual([])
})

test('the report of an old name says what it is now, where it is exported and when it goes', () => {
  const find = (old: string) => readRenames().find((each) => each.old === old) ?? expect.unreachable(old)
  expect(describeRename('acme', find('ToolCalling'))).toMatch(
    /^SVCDEP\d{3} acme uses ToolCalling; it is BeforeToolCall since sdk 0\.2 and is removed in 0\.4; svc plugins migrate acme rewrites it\.$/,
  )
  expect(describeRename('acme', find('Access'))).toContain('it is exported by svc/sdk/safety since sdk 0.2')
})

test('every path of the SDK that a message names can be imported', () => {
  expect(sdkPaths()).toContain('svc/sdk/kit/stand-in')
  expect(sdkPaths().filter((path) => sdkAddress(path) === undefined)).toEqual([])
})
