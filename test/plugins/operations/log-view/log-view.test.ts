/** Stories of people who look for what happened. */
import { appendFileSync, mkdirSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { Home } from 'svc/sdk'
import { type LogEntry, type LogFileState, LogFiles, Logs } from 'svc/sdk/operations'
import { type TestKernel, testKernel, type VirtualClock, virtualClock } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

const START = Date.UTC(2026, 0, 1)

function line(message: string, more: object = {}): string {
  return `${JSON.stringify({ time: new Date(START).toISOString(), level: 'info', plugin: 'cron', message, ...more })}\n`
}

async function open(text = '') {
  const clock = virtualClock(START)
  const kernel = await testKernel({ plugins: ['log-view'], clock })
  const file = kernel.use(Home).path('logs', 'svc.log')
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return { kernel, clock, file, logs: kernel.use(Logs), [Symbol.asyncDispose]: () => kernel[Symbol.asyncDispose]() }
}

async function show(kernel: TestKernel, ...args: string[]): Promise<string[]> {
  const { out, err, code } = await kernel.run(['logs', ...args])
  expect({ code, err }).toMatchObject({ code: 0 })
  return out.split('\n').filter(Boolean)
}

test('the newest entries are shown, oldest first, with their fields', async () => {
  await using at = await open(line('first') + line('second', { level: 'warn' }) + line('third', { job: 7 }))
  const shown = await show(at.kernel, '-n', '2')
  expect(shown).toHaveLength(2)
  expect(shown[0]).toMatch(/^2026-01-01 \d\d:00:00 {2}warn {3}cron {2}second$/)
  expect(shown[1]).toMatch(/info {3}cron {2}third {2}\{"job":7\}$/)
})

test('a stack is for programs: it is in the JSON and not in the text', async () => {
  await using at = await open(line('it failed', { error: { message: 'broken', stack: 'at somewhere' } }))
  expect((await show(at.kernel))[0]).toMatch(/it failed {2}\{"error":\{"message":"broken"\}\}$/)
  expect((await show(at.kernel, '--json'))[0]).toContain('at somewhere')
})

test('older parts of the file are read when the newest has too few', async () => {
  await using at = await open(line('new'))
  writeFileSync(`${at.file}.1`, line('older') + line('old'))
  writeFileSync(`${at.file}.2`, line('oldest'))
  const messages = async (limit: number) => (await at.logs.read({}, limit)).map(({ message }) => message)
  expect(await messages(2)).toEqual(['old', 'new'])
  expect(await messages(50)).toEqual(['oldest', 'older', 'old', 'new'])
  expect(await messages(0)).toEqual([])
})

test('filters by level, plugin, session, age and text may be combined', async () => {
  const ago = (ms: number) => ({ time: new Date(START - ms).toISOString() })
  const text = [
    line('a night', { ...ago(7_200_000), level: 'error' }),
    line('a job failed', { level: 'error', sessionId: '20260101_000000_ab12' }),
    line('a job waits', { level: 'debug', plugin: 'gateway' }),
    line('a note about session 20260101_000000_ab12x'),
  ]
  await using at = await open(text.join(''))
  const messages = async (...args: string[]) =>
    (await show(at.kernel, '--json', ...args)).map((each) => (JSON.parse(each) as LogEntry).message)
  expect(await messages('--level', 'error')).toEqual(['a night', 'a job failed'])
  expect(await messages('--level', 'ERROR', '--since', '1h')).toEqual(['a job failed'])
  expect(await messages('--component', 'gateway')).toEqual(['a job waits'])
  expect(await messages('--session', '20260101_000000_ab12')).toEqual(
    [text[1], text[3]].map((each) => readMessage(each)),
  )
  expect(await messages('--session', '0260101')).toEqual([])
  expect(await messages('--search', 'JOB', '--level', 'info')).toEqual(['a job failed'])
  expect(await messages('--since', '2026-01-01T00:00:00Z')).not.toContain('a night')
})

function readMessage(text = ''): string {
  return (JSON.parse(text) as { message: string }).message
}

test('lines that are no JSON of svc are entries without a level, at the time of the one before', async () => {
  await using at = await open(`${line('crash')}    at somewhere\n{"cut off`)
  const entries = await at.logs.read({}, 10)
  expect(entries.slice(1)).toEqual([
    { file: 'svc', at: START, message: '    at somewhere' },
    { file: 'svc', at: START, message: '{"cut off' },
  ])
  expect(await at.logs.read({ level: 'debug' }, 10)).toHaveLength(1)
})

test('nothing in a message reaches the terminal as a control character', async () => {
  await using at = await open(line('\u001b]0;title\u0007', { plugin: 'e\u001b[2Jvil', note: '\u009b31m' }))
  const { out } = await at.kernel.run(['logs'])
  expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
})

test('a plugin adds a file of its own, and one that was never written is empty', async () => {
  await using at = await open(line('hello'))
  await using kernel = await testKernel({
    plugins: ['log-view'],
    home: at.kernel.home,
    with: [
      {
        name: 'printer',
        setup: (ctx) => void ctx.add(LogFiles, { name: 'printer', title: 'Pages', path: ctx.use(Home).path('p.log') }),
      },
    ],
  })
  const { out } = await kernel.run(['logs', '--list', '--json'])
  const sizes = (JSON.parse(out) as LogFileState[]).map(({ name, size }) => [name, size])
  expect(sizes).toEqual(
    expect.arrayContaining([
      ['svc', line('hello').length],
      ['printer', 0],
    ]),
  )
  expect(sizes[0]?.[0]).toBe('svc')
  expect((await kernel.run(['logs', 'printer'])).err).toBe('The log is empty.\n')
})

test.for([
  [['nothing'], /There is no log "nothing". The logs are: svc/],
  [['--level', 'loud'], /--level loud is not valid: write debug, info, warn, error/],
  [['--since', 'lunch'], /--since lunch is not valid: write 30s/],
  [['-n', '-3'], /--lines -3 is not valid/],
] as const)('svc logs %j says what to write instead', async ([args, message]) => {
  await using at = await open()
  const { code, err } = await at.kernel.run(['logs', ...args])
  expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(message) })
})

