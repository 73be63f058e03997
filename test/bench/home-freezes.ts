/** How long maintenance of a home keeps this process and others waiting. */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Message, Session, Sessions } from 'svc/sdk'
import { contention } from '../support/contention.ts'
import type { Bench } from './bench.ts'
import { createArchive, createWord, inHome, pause, START, turn } from './home-fill.ts'
import { createRow, type Row } from './row.ts'

const PRUNED = 2000
/** Messages of the one conversation that is removed, exported and imported alone. */
const HUGE = 20_000
const IMPORTED = 500
const IMPORT_TURN_MS = 20
/** Messages that wait for the index, and searches that take a part of them in each. */
const WAITING = 5000
const SEARCHES = 40
const BACKUP_LIMIT_MS = 60_000

/** `ours` while that is done, `bare` a loop in which nothing happens in the same seconds. */
export async function measureFreezes(bench: Bench, sessionCount: number): Promise<Row[]> {
  bench.progress('maintenance of a large home')
  const from = join(bench.installed, 'package.json')
  return inHome(bench, async (sessions, home) => {
    const file = join(home, 'data/sessions/sessions.db')
    const both = async (work: string, run: () => Promise<unknown>): Promise<Row[]> => {
      const { longestFreeze, longestWait, bareFreeze } = await contention(file, from, run)
      const bare = [bareFreeze]
      return [
        createRow(`longest freeze: ${work}`, 'ms', { bare, ours: [longestFreeze] }, { max: 50, above: 'bare' }),
        createRow(`longest wait of others: ${work}`, 'ms', { bare, ours: [longestWait] }, { max: 100, above: 'bare' }),
      ]
    }
    // The first runs took long enough for one.
    for (const kept of ['', '-previous']) rmSync(`${file}.backup${kept}`, { force: true })
    const limit = performance.now() + BACKUP_LIMIT_MS
    const backup = async () => {
      sessions.latest()
      while (!existsSync(`${file}.backup`) && performance.now() < limit) await pause(20)
    }
    const huge = sessions.create({ surface: 'cli', cwd: '/' })
    for (let at = 0; at < HUGE / 2; at++) turn(huge, at)
    const waiting = sessions.create({ surface: 'cli', cwd: '/' })
    unindexed(waiting)
    const index = async () => {
      for (let search = 0; search < SEARCHES; search++) {
        sessions.search('answer', { limit: 1 })
        await pause(1)
      }
    }
    return [
      ...(await both('backup', backup)),
      ...(await both('indexing of 5,000', index)),
      ...(await both('pruning of 2,000', () => sessions.prune({ usedBefore: START + PRUNED * 60_000 }))),
      ...(await both('removal of one of 20,000 messages', () => sessions.remove([huge.id]))),
      ...(await both('compacting', () => sessions.compact())),
      ...(await both('import of 500', () => importEach(sessions, sessionCount, IMPORTED))),
    ]
  })
}

/** As `svc sessions import` does it, which leaves others as much time as it takes. */
async function importEach(sessions: Sessions, first: number, count: number): Promise<void> {
  let begun = performance.now()
  for (let at = first; at < first + count; at++) {
    const workedMs = performance.now() - begun
    if (workedMs >= IMPORT_TURN_MS) {
      await pause(workedMs)
      begun = performance.now()
    }
    sessions.import(createArchive(at))
    await pause(0)
  }
}

/** A turn that has not ended yet, all of whose messages wait for the index. */
function unindexed(session: Session): void {
  const messages = Array.from(
    { length: WAITING },
    (_, at): Message => ({ role: 'user', text: `answer ${createWord(at)}` }),
  )
  session.record({ turnId: 't1', events: [{ type: 'turn.start', text: '', provider: 'p', model: 'm' }], messages })
  session.record({ turnId: 't1', events: [{ type: 'turn.end', reason: 'completed', usage: {} }] })
}
