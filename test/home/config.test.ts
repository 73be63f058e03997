import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ConfigStore } from '../../home/config.ts'
import { measureLoss } from '../../home/last-good.ts'
import { temporaryFolder, writeFiles } from '../support/temporary.ts'

/** A store over a home with these files, read once. */
async function open(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const home = temporaryFolder()
  writeFiles(home, files)
  const config = new ConfigStore(home, env)
  const changed = await config.load()
  const write = (path: string, text: string) => writeFileSync(join(home, path), text)
  return { home, config, changed, write }
}

test('values are found at their dotted path', async () => {
  const { config } = await open({ 'config.yaml': 'model:\n  default: small\n  sizes: [1, 2]\nfast: false\nzero: 0\n' })
  expect(config.get('model.default')).toBe('small')
  expect(config.get('model')).toEqual({ default: 'small', sizes: [1, 2] })
  expect(config.get('model.sizes.1')).toBe(2)
  expect([config.get('fast'), config.get('zero')]).toEqual([false, 0])
  for (const path of ['nothing', 'model.default.deeper', 'model.other', '']) expect(config.get(path)).toBeUndefined()
})

test('a home without a config file has no values and no problems', async () => {
  const { config, home, changed } = await open({})
  expect([config.get('model'), config.problems(), changed]).toEqual([undefined, [], []])
  expect(config.file).toBe(join(home, 'config.yaml'))
})

test.for(['', '\n\n', '# only a comment\n', '---\n'])(
  'a config file without values is no mistake: %j',
  async (text) => {
    const { config } = await open({ 'config.yaml': text })
    expect(config.problems()).toEqual([])
    expect(config.usable).toBe(true)
  },
)

test.for([
  ['config.yml', 'model: { default: small }\n'],
  ['config.json', '{ "model": { "default": "small" } }'],
] as const)('%s is read when there is no config.yaml', async ([name, text]) => {
  const { config, home } = await open({ [name]: text })
  expect(config.get('model.default')).toBe('small')
  expect(config.file).toBe(join(home, name))
})

test('config.yaml wins over the other names', async () => {
  const { config } = await open({ 'config.yaml': 'a: yaml\n', 'config.yml': 'a: yml\n', 'config.json': '{"a":"json"}' })
  expect(config.get('a')).toBe('yaml')
})

test('a reference becomes the value of the variable: of the environment first, else of .env', async () => {
  const text = 'url: http://${HOST}:${PORT}/v1\nlist: ["${HOST}", plain]\n'
  const { config } = await open({ 'config.yaml': text, '.env': 'HOST=from-file\nPORT=80\n' }, { HOST: 'from-env' })
  expect(config.get('url')).toBe('http://from-env:80/v1')
  expect(config.get('list')).toEqual(['from-env', 'plain'])
  expect(config.problems()).toEqual([])
})

test('a reference to nothing stays as written and is pointed out with what to type', async () => {
  const { config } = await open({ 'config.yaml': 'model:\n  keys: ["${NO_SUCH_KEY}"]\nprice: $5 and ${} and $HOME\n' })
  expect(config.get('model.keys.0')).toBe('${NO_SUCH_KEY}')
  expect(config.get('price')).toBe('$5 and ${} and $HOME')
  expect(config.problems()).toEqual([
    {
      severity: 'error',
      path: 'model.keys.0',
      message: 'NO_SUCH_KEY is not set',
      hint: 'svc config set NO_SUCH_KEY <value>',
    },
  ])
})

test('what a variable holds is a value, not again a reference', async () => {
  const { config } = await open({ 'config.yaml': 'a: ${OUTER}\n' }, { OUTER: '${INNER}', INNER: 'x' })
  expect(config.get('a')).toBe('${INNER}')
})

test('reading again tells which blocks differ', async () => {
  const { config, changed, write } = await open({ 'config.yaml': 'a: 1\nb: { c: 1 }\nd: 1\n' })
  expect(changed).toEqual(['a', 'b', 'd'])
  write('config.yaml', 'a: 1\nb: { c: 2 }\ne: 1\n')
  expect((await config.load()).sort()).toEqual(['b', 'd', 'e'])
  expect(await config.load()).toEqual([])
})

