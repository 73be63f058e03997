/** The full screen in a terminal of 120x40 beside the line mode of the same program, `svc --plain`, which is `bare` here. */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, svc } from './bench.ts'
import { type Comparison, compare } from './compare.ts'
import { Pty } from './pty.ts'
import { createRow, type Row, type Target } from './row.ts'
import type { Scenario } from './scenario.ts'
import { median, percentile } from './statistics.ts'

const DELTAS = 20_000
/** Deltas of an answer in a second, twenty times as fast as a fast model. */
const PACE = 4000
const MESSAGES = 10_000
const FEW_MESSAGES = 400
const KEYS = 60
/** That neither the answer nor the sequences of the screen have; none comes twice in a row. */
const plainKeys = ['&', '~', '^', '#']
const otherKeys = ['ж', 'é', 'ш', 'ö']
const KEY_GAP_MS = 25
const PAGES = 30
/** Streams take seconds: a fifth of the runs is enough for them. */
const LONG_SHARE = 5
/** Ends a picture (synchronized output, DEC mode 2026). */
const PICTURE = '\x1b[?2026l'
const PAGE_UP = '\x1b[5~'

/** How each way to talk shows that it waits for someone to type. */
const ways = {
  ours: { args: [], waits: 'Ask something' },
  bare: { args: ['--plain'], waits: '> ' },
} as const
type Way = keyof typeof ways

export async function measureTerminal(bench: Bench): Promise<Row[]> {
  const long = Math.ceil(bench.runs / LONG_SHARE)
  bench.progress(`${DELTAS} deltas in a terminal`)
  const fast = await streams(bench, { rounds: 0, deltas: DELTAS }, long)
  const paced = await streams(bench, { rounds: 0, deltas: DELTAS, pace: PACE }, long)
  bench.progress('keys while an answer streams')
  const typed = await echoes(bench, long)
  bench.progress('start in a terminal')
  const started = await starts(bench)
  bench.progress(`a conversation of ${MESSAGES} messages`)
  const crowd = await crowds(bench, long)
  const scrolled = await scrolls(bench, long)
  return [
    row('20,000 deltas in a terminal, CPU', 'ms', fast, 'cpu'),
    row('the same in five seconds, CPU', 'ms', paced, 'cpu'),
    { ...added(paced, (DELTAS / PACE) * 1000), failures: paced.failures },
    row('key to echo while it streams, median', 'ms', typed, 'median', { max: 16 }),
    row('key to echo while it streams, 95 %', 'ms', typed, 'most', { max: 16 }),
    row('the same, letters beyond ASCII', 'ms', typed, 'others', { max: 16 }),
    row('start to the first picture', 'ms', started, 'ms'),
    row('the same with 10,000 messages', 'ms', crowd, 'ms'),
    row('memory with 10,000 messages', 'MiB', crowd, 'mib'),
    row('a page up in 10,000 messages', 'ms', scrolled, 'ms', { max: 16 }),
  ]
}

function row(work: string, unit: string, comparison: Comparison, key: string, target?: Target): Row {
  return { ...createRow(work, unit, comparison.series(key), target), failures: comparison.failures }
}

/** How much of a core the screen takes beyond the line mode, pair by pair. */
function added(comparison: Comparison, wallMs: number): Row {
  const { ours = [], bare = [] } = comparison.series('cpu')
  const percent = ours.map((ms, index) => ((ms - (bare[index] ?? Number.NaN)) / wallMs) * 100)
  return createRow('added share of one core', '%', { ours: percent }, { max: 25 })
}

/** Opens a conversation, waits until one can type, and closes it when the work is done. */
async function within<T>(bench: Bench, [way, ...args]: readonly [Way, ...string[]], work: (pty: Pty) => Promise<T>) {
  const pty = new Pty(bench.root, svc(bench, ['chat', ...ways[way].args, ...args], ''))
  try {
    await pty.hears(ways[way].waits)
    return await work(pty)
  } finally {
    await pty.stop()
  }
}

function streams(bench: Bench, scenario: Scenario, count: number): Promise<Comparison> {
  const run = (way: Way) => () =>
    within(bench, [way], async (pty) => {
      const answer = async () => {
        const before = pty.cpuMs()
        pty.type('go on\r')
        await isAnswered(pty, way)
        return { cpu: pty.cpuMs() - before }
      }
      return (await bench.model.play(scenario, answer)).result
    })
  return compare({ bare: run('bare'), ours: run('ours') }, count)
}

/** The screen takes the sign of work out of its title; the line mode asks for the next line. */
async function isAnswered(pty: Pty, way: Way): Promise<void> {
  if (way === 'ours') {
    await pty.hears(']2;● svc')
    await pty.hears(']2;svc')
  } else {
    await pty.hears('word0')
    await pty.hears('\n')
    await pty.hears('> ')
  }
}

