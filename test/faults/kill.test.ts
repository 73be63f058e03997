import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Message, Sessions, type TurnEvent } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { IS_ALL } from '../support/today.ts'

const RUNS = IS_ALL ? 200 : 20
const bin = join(import.meta.dirname, '../../dist/kernel/bin.cjs')
const home = mkdtempSync(join(tmpdir(), 'svc-kill-'))
let server: ModelServer

/** A turn of some length: text, tools, text, tools, text. */
const rounds = [
  { text: ['Let ', 'me ', 'look. '], calls: [{ name: 'terminal', arguments: { command: 'echo one' } }] },
  { text: ['And ', 'here. '], calls: [{ name: 'terminal', arguments: { command: 'pwd' } }, { name: 'nothing' }] },
  { text: ['Once ', 'more. '], calls: [{ name: 'terminal', arguments: { command: 'true' } }] },
]

beforeAll(async () => {
  server = await startModelServer({
    replies: ({ body }) => {
      const { messages } = body as { messages: { role: string }[] }
      const round = messages.filter(({ role }) => role === 'assistant').length
      return rounds[round] ?? { text: ['All ', 'of ', 'it ', 'is ', 'done.'], deltas: 40 }
    },
  })
  mkdirSync(home, { recursive: true })
  const model = `model:\n  provider: custom\n  base_url: ${server.url}\n  default: fake-model\n`
  writeFileSync(join(home, 'config.yaml'), model)
})
afterAll(async () => {
  await server.close()
  removeFolder(home)
})

/** A number from 0 to 1 that is the same in every run of this test. */
function chance(seed: number): number {
  const x = Math.sin(seed * 12.9898 + 78.233) * 43758.5453
  return x - Math.floor(x)
}

/** Kills the process after some number of printed lines, now or a moment later; returns all it had printed. */
async function runAndKill(seed: number): Promise<TurnEvent[]> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, SVC_HOME: home }
  const child = spawn(process.execPath, [bin, 'chat', '--json', '-q', 'go'], {
    env,
    cwd: home,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const lines: string[] = []
  const target = Math.floor(chance(seed) * 26)
  const kill = () => {
    const later = chance(seed + 0.5) * 3
    if (later < 1) child.kill('SIGKILL')
    else setTimeout(() => child.kill('SIGKILL'), later)
  }
  if (target === 0) setTimeout(kill, 60 + chance(seed + 0.25) * 60)
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line)
    if (lines.length === target) kill()
  }
  return lines.flatMap((line) => whole(line))
}

/** The last line may be cut in the middle by the kill; then it was not printed. */
function whole(line: string): TurnEvent[] {
  try {
    return [JSON.parse(line) as TurnEvent]
  } catch {
    return []
  }
}

/** Every tool call has its answer right behind the message that made it. */
function unanswered(messages: readonly Message[]): string[] {
  const answers = new Set(messages.flatMap((message) => (message.role === 'tool' ? [message.callId] : [])))
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
  return calls.filter(({ id }) => !answers.has(id)).map(({ id }) => id)
}

test(`kill -9 during a turn, ${RUNS} times: every event that was printed is in the session, which can be closed and continued`, async () => {
  const seeds = Array.from({ length: RUNS }, (_, seed) => seed + 1)
  const printed: TurnEvent[][] = []
  const worker = async () => {
    for (let seed = seeds.pop(); seed !== undefined; seed = seeds.pop()) printed.push(await runAndKill(seed))
  }
  await Promise.all([worker(), worker()])
  const cut = printed.filter((events) => events.length > 0 && events.at(-1)?.type !== 'turn.end')
  expect(cut.length, 'runs that were really killed in the middle').toBeGreaterThan(RUNS / 2)

  await using kernel = await testKernel({ home, plugins: ['sessions'] })
  const sessions = kernel.use(Sessions)
  for (const events of printed.filter((list) => list.length > 0)) {
    const session = sessions.open(events[0]?.sessionId ?? '')
    for (let left = session.takeOver(); left; left = session.takeOver()) session.abandon(left.turnId)
    const kept = new Map(session.events().map((event) => [event.seq, event]))
    for (const event of events) expect(kept.get(event.seq)).toEqual(event)
    expect([...kept.keys()]).toEqual(Array.from({ length: kept.size }, (_, at) => at + 1))
    expect([...kept.values()].at(-1)?.type).toBe('turn.end')
    expect(unanswered(session.messages())).toEqual([])
    expect(session.messages()[0]).toEqual({ role: 'user', text: 'go' })
  }
}, 240_000)