test('a change of .env reaches the values that refer to it', async () => {
  const { config, write } = await open({ 'config.yaml': 'a: "${KEY_NAME}"\nb: 1\n', '.env': 'KEY_NAME=one\n' })
  write('.env', 'KEY_NAME=two\n')
  expect(await config.load()).toEqual(['a'])
  expect(config.get('a')).toBe('two')
})

test('.env may be quoted and commented, and a missing one is no problem', async () => {
  const { config, home } = await open({ '.env': '# keys\nA_KEY="with blank"\nexport B_KEY=plain # why\n\n' })
  expect([config.secrets.get('A_KEY'), config.secrets.get('B_KEY')]).toEqual(['with blank', 'plain'])
  rmSync(join(home, '.env'))
  await config.load()
  expect(config.secrets.get('A_KEY')).toBeUndefined()
  expect(config.problems()).toEqual([])
})

test('a file that breaks while the program runs changes nothing, and the place of the mistake is told', async () => {
  const { config, write, home } = await open({ 'config.yaml': 'model:\n  default: small\n' })
  const broken = 'model:\n  default: "unfinished\nother: 1\n'
  write('config.yaml', broken)
  expect(await config.load()).toEqual([])
  expect(config.get('model.default')).toBe('small')
  const [problem] = config.problems()
  expect(problem).toMatchObject({ severity: 'error', path: '', line: expect.any(Number) })
  expect(problem?.message).toContain(join(home, 'config.yaml'))
  expect(problem?.message).toMatch(/line \d+, column \d+/)
  expect(problem?.hint).toContain('svc config edit')
  expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toBe(broken)
  write('config.yaml', 'model:\n  default: large\n')
  expect(await config.load()).toEqual(['model'])
  expect(config.problems()).toEqual([])
})

test('a new process goes by the last good file when the present one is broken, and says so', async () => {
  const { home, write } = await open({ 'config.yaml': 'model: { default: small }\n' })
  write('config.yaml', 'model: {')
  const fresh = new ConfigStore(home, {})
  await fresh.load()
  expect(fresh.get('model.default')).toBe('small')
  expect(fresh.usable).toBe(true)
  expect(fresh.problems().map(({ severity }) => severity)).toEqual(['error', 'warning'])
})

test('a copy that something else wrote or changed is not gone by', async () => {
  for (const plant of ['changed', 'new'] as const) {
    const { home, write } = await open({
      'config.yaml': plant === 'new' ? 'model: {' : 'approvals: { mode: manual }\n',
    })
    mkdirSync(join(home, 'cache'), { recursive: true })
    write('cache/config.last-good.yaml', 'approvals: { mode: off }\n')
    write('config.yaml', 'model: {')
    const fresh = new ConfigStore(home, {})
    await fresh.load()
    expect(fresh.get('approvals.mode'), plant).toBeUndefined()
    expect(fresh.usable, plant).toBe(false)
    expect(fresh.problems().at(-1)?.message, plant).toContain('not the copy that svc wrote')
  }
})

test('a copy that is gone by says when it was written', async () => {
  const { home, write } = await open({ 'config.yaml': 'model: { default: small }\n' })
  write('config.yaml', 'model: {')
  const fresh = new ConfigStore(home, {})
  await fresh.load()
  expect(fresh.problems().at(-1)?.message).toMatch(/last good config is used instead, of 20\d\d-\d\d-\d\dT/)
})

const settings = 'model: { default: small }\nbudget: { account: { day: { usd: 5 } } }\n'

test.each([
  ['gone', undefined],
  ['empty', ''],
  ['nothing but blanks and comments', '\n  # model: none\n'],
  ['cut within a line', 'model: { default: small }\nbudget: {}'.slice(0, 33)],
  ['cut within the first line', 'model:'],
] as const)('a config.yaml that is %s is reported, and its last good state holds', async (_what, text) => {
  const { home, config, write } = await open({ 'config.yaml': settings })
  if (text === undefined) rmSync(join(home, 'config.yaml'))
  else write('config.yaml', text)
  const fresh = new ConfigStore(home, {})
  for (const store of [config, fresh, new ConfigStore(home, {})]) {
    await store.load()
    expect(store.get('budget.account.day.usd')).toBe(5)
    expect(store.usable).toBe(true)
    expect(store.problems()[0]).toMatchObject({
      severity: 'error',
      message: expect.stringMatching(/config\.yaml is (gone|empty or was cut off)/),
      hint: 'svc config restore, or svc config accept if it is meant',
    })
    expect(await store.lost()).toMatchObject({ text: settings })
  }
})

