/** A conversation of 5,000 turns, compressed and not: `ours` a turn in it, `bare` the same turn in a fresh one. */
import { gateway, KEY, type Server } from './api.ts'
import { type Bench, svc } from './bench.ts'
import { wallMs } from './child.ts'
import { type Comparison, compare } from './compare.ts'
import { inHome, turn } from './home-fill.ts'
import { createRow, type Row } from './row.ts'
import { LAST_WORDS } from './scenario.ts'

const TURNS = 5000
const SHARE = 3

/** Ids of conversations. */
interface Talks {
  readonly fresh: string
  readonly long: string
  readonly compressed: string
}

export async function measureTurns(user: Bench): Promise<Row[]> {
  user.progress('a conversation of 5,000 turns')
  const home = user.workspace.homeLike('home-long', user.model.url)
  const bench = { ...user, env: { ...user.env, SVC_HOME: home } }
  const { cwd } = bench.workspace
  const talks = await inHome(bench, async (sessions): Promise<Talks> => {
    const [fresh, long, compressed] = ['fresh', 'long', 'compressed'].map(() =>
      sessions.create({ surface: 'api', cwd }),
    )
    if (!fresh || !long || !compressed) throw new Error('no conversation')
    for (let at = 0; at < TURNS; at++) for (const session of [long, compressed]) turn(session, at)
    const count = compressed.messages().length
    compressed.compress({ from: 0, to: count - 10, summary: [{ role: 'user', text: 'what was said' }] })
    turn(fresh, 0)
    return { fresh: fresh.id, long: long.id, compressed: compressed.id }
  })
  return [
    ...rows('svc chat -q --resume', await asCommand(bench, talks)),
    ...rows('a turn over the API', await overApi(bench, talks)),
  ]
}

/** `sdk` holds the compressed one, so that all are measured in one round. */
function rows(what: string, comparison: Comparison): Row[] {
  const { bare = [], ours = [], sdk = [], floor = [] } = comparison.series('ms')
  const target = { max: 1.2, of: 'bare' } as const
  const { failures } = comparison
  return [
    { ...createRow(`${what}, after 5,000 turns`, 'ms', { floor, bare, ours }, target), failures },
    { ...createRow(`${what}, the same compressed`, 'ms', { bare, ours: sdk }, target), failures },
  ]
}

function asCommand(bench: Bench, { fresh, long, compressed }: Talks): Promise<Comparison> {
  const run = (id: string) => async () => {
    const program = svc(bench, ['chat', '-q', 'hi', '--resume', id], LAST_WORDS)
    return { ms: (await bench.model.play({ rounds: 0, deltas: 1 }, () => wallMs(program))).result }
  }
  return compare({ bare: run(fresh), ours: run(long), sdk: run(compressed) }, Math.ceil(bench.runs / SHARE))
}

async function overApi(bench: Bench, { fresh, long, compressed }: Talks): Promise<Comparison> {
  const server = await gateway(bench, { url: bench.model.url, home: bench.env['SVC_HOME'] as string })
  try {
    const run = (id: string) => async () =>
      (await bench.model.play({ rounds: 0, deltas: 1 }, async () => ({ ms: await ask(server, id) }))).result
    const floor = async () =>
      (await bench.model.play({ rounds: 0, deltas: 1 }, async () => ({ ms: await send(bench.model.url) }))).result
    return await compare({ floor, bare: run(fresh), ours: run(long), sdk: run(compressed) }, bench.runs * 2)
  } finally {
    server.process.kill()
  }
}

/** What 5,000 turns are for the model: the least that a turn after them takes is to write this and to send it. */
async function send(url: string): Promise<number> {
  const started = performance.now()
  const messages = Array.from({ length: TURNS * 2 }, (_, at) =>
    at % 2 ? { role: 'assistant', content: `answer ${at >> 1}` } : { role: 'user', content: `question ${at >> 1}` },
  )
  const body = JSON.stringify({ model: 'bench', stream: true, messages })
  const response = await fetch(`${url}/chat/completions`, { method: 'POST', body })
  if (!(await response.text()).includes(LAST_WORDS)) throw new Error(`the model answered ${response.status}`)
  return performance.now() - started
}

async function ask({ port }: Server, id: string): Promise<number> {
  const started = performance.now()
  const response = await fetch(`http://127.0.0.1:${port}/api/sessions/${id}/chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'hi' }),
  })
  const text = await response.text()
  if (!text.includes(LAST_WORDS)) throw new Error(`${response.status}: ${text.slice(0, 200)}`)
  return performance.now() - started
}
