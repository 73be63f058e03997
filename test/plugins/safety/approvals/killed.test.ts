/** The process dies while someone thinks about an answer: the question outlives it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import Sqlite from 'better-sqlite3'
import { Approvals } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { removeFolder } from '../../../support/remove-folder.ts'

const script = join(import.meta.dirname, 'killed-child.mjs')

async function child(home: string, mode: 'die' | 'resume' | 'ask' | 'early' | 'refuse') {
  const running = spawn(process.execPath, [script, home, mode], { stdio: ['ignore', 'pipe', 'pipe'], env: {} })
  const [out, err] = [text(running.stdout), text(running.stderr)]
  const [code, signal] = (await once(running, 'close')) as [number | null, string | null]
  const lines = (await out).split('\n').filter(Boolean)
  return { code, signal, err: await err, events: lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

async function afterKill<T>(work: (home: string) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'svc-killed-'))
  try {
    const killed = await child(home, 'die')
    expect(killed, killed.err).toMatchObject({ signal: 'SIGKILL' })
    expect(killed.events.at(-1)).toMatchObject({ type: 'approval.request' })
    return await work(home)
  } finally {
    removeFolder(home)
  }
}

const ran = (home: string) =>
  existsSync(join(home, 'ran.log')) ? readFileSync(join(home, 'ran.log'), 'utf8').split('\n').filter(Boolean) : []

test('what a kill -9 left waits in no process: it is asked again when the turn continues, not answered from outside', async () => {
  await afterKill(async (home) => {
    await using kernel = await testKernel({ home, plugins: ['approvals', 'control'] })
    const [left] = kernel.use(Approvals).pending()
    expect(left).toMatchObject({ tool: 'shell', action: 'rm -r src' })
    const id = left?.id ?? ''
    expect(JSON.parse((await kernel.run(['approvals', 'pending', '--json'])).out)).toEqual([])
    expect((await kernel.run(['approvals', 'answer', id, 'once'])).err).toMatch(/continue the conversation/)
    // With no one there who could be asked, it does not run.
    const resumed = await child(home, 'resume')
    expect(resumed, resumed.err).toMatchObject({ code: 0 })
    expect(ran(home)).toEqual([])
  })
})

test('an answer that a program writes for a question of a crash does not count', async () => {
  await afterKill(async (home) => {
    const database = new Sqlite(join(home, 'data', 'approvals', 'approvals.db'))
    database.exec("UPDATE requests SET choice = 'once', answered_by = 'me', answered_at = 1")
    database.close()
    await child(home, 'resume')
    expect(ran(home)).toEqual([])
  })
})

test('an answer that the process which goes on was given early counts once', async () => {
  await afterKill(async (home) => {
    const resumed = await child(home, 'early')
    expect(resumed, resumed.err).toMatchObject({ code: 0 })
    expect(ran(home)).toEqual(['rm -r src'])
    expect(resumed.events).toContainEqual(
      expect.objectContaining({ type: 'approval.answer', choice: 'once', by: 'phone' }),
    )
    expect(resumed.events).toContainEqual({ type: 'second', code: 'APPROVAL_UNKNOWN' })
    expect(resumed.events).toContainEqual({ type: 'pending', ids: [] })
  })
})

test('a question that no one answered meanwhile is shown again with the same id', async () => {
  await afterKill(async (home) => {
    await using kernel = await testKernel({ home, plugins: ['approvals'] })
    const [left] = kernel.use(Approvals).pending()
    const resumed = await child(home, 'ask')
    expect(resumed, resumed.err).toMatchObject({ code: 0 })
    expect(resumed.events).toContainEqual({ type: 'shown', id: left?.id })
    expect(ran(home)).toEqual(['rm -r src'])
  })
})

test('an early answer of no counts too', async () => {
  await afterKill(async (home) => {
    const resumed = await child(home, 'refuse')
    expect(ran(home)).toEqual([])
    expect(resumed.events).toContainEqual(
      expect.objectContaining({ type: 'tool.complete', ok: false, text: expect.stringContaining('the user said no') }),
    )
  })
})
