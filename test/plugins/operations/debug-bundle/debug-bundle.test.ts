/** Stories of bug reports: what is in a bundle, and what must never be. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { unzipSync } from 'fflate'
import { type Message, Secrets, Sessions } from 'svc/sdk'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'
import { talk } from '../../sessions/sessions-cli/support.ts'

const START = Date.UTC(2026, 0, 1)

const line = (message: string, more: object = {}) =>
  `${JSON.stringify({ time: new Date(START).toISOString(), level: 'warn', plugin: 'cron', message, ...more })}\n`

async function open(files: Record<string, unknown> = {}, env: Record<string, string> = {}, others = ['sessions']) {
  const place = temporaryFolder()
  const home = join(place, 'home')
  mkdirSync(home, { mode: 0o700 })
  writeFiles(home, files)
  const clock = virtualClock(START)
  const kernel = await testKernel({ plugins: ['debug-bundle', ...others], home, clock, env: { HOME: place, ...env } })
  onTestFinished(() => kernel.stop())
  const share = async (...words: string[]) => {
    const said = await kernel.run(['debug', 'share', ...words], { cwd: place })
    return { ...said, file: join(place, 'svc-debug-2026-01-01-000000.zip') }
  }
  return { kernel, home, place, share }
}

function unpack(file: string): Record<string, string> {
  const entries = Object.entries(unzipSync(readFileSync(file)))
  return Object.fromEntries(entries.map(([name, data]) => [name, Buffer.from(data).toString('utf8')]))
}

test('a bundle has what a report needs, is for its owner only, and the command says what is in it', async () => {
  const { kernel, share, place } = await open({
    'config.yaml': '# my comment\nmodel:\n  provider: demo\nplugins:\n  enabled: [missing-one]\n',
    'logs/svc.log': line('a job failed', { job: 7 }),
    'skills/a/SKILL.md': 'A skill about gardens',
  })
  talk(kernel.use(Sessions), ['hi'])
  const { code, out, err, file } = await share()
  expect({ code, err }).toEqual({ code: 0, err: '' })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const files = unpack(file)
  expect(Object.keys(files).sort()).toEqual(
    [
      'README.txt',
      'config.yaml',
      'databases.json',
      'doctor.json',
      'logs/svc.jsonl',
      'plugins.json',
      'system.json',
    ].sort(),
  )
  for (const name of Object.keys(files)) if (name !== 'README.txt') expect(out).toContain(name)
  expect(out).toContain(file)
  expect(out).toContain('Not in it')
  expect(files['config.yaml']).toContain('provider: demo')
  expect(files['config.yaml']).not.toContain('my comment')
  expect(JSON.parse(files['system.json'] ?? '')).toMatchObject({ svc: '0.2.0', node: process.version })
  expect(JSON.stringify(JSON.parse(files['doctor.json'] ?? ''))).toContain('missing-one')
  const { plugins } = JSON.parse(files['plugins.json'] ?? '') as { plugins: { plugin: string; status: string }[] }
  expect(plugins).toContainEqual(expect.objectContaining({ plugin: 'debug-bundle', status: 'started' }))
  const [database] = JSON.parse(files['databases.json'] ?? '') as { path: string; schema: number }[]
  expect(database).toMatchObject({ path: 'data/sessions/sessions.db', schema: expect.any(Number) })
  expect(JSON.parse(files['logs/svc.jsonl'] ?? '')).toMatchObject({ message: 'a job failed', fields: { job: 7 } })
  expect(JSON.stringify(files)).not.toContain(place)
  const again = await share()
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining('DEBUG_TARGET') })
})

test('as JSON, with a file and a number of lines', async () => {
  const { share, place } = await open({ 'logs/svc.log': line('one') + line('two') + line('three') })
  const { out } = await share('--out', 'mine.zip', '--lines', '2', '--json')
  expect(JSON.parse(out)).toMatchObject({ ok: true, file: join(place, 'mine.zip'), missing: [] })
  const log = unpack(join(place, 'mine.zip'))['logs/svc.jsonl'] ?? ''
  expect(log.split('\n').filter(Boolean)).toHaveLength(2)
  for (const wrong of ['many', '1e9'])
    expect(await share('--lines', wrong)).toMatchObject({ code: 1, err: expect.stringContaining('DEBUG_OPTION') })
  const lost = await share('--out', 'no/folder/x.zip')
  expect(lost).toMatchObject({ code: 1, err: expect.stringContaining('DEBUG_TARGET') })
})

test('a config.yaml that cannot be parsed is named and not shown; the others are in the bundle', async () => {
  const { share, home } = await open({ 'logs/svc.log': line('refused for inline-key-4711-abc') })
  writeFileSync(join(home, 'config.yaml'), 'model: [\n  api_key: inline-key-4711-abc\n')
  const { code, out, file } = await share()
  expect(code).toBe(0)
  expect(out).toMatch(/Could not be collected:\n {2}config\.yaml/)
  const files = unpack(file)
  expect(files['config.yaml']).toBeUndefined()
  expect(files['doctor.json']).toContain('config.yaml')
  expect(JSON.stringify(files)).not.toContain('inline-key-4711')
})

test('without the conversations no log is in the bundle, because it may repeat them', async () => {
  const log = line('the model was asked: where is the key of the safe?')
  const { share } = await open({ 'config.yaml': 'plugins:\n  disabled: [sessions]\n', 'logs/svc.log': log }, {}, [])
  const { code, out, file } = await share()
  expect(code).toBe(0)
  expect(out).toMatch(/Could not be collected:\n {2}logs: conversations cannot be read/)
  expect(Object.keys(unpack(file)).filter((name) => name.startsWith('logs/'))).toEqual([])
})

test('memories, lines of other programs, mail addresses, and keys that were replaced since are not in it', async () => {
  const { share } = await open({
    'memories/USER.md': 'The user is afraid of spiders and heights.\n',
    'logs/svc.log':
      line('wrote: The user is afraid of spiders and heights.') +
      'a line that something else wrote: raw text\n' +
      line('401 for Bearer abcdefghijklmnop1234, sk-proj-abcdefghijklmnopqrstuv and https://me:pass99word@host/x') +
      line('delivered to anna.smith@example.org'),
  })
  const { code, file } = await share()
  expect(code).toBe(0)
  const text = JSON.stringify(unpack(file))
  for (const secret of ['spiders', 'raw text', 'abcdefghijklmnop', 'pass99word', 'anna.smith'])
    expect(text, secret).not.toContain(secret)
  expect(text).toContain('delivered to')
})

const secret = fc
  .tuple(
    fc.string({ minLength: 14, maxLength: 24, unit: fc.constantFrom(...'abcdefghjkmnpqrstuvwxyz') }),
    fc.integer({ min: 1000, max: 99_999 }),
  )
  .map(([letters, number]) => `${letters.slice(0, 7)}${number}${letters.slice(7)}`)
const said = fc
  .array(fc.string({ minLength: 3, maxLength: 9, unit: fc.constantFrom(...'abcdefghilmnoprstuvwz') }), {
    minLength: 4,
    maxLength: 12,
  })
  .map((words) => words.join(' '))

const spellings = (value: string): string[] => [
  ...[value, encodeURIComponent(value), Buffer.from(value).toString('base64'), Buffer.from(value).toString('hex')],
  Buffer.from(`key=${value};`).toString('base64'),
]

test(
  'no secret in any of its spellings and no text of a session is in any file of a bundle',
  { timeout: 120_000 },
  () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(secret, { minLength: 5, maxLength: 5 }),
        fc.array(said, { minLength: 4, maxLength: 6 }),
        async (secrets, texts) => {
          const [inEnv = '', inFile = '', inSettings = '', protectedOne = '', plain = ''] = secrets
          const { kernel, share, place } = await open(
            {
              'config.yaml': `model:\n  provider: custom\n  api_key: ${inSettings}\ndisplay:\n  note: "${inFile} ${plain}"\n`,
              '.env': `OTHER_API_KEY=${inFile}\nPLAIN=${plain}\n`,
            },
            { SOME_TOKEN: inEnv },
          )
          kernel.use(Secrets).protect(protectedOne)
          const [title = '', question = '', answer = '', input = ''] = texts
          const messages: Message[] = [
            { role: 'user', text: question },
            { role: 'assistant', text: answer, toolCalls: [{ id: 'c1', name: 'x', input: { note: { text: input } } }] },
            { role: 'tool', callId: 'c1', text: texts.slice(4).join('\n') || question },
          ]
          talk(kernel.use(Sessions), messages, { title })
          mkdirSync(join(place, 'home/logs'), { recursive: true })
          const all = [...secrets.flatMap(spellings), ...texts]
          writeFileSync(
            join(place, 'home/logs/svc.log'),
            [
              ...all.map((each) => line(`refused: "${each}" (400)`)),
              ...all.map((each) =>
                line('failed', { error: { body: JSON.stringify({ text: each }), stack: `at ${each}` } }),
              ),
            ].join(''),
          )
          const { code, file, out } = await share('--lines', '1000')
          expect(code).toBe(0)
          const shown = `${JSON.stringify(unpack(file))}${out}`
          for (const each of all) expect(shown).not.toContain(each)
          expect(existsSync(file)).toBe(true)
          expect(unpack(file)['logs/svc.jsonl']).toContain('refused')
        },
      ),
      { numRuns: 5, endOnFailure: true },
    ),
)
