import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { SecretTable } from '../../home/secrets.ts'
import { type Level, Log, type LogOptions } from '../../program/log.ts'
import { temporaryFolder } from '../support/temporary.ts'

const dotenv = {}
const secrets = new SecretTable({ A_KEY: 'sk-very-secret' }, () => dotenv)

function open(options: Partial<LogOptions> = {}) {
  const file = join(temporaryFolder(), 'logs/svc.log')
  const log = new Log({ file, clock: virtualClock(), secrets, ...options })
  const lines = () => readFileSync(file, 'utf8').trimEnd().split('\n')
  return { file, log, lines, entries: () => lines().map((line) => JSON.parse(line) as Record<string, unknown>) }
}

test('one event is one line of JSON with time, level, plugin and fields', () => {
  const { log, entries } = open()
  log.for('agent').info('turn ended', { turn: 't1', tokens: 12 })
  expect(entries()).toEqual([
    { time: '2026-01-01T00:00:00.000Z', level: 'info', plugin: 'agent', message: 'turn ended', turn: 't1', tokens: 12 },
  ])
})

test('a message with line breaks is still one line', () => {
  const { log, lines } = open()
  log.for('agent').warn('first\nsecond\r\nthird')
  expect(lines()).toHaveLength(1)
})

test.for([
  ['debug', 4],
  [undefined, 3],
  ['warn', 2],
  ['error', 1],
] as const)('with level %s, %i of the four levels are written', ([level, count]) => {
  const { log, lines } = open(level ? { level } : {})
  for (const each of ['debug', 'info', 'warn', 'error'] as const) log.for('x')[each](each)
  expect(lines()).toHaveLength(count)
})

test('a level that does not exist does not silence the log', () => {
  const { log, lines } = open({ level: 'verbose' as Level })
  log.for('x').debug('d')
  log.for('x').info('i')
  expect(lines()).toHaveLength(1)
})

test('secrets are masked wherever they stand', () => {
  const { log, file } = open()
  const error = new Error('401 for sk-very-secret', { cause: new Error('key sk-very-secret') })
  log.for('x').error('sk-very-secret failed', { headers: { key: 'Bearer sk-very-secret' }, error })
  expect(readFileSync(file, 'utf8')).not.toContain('very-secret')
  expect(readFileSync(file, 'utf8')).toContain('***')
})

test('a secret at the place where a long line is cut leaves no half of itself behind', () => {
  const { log, file } = open()
  for (let length = 16_200; length < 16_400; length++) log.for('x').info(`${'-'.repeat(length)}sk-very-secret`)
  expect(readFileSync(file, 'utf8').includes('sk-very')).toBe(false)
})

test('a secret with line breaks and quotes is masked too, although JSON writes them in another way', () => {
  const key = '-----BEGIN KEY-----\nab"cd\\ef\n-----END KEY-----'
  const { log, file } = open({ secrets: new SecretTable({ SSH_KEY: key }, () => ({})) })
  log.for('x').info('read', { key: `the key: ${key}` })
  expect(readFileSync(file, 'utf8')).not.toContain('BEGIN')
})

test('an error is written with its stack and its causes', () => {
  const { log, entries } = open()
  log.for('x').error('it failed', { error: new Error('outer', { cause: new Error('inner') }) })
  expect(entries()[0]?.['error']).toMatchObject({
    message: 'outer',
    stack: expect.stringContaining('log.test.ts'),
    cause: { message: 'inner' },
  })
})

test('a line is bounded, and stays readable JSON', () => {
  const { log, lines, entries } = open()
  log.for('x').info('big', { text: 'y'.repeat(1_000_000) })
  expect(lines()[0]?.length).toBeLessThan(17_000)
  expect(entries()[0]).toMatchObject({ message: 'big', plugin: 'x' })
})

test('fields that are no plain data do not break the program', () => {
  const { log, entries } = open()
  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  const getter = {
    get odd(): string {
      throw new Error('no')
    },
  }
  const fields = [circle, { big: 10n }, { fn: () => 1, und: undefined }, getter]
  for (const each of fields) expect(() => log.for('x').info('odd', each)).not.toThrow()
  expect(entries()).toHaveLength(fields.length)
})

test('a full file makes room: the newest is svc.log, three older ones are kept', () => {
  const { log, file } = open()
  const text = 'z'.repeat(16_000)
  for (let megabytes = 0; megabytes < 30; megabytes++)
    for (let n = 0; n < 66; n++) log.for('x').info(`${megabytes}`, { text })
  expect(readdirSync(join(file, '..')).sort()).toEqual(['svc.log', 'svc.log.1', 'svc.log.2', 'svc.log.3'])
  for (const name of ['', '.1', '.2', '.3']) expect(statSync(file + name).size).toBeLessThanOrEqual(5.1 * 2 ** 20)
  const first = (name: string) => Number(JSON.parse(readFileSync(name, 'utf8').split('\n')[0] ?? '').message)
  expect(first(file)).toBeGreaterThan(first(`${file}.1`))
  expect(first(`${file}.1`)).toBeGreaterThan(first(`${file}.3`))
})

test.skipIf(process.platform === 'win32')('the log is for its user only', () => {
  const { log, file } = open()
  log.for('x').info('hi')
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a log that cannot be written is said once, and the program continues', () => {
  const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => said.mockRestore())
  const { log, file } = open()
  mkdirSync(file, { recursive: true })
  for (let n = 0; n < 3; n++) log.for('x').error('lost')
  expect(said).toHaveBeenCalledTimes(1)
  expect(said.mock.calls[0]?.[0]).toContain(file)
})

test('without a file nothing is kept, but errors are told to anyone who wants to know', () => {
  const onError = vi.fn()
  const log = new Log({ file: undefined, clock: virtualClock(), secrets, onError })
  log.for('agent').info('fine')
  log.for('agent').error('sk-very-secret was refused')
  expect(onError.mock.calls).toEqual([['agent', '*** was refused']])
})

test('nothing is made on disk before there is something to say', () => {
  const { file } = open()
  expect(existsSync(join(file, '..'))).toBe(false)
})