/** Collects messages of a follower until it is stopped. */
function follow(logs: Logs, clock: VirtualClock) {
  const stopping = new AbortController()
  const messages: string[] = []
  const done = (async () => {
    for await (const { message } of logs.follow({}, stopping.signal)) messages.push(message)
  })()
  const look = () => clock.advance(1000)
  const stop = async () => {
    stopping.abort()
    await done
    return messages
  }
  return { messages, look, stop }
}

test('a file is followed through rotation, removal, emptying, and lines that are written in pieces', async () => {
  await using at = await open(line('before'))
  const follower = follow(at.logs, at.clock)
  await follower.look()
  appendFileSync(at.file, line('one'))
  await follower.look()
  const cut = line('twö ✓')
  const bytes = Buffer.from(cut)
  appendFileSync(at.file, bytes.subarray(0, bytes.length - 5))
  await follower.look()
  appendFileSync(at.file, bytes.subarray(bytes.length - 5))
  // Written between the last look and the rotation, and rotated twice at once.
  appendFileSync(at.file, line('three'))
  renameSync(at.file, `${at.file}.2`)
  writeFileSync(`${at.file}.1`, line('four'))
  writeFileSync(at.file, line('five'))
  await follower.look()
  rmSync(at.file)
  await follower.look()
  writeFileSync(at.file, line('six'))
  await follower.look()
  truncateSync(at.file)
  await follower.look()
  appendFileSync(at.file, line('seven'))
  await follower.look()
  expect(await follower.stop()).toEqual(['one', 'twö ✓', 'three', 'four', 'five', 'six', 'seven'])
})

test('a log that does not exist yet is followed from its first line', async () => {
  await using at = await open()
  rmSync(at.file)
  const follower = follow(at.logs, at.clock)
  await follower.look()
  writeFileSync(at.file, line('born'))
  await follower.look()
  expect(await follower.stop()).toEqual(['born'])
})

test('however lines, rotations and looks follow each other, each line comes once and in order', async () => {
  const step = fc.constantFrom('write', 'rotate', 'look')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      await using at = await open()
      const follower = follow(at.logs, at.clock)
      const written: string[] = []
      await follower.look()
      for (const each of steps) {
        if (each === 'look') await follower.look()
        else if (each === 'write') {
          written.push(`line ${written.length}`)
          appendFileSync(at.file, line(written.at(-1) ?? ''))
        } else {
          for (let part = 9; part > 0; part--) moveIfThere(`${at.file}.${part}`, `${at.file}.${part + 1}`)
          moveIfThere(at.file, `${at.file}.1`)
        }
      }
      await follower.look()
      expect(await follower.stop()).toEqual(written)
    }),
    { numRuns: 15 },
  )
})

function moveIfThere(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

test('a part that was written last before the wanted time is not read', async () => {
  await using at = await open(line('new'))
  writeFileSync(`${at.file}.1`, line('not read, although its time passes'))
  utimesSync(`${at.file}.1`, new Date(START - 1000), new Date(START - 1000))
  expect(await at.logs.read({ since: START }, 10)).toHaveLength(1)
})

test('svc logs -f shows the newest entries and then each new one, until it is interrupted', async () => {
  await using at = await open(line('before'))
  const stopping = new AbortController()
  const running = at.kernel.run(['logs', '-f', '--json'], { signal: stopping.signal })
  await at.clock.advance(1000)
  appendFileSync(at.file, line('after'))
  await at.clock.advance(1000)
  stopping.abort()
  const { out, code } = await running
  expect(code).toBe(0)
  expect(out.match(/"message":"\w+"/g)).toEqual(['"message":"before"', '"message":"after"'])
})
