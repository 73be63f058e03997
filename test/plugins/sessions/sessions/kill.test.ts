/** Real processes that record, some of which are killed while they do. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface, type Interface } from 'node:readline'
import type { Readable } from 'node:stream'
import type { Session, TurnEvent } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { migrations } from '../../../../plugins/sessions/sessions/migrations.ts'
import { systemProcesses } from '../../../../plugins/sessions/sessions/processes.ts'
import { SessionStore } from '../../../../plugins/sessions/sessions/store.ts'
import { SqliteStorage } from '../../../../plugins/sessions/storage/storage.ts'
import { bundleScript, countingRandom, keepingLog, temporaryFolder } from '../storage/support.ts'
import { here, openClosed, whyInvalid } from './support.ts'

const script = await bundleScript(join(import.meta.dirname, 'kill-child.ts'))

type Child = ChildProcessByStdio<null, Readable, null>

function run(file: string, id: string, mode: string): { child: Child; lines: Interface; exit: Promise<unknown> } {
  const child = spawn(process.execPath, [script, file, id, mode], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return { child, lines: createInterface(child.stdout), exit: once(child, 'exit') }
}

/** Everything it printed until it was killed, which is after the line `count`. */
async function killAfter(count: number, { child, lines, exit }: ReturnType<typeof run>): Promise<TurnEvent[]> {
  const printed: TurnEvent[] = []
  for await (const line of lines) {
    // The kill may have cut the last line.
    if (line.endsWith('}')) printed.push(JSON.parse(line) as TurnEvent)
    if (printed.length === count) child.kill('SIGKILL')
  }
  await exit
  return printed
}

function openStore(file: string): { store: SessionStore; storage: SqliteStorage } {
  const clock = virtualClock(Date.now())
  const random = countingRandom()
  const storage = new SqliteStorage({ clock, random, log: keepingLog() })
  onTestFinished(() => storage.close())
  const processes = systemProcesses(clock)
  return { store: new SessionStore({ storage: () => storage, file, clock, random, processes, trash: '' }), storage }
}

/** Deltas of earlier turns may have been dropped by now; all else that was printed must be there. */
function expectKept(session: Session, printed: readonly TurnEvent[]): void {
  const kept = new Map(session.events().map((event) => [event.seq, event]))
  // The last one may have been recorded and not printed any more.
  const lastStart = session.events().findLast(({ type }) => type === 'turn.start')?.seq ?? 0
  const isDelta = ({ type }: TurnEvent) => type.endsWith('delta') || type === 'tool.progress'
  for (const event of printed) {
    const found = kept.get(event.seq)
    if (found || !isDelta(event) || event.seq > lastStart) expect(found).toEqual(event)
  }
}

describe('a process that is killed while it records', () => {
  it('loses nothing that it printed, and leaves a conversation that can continue', async () => {
    const file = join(temporaryFolder(), 'sessions.db')
    const { store, storage } = openStore(file)
    const { id } = store.create(here)
    for (const count of [1, 2, 21, 22, 27, 28, 29, 30, 64]) {
      const printed = await killAfter(count, run(file, id, 'turns'))
      expect(printed.length).toBeGreaterThanOrEqual(count)
      const session = openClosed(store, id)
      expectKept(session, printed)
      expect(session.events().at(-1)?.type).toBe('turn.end')
      expect(whyInvalid(session.messages())).toBeUndefined()
    }
    const database = storage.open({ file, migrations })
    expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
  })

  it('is left alone while it lives, and its turn closed when it is dead', async () => {
    const file = join(temporaryFolder(), 'sessions.db')
    const { store } = openStore(file)
    const { id } = store.create(here)
    const { child, lines, exit } = run(file, id, 'hold')
    await once(lines, 'line')
    expect(store.open(id).events()).toHaveLength(1)
    child.kill('SIGKILL')
    await exit
    expect(openClosed(store, id).events().at(-1)).toMatchObject({ turnId: 'held', type: 'turn.end', reason: 'crashed' })
  })
})

describe('processes that record into one session at the same time', () => {
  it('share its places without a gap', async () => {
    const file = join(temporaryFolder(), 'sessions.db')
    const { store } = openStore(file)
    const { id } = store.create(here)
    const places = async () => {
      const { lines, exit } = run(file, id, 'count')
      const printed: TurnEvent[] = []
      for await (const line of lines) printed.push(JSON.parse(line) as TurnEvent)
      expect(await exit).toEqual([0, null])
      return printed
    }
    const printed = (await Promise.all([places(), places(), places()])).flat().sort((a, b) => a.seq - b.seq)
    expect(printed.map(({ seq }) => seq)).toEqual(Array.from({ length: 900 }, (_, i) => i + 1))
    expect(store.open(id).events()).toEqual(printed)
  })
})
