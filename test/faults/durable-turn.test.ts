/** A turn of thirty tool calls is killed between any two of its records, and continued with by the next process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Sessions } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { removeFolder } from '../support/remove-folder.ts'
import { IS_ALL, isToday } from '../support/today.ts'

/** A sixth of the records a day. `SVC_FAULTS=all`: each, and some that are killed twice. */
const RUNS = IS_ALL ? 200 : 14
const script = join(import.meta.dirname, 'durable-turn-child.mjs')

async function child(home: string, ...args: readonly string[]) {
  const running = spawn(process.execPath, [script, home, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: {} })
  const [out, err] = [text(running.stdout), text(running.stderr)]
  const [code, signal] = (await once(running, 'close')) as [number | null, string | null]
  const lines = (await out).split('\n').filter(Boolean)
  return { code, signal, err: await err, lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

function inHome<T>(work: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'svc-durable-'))
  return work(home).finally(() => removeFolder(home))
}

/** How often each tool of each round took effect; an idempotent one with the same key counts once. */
function effects(home: string): Map<string, number> {
  const lines = readFileSync(join(home, 'effects.log'), 'utf8').split('\n').filter(Boolean)
  const counted = new Set<string>()
  const counts = new Map<string, number>()
  for (const line of lines) {
    const [name = '', round = '', key = ''] = line.split(' ')
    const isRepeated = name !== 'push' && counted.has(key)
    counted.add(key)
    if (!isRepeated) counts.set(`${name} ${round}`, (counts.get(`${name} ${round}`) ?? 0) + 1)
  }
  return counts
}

/** Where a process dies: right before the record with this number is written, or right after it is committed. */
interface Kill {
  readonly at: number
  readonly when: 'before' | 'after'
}

/** The first process runs the turn and each other one continues with it; the last one lives. */
async function survive(kills: readonly Kill[]): Promise<void> {
  await inHome(async (home) => {
    const story = kills.map(({ at, when }) => `killed ${when} record ${at}`).join(', ')
    for (const [index, { at, when }] of kills.entries()) {
      const killed = await child(home, index === 0 ? 'run' : 'resume', String(at), when)
      expect(killed, `${story} ${killed.err}`).toMatchObject({ signal: 'SIGKILL' })
    }
    const resumed = await child(home, 'resume', '0')
    expect(resumed, `${story} ${resumed.err}`).toMatchObject({ code: 0 })
    // What was never committed was never begun; the second record may come in the same round of the event loop as the first.
    const [first] = kills
    if (first?.when === 'before' && first.at <= 2 && resumed.lines.length === 1)
      return expect(existsSync(join(home, 'effects.log')), story).toBe(false)
    const counts = effects(home)
    for (let round = 0; round < 10; round++) {
      expect(counts.get(`look ${round}`), `look ${round}: ${story}`).toBe(1)
      expect(counts.get(`put ${round}`), `put ${round}: ${story}`).toBe(1)
      expect(counts.get(`push ${round}`) ?? 0, `push ${round}: ${story}`).toBeLessThanOrEqual(1)
    }
    await using kernel = await testKernel({ home, plugins: ['sessions'] })
    const [summary] = kernel.use(Sessions).list()
    const session = kernel.use(Sessions).open(summary?.id ?? '')
    expect(session.events().at(-1), story).toMatchObject({ type: 'turn.end', reason: 'completed' })
    expect(session.messages().at(-1)?.text, story).toMatch(/Step 10\. $/)
  })
}

/** Killed, and killed again while it is continued with. */
function killTwice(at: number, second: number): Kill[] {
  return [
    { at, when: 'after' },
    { at: second, when: 'before' },
  ]
}

/** `count` of them, evenly. */
function spread<T>(all: readonly T[], count: number): T[] {
  return all.filter(
    (_, index) => Math.floor((index * count) / all.length) !== Math.floor(((index - 1) * count) / all.length),
  )
}

test(`kill -9 between any two records of a thirty-tool turn: it completes, and nothing is done twice (${RUNS} runs)`, async () => {
  const records = await inHome(async (home) => {
    const { code, lines, err } = await child(home, 'run', '0')
    expect(code, err).toBe(0)
    expect([...effects(home).values()].every((count) => count === 1)).toBe(true)
    return Number(lines.at(-1)?.['records'])
  })
  const points = Array.from({ length: records }, (_, index) => index + 1)
  const kills = (when: Kill['when']) => points.map((at) => [{ at, when }] satisfies Kill[])
  const twice = points.slice(2, -10).flatMap((at) => [1, 2, 3, 4].map((second) => killTwice(at, second)))
  const once = [...kills('after'), ...kills('before')].filter((_, index) => isToday(index, 9))
  const queue = [...once, ...spread(twice, RUNS - once.length)]
  expect(queue).toHaveLength(RUNS)
  let passed = 0
  const worker = async () => {
    for (let kills = queue.shift(); kills; kills = queue.shift()) {
      await survive(kills)
      passed++
    }
  }
  await Promise.all(Array.from({ length: Math.min(3, availableParallelism()) }, worker))
  console.log(`${passed} of ${RUNS} runs passed; the turn has ${records} records`)
  expect(passed).toBe(RUNS)
}, 600_000)

test('a turn that was resumed twice and crashed again is closed with an explanation', async () => {
  await inHome(async (home) => {
    expect(await child(home, 'run', '20', 'after')).toMatchObject({ signal: 'SIGKILL' })
    expect(await child(home, 'resume', '8', 'after')).toMatchObject({ signal: 'SIGKILL' })
    expect(await child(home, 'resume', '8', 'after')).toMatchObject({ signal: 'SIGKILL' })
    const closed = await child(home, 'resume', '0')
    expect(closed.lines).toMatchObject([{ type: 'turn.end', reason: 'crashed' }, {}])
    await using kernel = await testKernel({ home, plugins: ['sessions'] })
    const [summary] = kernel.use(Sessions).list()
    const events = kernel
      .use(Sessions)
      .open(summary?.id ?? '')
      .events()
    expect(events.filter(({ type }) => type === 'turn.resume')).toMatchObject([{ attempt: 1 }, { attempt: 2 }])
    expect(events.filter(({ type }) => type === 'error')).toMatchObject([{ code: 'TURN_CRASHED' }])
    expect([...effects(home)].filter(([name]) => name.startsWith('push')).every(([, count]) => count === 1)).toBe(true)
  })
})
