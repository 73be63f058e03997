import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { applyFixed, getAtPath, isFixedAt } from 'svc/sdk/host'
import { expect, test } from 'vitest'
import { machinePlace, readMachine } from '../../home/machine-config.ts'
import { bootUnder, kernelUnder, machineWith, runUnder } from '../support/machine.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

const rules = 'approvals: { mode: manual }\nplugins: { required: [agent] }\nnote: ${HOME_NOTE}\n'

/** A home, and a profile of it, that would like other values. */
function home(): string {
  const dir = temporaryFolder()
  const config = 'approvals: { mode: off, other: 1 }\nplugins: { required: [], disabled: [x] }\nnote: mine\n'
  writeFiles(dir, { 'config.yaml': config, 'profiles/work/config.yaml': config, '.env': 'HOME_NOTE=from-env\n' })
  return dir
}

test.for([
  ['a home', {}],
  ['a profile', { profile: 'work' }],
  ['what a program configures', { config: { approvals: { mode: 'off', other: 1 }, plugins: { disabled: ['x'] } } }],
  ['variables', { env: { HOME_NOTE: 'x', ProgramData: '/tmp', XDG_CONFIG_DIRS: '/tmp', SVC_MACHINE: '/tmp' } }],
] as const)('the layer of the machine wins over %s, leaf by leaf', async ([, more]) => {
  const { config } = await bootUnder({ machine: machineWith(rules), home: home(), ...more })
  expect(config.get('approvals')).toEqual({ mode: 'manual', other: 1 })
  expect(config.get('plugins')).toEqual({ required: ['agent'], disabled: ['x'] })
  expect(config.get('note')).toBe('${HOME_NOTE}')
  expect(config.fixes('approvals.mode')).toBe(true)
  expect(config.fixes('approvals')).toBe(true)
  expect(config.fixes('approvals.other')).toBe(false)
})

test('it wins over a config.yaml that is broken, and over one that is read again', async () => {
  const dir = home()
  writeFiles(dir, { 'config.yaml': 'approvals: {' })
  const { config } = await bootUnder({ machine: machineWith(rules), home: dir })
  expect(config.get('approvals.mode')).toBe('manual')
  writeFiles(dir, { 'config.yaml': 'approvals: { mode: smart }\n' })
  await config.load()
  expect(config.get('approvals.mode')).toBe('manual')
})

test('without the file nothing is fixed and nothing is said', async () => {
  const { config } = await bootUnder({ machine: { file: '/nowhere/at/all.yaml', owner: 0 }, home: home() })
  expect(config.get('approvals.mode')).toBe('off')
  expect(config.machine).toBeUndefined()
  expect(config.problems()).toEqual([])
})

const broken: [string, (file: string) => void, string][] = [
  ['is no YAML', (file) => writeFileSync(file, 'a: {'), 'line 1'],
  ['is a list', (file) => writeFileSync(file, '- a\n'), 'keys and values'],
  ['can be written by all', (file) => chmodSync(file, 0o666), 'written by others'],
  ['can be written by its group', (file) => chmodSync(file, 0o620), 'written by others'],
  ['lies in a folder that all can write', (file) => chmodSync(dirname(file), 0o777), 'written by others'],
  [
    'is a folder',
    (file) => {
      rmSync(file)
      mkdirSync(file)
    },
    'EISDIR',
  ],
]
test.skipIf(process.platform === 'win32').for(broken)(
  'a file of the machine that %s stops every turn, and config check says why',
  async ([, spoil, said]) => {
    const machine = machineWith(rules)
    spoil(machine.file)
    const kernel = await kernelUnder({ machine, home: home() }, ['config'])
    expect(kernel.unmet()).toMatchObject([{ plugin: '', reason: expect.stringContaining(said) }])
    const check = await runUnder({ machine }, ['config', 'check'])
    expect(check).toMatchObject({ code: 1, out: expect.stringContaining(machine.file) })
  },
)

test.skipIf(process.platform === 'win32')('a file of the machine of another owner is no policy', async () => {
  const machine = machineWith(rules)
  expect((await readMachine({ ...machine, owner: machine.owner + 1 }))?.problem).toContain('belongs to user')
  if (process.getuid?.() !== 0) return
  chownSync(machine.file, 4242, 4242)
  expect((await readMachine(machine))?.problem).toContain('belongs to user 4242')
})

test('the place of the file is fixed and its owner is root', () => {
  const file = process.platform === 'win32' ? 'C:\\ProgramData\\svc\\config.yaml' : '/etc/svc/config.yaml'
  expect(machinePlace).toEqual({ file, owner: 0 })
})

test('config says where a value comes from, and refuses to change what the machine fixed', async () => {
  const machine = machineWith('approvals: { mode: manual }\n')
  const dir = temporaryFolder()
  writeFiles(dir, { 'config.yaml': 'approvals: { mode: off }\nmodel: { provider: demo }\n' })
  const setting = { machine, home: dir }
  const shown = await runUnder(setting, ['config', 'show', '--origin'])
  expect(shown.out).toContain(`approvals.mode: manual (${machine.file}, fixed for this machine)\n`)
  expect(shown.out).toContain(`model.provider: demo (${join(dir, 'config.yaml')})\n`)
  const got = await runUnder(setting, ['config', 'get', 'approvals.mode'])
  expect(got).toMatchObject({ code: 0, out: 'manual\n', err: expect.stringContaining(machine.file) })
  for (const words of [
    ['set', 'approvals.mode', 'smart'],
    ['set', 'approvals', '{ mode: smart }'],
    ['unset', 'approvals.mode'],
  ]) {
    const refused = await runUnder(setting, ['config', ...words])
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('CONFIG_FIXED') })
    expect(refused.err).toContain(machine.file)
  }
  expect(readFileSync(join(dir, 'config.yaml'), 'utf8')).toContain('mode: off')
  expect(await runUnder(setting, ['config', 'set', 'model.provider', 'openai'])).toMatchObject({ code: 0 })
})

test('switches that the machine fixed are not changed by svc plugins', async () => {
  const machine = machineWith('plugins: { disabled: [tool-terminal] }\n')
  const refused = await runUnder({ machine }, ['plugins', 'enable', 'tool-terminal'])
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('CONFIG_FIXED') })
})

const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.integer()))
const { tree } = fc.letrec((tie) => ({
  tree: fc.dictionary(fc.constantFrom('a', 'b', '__proto__', 'toString'), fc.oneof({ maxDepth: 3 }, leaf, tie('tree'))),
}))

test('whatever lies below: each leaf of the upper layer holds, and everything else stays', () => {
  const leaves = (value: unknown, path: string[] = []): string[][] => {
    const isMapping = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isMapping ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, [...path, key])) : [path]
  }
  fc.assert(
    fc.property(tree, tree, (below, above) => {
      const both = applyFixed(below, above)
      for (const path of leaves(above)) {
        expect(getAtPath(both, path)).toEqual(getAtPath(above, path))
        expect(isFixedAt(above, path)).toBe(true)
      }
      for (const path of leaves(below))
        if (!isFixedAt(above, path)) expect(getAtPath(both, path)).toEqual(getAtPath(below, path))
    }),
  )
})