test('a config.yaml that shrinks to less than half holds, is reported, and is not the last good one', async () => {
  const much = `${settings}${'# a line of words\n'.repeat(20)}`
  const { home, config, write } = await open({ 'config.yaml': much })
  write('config.yaml', 'model: { default: large }\n')
  await config.load()
  expect(config.get('model.default')).toBe('large')
  expect(config.problems()).toMatchObject([{ severity: 'warning', message: expect.stringContaining('much less') }])
  write('config.yaml', '')
  const fresh = new ConfigStore(home, {})
  await fresh.load()
  expect(await fresh.lost()).toMatchObject({ text: much })
})

test('a config.yaml whose end a person deleted is a good one', async () => {
  const { config, write } = await open({ 'config.yaml': settings })
  write('config.yaml', 'model: { default: small }\n')
  await config.load()
  expect(config.problems()).toEqual([])
  expect(config.get('budget')).toBeUndefined()
})

test('what svc is about to write may be as small as it likes', async () => {
  for (const text of [undefined, '', '{}\n']) {
    const { home, config, write } = await open({ 'config.yaml': settings })
    config.beforeWrite(text)
    if (text === undefined) rmSync(join(home, 'config.yaml'))
    else write('config.yaml', text)
    await config.load()
    expect(config.problems()).toEqual([])
    expect(config.get('model')).toBeUndefined()
  }
})

test('a cut text is told from a short one wherever it is cut', () => {
  const good = { text: settings, blocks: ['model', 'budget'] }
  fc.assert(
    fc.property(fc.nat({ max: settings.length }), (at) => {
      const text = settings.slice(0, at)
      const isWhole = text.trim() === settings.trim()
      const endsWithLine = text.endsWith('\n')
      expect(measureLoss({ text, blocks: ['model'] }, good)).toBe(isWhole || (endsWithLine && at > 0) ? 'none' : 'all')
    }),
  )
})

test('a broken file without a good one before it leaves nothing to go by', async () => {
  const { config } = await open({ 'config.yaml': 'model: {' })
  expect(config.usable).toBe(false)
  expect(config.problems()).toHaveLength(1)
})

test.for([
  ['- a list\n', 'keys and values'],
  ['just text\n', 'keys and values'],
  ['a: 1\na: 2\n', 'unique'],
  ['a: *nowhere\n', 'nowhere'],
  ['a:\n\t- tab\n', ''],
] as const)('a file that holds no keys and values is refused: %j', async ([text, said]) => {
  const { config } = await open({ 'config.yaml': text })
  expect(config.problems()).toMatchObject([{ severity: 'error', message: expect.stringContaining(said) }])
})

test.skipIf(process.getuid?.() === 0)('a file that may not be read is told as such', async () => {
  const { config, home } = await open({ 'config.yaml': 'a: 1\n' })
  chmodSync(join(home, 'config.yaml'), 0o000)
  expect(await config.load()).toEqual([])
  expect(config.problems()).toMatchObject([{ message: expect.stringContaining('cannot be read') }])
})

test('a folder in the place of config.yaml or .env is told, not stumbled over', async () => {
  const home = temporaryFolder()
  writeFiles(home, { 'config.yaml/x': '', '.env/x': '' })
  const config = new ConfigStore(home, {})
  await config.load()
  expect(config.problems().map(({ message }) => message)).toEqual([
    expect.stringContaining('.env cannot be read'),
    expect.stringContaining('config.yaml cannot be read'),
  ])
})

test('blocks that no one owns are pointed out, those of plugins and the kernel are not', async () => {
  const { config } = await open({
    'config.yaml': 'plugins: {}\nmodel: {}\nterminal: {}\nmodle: {}\nconfig_version: 1\n',
  })
  expect(config.unknownBlocks(['model', 'terminal.shell'])).toMatchObject([{ severity: 'warning', path: 'modle' }])
})

test('what an embedding program configures stands in for the file', async () => {
  const home = temporaryFolder()
  writeFiles(home, { 'config.yaml': 'a: file\nb: file\n' })
  const config = new ConfigStore(home, { NAME: 'x' }, { a: '${NAME}' })
  await config.load()
  expect([config.get('a'), config.get('b')]).toEqual(['x', undefined])
})