/** Keys while the answer streams, and at a program that writes back what it reads. */
function echoes(bench: Bench, count: number): Promise<Comparison> {
  const ours = () =>
    within(bench, ['ours'], async (pty) => {
      const work = async () => {
        pty.type('go on\r')
        await pty.hears('word')
        return keys(pty)
      }
      return (await bench.model.play({ rounds: 0, deltas: DELTAS, pace: PACE }, work)).result
    })
  const floor = async () => {
    const { env, workspace, root } = bench
    const mirror = 'process.stdin.setRawMode(true); process.stdin.pipe(process.stdout); console.log("ready")'
    const pty = new Pty(root, { args: ['-e', mirror], env, cwd: workspace.cwd })
    try {
      await pty.hears('ready')
      return await keys(pty)
    } finally {
      await pty.stop()
    }
  }
  return compare({ floor, ours }, count)
}

/** Milliseconds from keys to what they bring. */
async function keys(pty: Pty) {
  const plain = await echo(pty, plainKeys, KEYS)
  const others = await echo(pty, otherKeys, KEYS / 2)
  return { median: median(plain), most: percentile(plain, 95), others: median(others) }
}

async function echo(pty: Pty, letters: readonly string[], count: number): Promise<number[]> {
  const times: number[] = []
  for (let key = 0; key < count; key++) {
    const letter = letters[key % letters.length] ?? ''
    times.push(await answers(pty, letter, letter))
  }
  return times
}

/** Milliseconds from a key to what it brings; the next one comes a little later. */
async function answers(pty: Pty, key: string, brings: string): Promise<number> {
  const typed = performance.now()
  pty.type(key)
  await pty.hears(brings)
  const ms = performance.now() - typed
  await new Promise((resolve) => setTimeout(resolve, KEY_GAP_MS))
  return ms
}

function starts(bench: Bench): Promise<Comparison> {
  const { env, workspace, root } = bench
  const run = (way: Way) => () => {
    const started = performance.now()
    return within(bench, [way], async () => ({ ms: performance.now() - started }))
  }
  const floor = async () => {
    const started = performance.now()
    await new Pty(root, { args: ['-e', '0'], env, cwd: workspace.cwd }).ended
    return { ms: performance.now() - started }
  }
  return compare({ floor, bare: run('bare'), ours: run('ours') }, bench.runs)
}

/** Opens the long conversation, and on the screen looks through some of it before memory is read. */
function crowds(bench: Bench, count: number): Promise<Comparison> {
  const id = converse(bench, MESSAGES)
  const run = (way: Way) => () => {
    const started = performance.now()
    return within(bench, [way, '--resume', id], async (pty) => {
      const ms = performance.now() - started
      if (way === 'ours') await pages(pty)
      return { ms, mib: pty.residentMiB() }
    })
  }
  return compare({ bare: run('bare'), ours: run('ours') }, count)
}

/** From the key to the picture; `bare` is the same in a short conversation. */
function scrolls(bench: Bench, count: number): Promise<Comparison> {
  const run = (messages: number) => {
    const id = converse(bench, messages)
    return () => within(bench, ['ours', '--resume', id], async (pty) => ({ ms: median(await pages(pty)) }))
  }
  return compare({ bare: run(FEW_MESSAGES), ours: run(MESSAGES) }, count)
}

async function pages(pty: Pty): Promise<number[]> {
  const times: number[] = []
  for (let page = 0; page < PAGES; page++) times.push(await answers(pty, PAGE_UP, PICTURE))
  return times
}

/** A conversation of so many messages, brought in as `svc sessions export` writes it; returns its id. */
function converse(bench: Bench, count: number): string {
  const id = `20260101_000000_${String(count).padStart(6, '0')}`
  const { cwd } = bench.workspace
  const session = { id, surface: 'cli', cwd, createdAt: 0, updatedAt: 1, messageCount: count, usage: {} }
  const filling = 'The **quick** brown fox reads what the `lazy` dog wrote about builds, tests and releases. '.repeat(3)
  const messages = Array.from({ length: count }, (_, at) => {
    const message = { role: at % 2 ? 'assistant' : 'user', text: `${at} ${filling}` }
    return { message, at, turnId: `t${at >> 1}`, seq: 0 }
  })
  const file = join(cwd, '..', `${id}.jsonl`)
  writeFileSync(file, `${JSON.stringify({ format: 'svc-session', version: 1, session, messages, events: [] })}\n`)
  const { args } = svc(bench, ['sessions', 'import', file], '')
  const { status, stderr } = spawnSync(process.execPath, args, { cwd, env: { ...bench.env }, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the conversation could not be brought in: ${stderr}`)
  return id
}
