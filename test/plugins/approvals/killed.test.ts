/** The process dies while somebody thinks about an answer: question and answer outlive it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type ApprovalRequest, Approvals } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { removeFolder } from '../../support/remove-folder.ts'

const script = join(import.meta.dirname, 'killed-child.mjs')

async function child(home: string, mode: 'die' | 'resume' | 'ask') {
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

test('a question that a kill -9 left is answered from another terminal, and the turn that goes on finds the answer', async () => {
  await afterKill(async (home) => {
    await using kernel = await testKernel({ home, plugins: ['approvals'] })
    const [left, ...more] = JSON.parse((await kernel.run(['approvals', 'pending', '--json'])).out) as ApprovalRequest[]
    expect(more).toEqual([])
    expect(left).toMatchObject({ tool: 'shell', action: 'rm -r src' })
    const id = left?.id ?? ''
    expect((await kernel.run(['approvals', 'pending'])).out).toContain(id)
    expect(await kernel.run(['approvals', 'answer', id.slice(0, 8), 'once'])).toMatchObject({ code: 0 })
    expect((await kernel.run(['approvals', 'answer', id, 'deny'])).err).toContain('APPROVAL_UNKNOWN')

    const resumed = await child(home, 'resume')
    expect(resumed, resumed.err).toMatchObject({ code: 0 })
    expect(ran(home)).toEqual(['rm -r src'])
    expect(resumed.events).toContainEqual(
      expect.objectContaining({ type: 'approval.answer', id, choice: 'once', by: 'svc approvals' }),
    )
    expect(resumed.events.at(-1)).toMatchObject({ type: 'turn.end', reason: 'completed' })
    expect(kernel.use(Approvals).pending()).toEqual([])
  })
})

test('a question that nobody answered meanwhile is shown again with the same id', async () => {
  await afterKill(async (home) => {
    await using kernel = await testKernel({ home, plugins: ['approvals'] })
    const [left] = kernel.use(Approvals).pending()
    const resumed = await child(home, 'ask')
    expect(resumed, resumed.err).toMatchObject({ code: 0 })
    expect(resumed.events).toContainEqual({ type: 'shown', id: left?.id })
    expect(ran(home)).toEqual(['rm -r src'])
  })
})

test('an answer of no counts after the restart too', async () => {
  await afterKill(async (home) => {
    await using kernel = await testKernel({ home, plugins: ['approvals'] })
    const [left] = kernel.use(Approvals).pending()
    kernel.use(Approvals).answer(left?.id ?? '', 'deny', 'phone')
    const resumed = await child(home, 'resume')
    expect(ran(home)).toEqual([])
    expect(resumed.events).toContainEqual(
      expect.objectContaining({ type: 'tool.complete', ok: false, text: expect.stringContaining('the user said no') }),
    )
  })
})
