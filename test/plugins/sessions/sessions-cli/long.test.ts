/** A long conversation leaves through a slow pipe without being held in memory. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Sessions } from 'svc/sdk'
import type { SessionArchive } from 'svc/sdk/sessions'
import { beforeAll, expect, test } from 'vitest'
import { root } from '../../../support/repository.ts'
import { sessionsKernel } from './support.ts'

const MEGABYTE = 2 ** 20
/** Pictures are not indexed, so such a session is made quickly. */
const PICTURE = 'A'.repeat(MEGABYTE / 8)

function longSession(id: string, megabytes: number): SessionArchive {
  const message = { role: 'user', text: 'Look', images: [{ mediaType: 'image/png', data: PICTURE }] } as const
  const count = Math.max(1, megabytes * 8)
  return {
    session: { id, surface: 'cli', cwd: '/work', createdAt: 1, updatedAt: 2, messageCount: count, usage: {} },
    messages: Array.from({ length: count }, (_, at) => ({ message, at, turnId: 't', seq: 1 })),
    events: [],
  }
}

let fixture: Awaited<ReturnType<typeof sessionsKernel>>
beforeAll(async () => {
  fixture = await sessionsKernel()
  for (const [id, megabytes] of [
    ['short', 0],
    ['long', 100],
  ] as const)
    fixture.kernel.use(Sessions).import(longSession(id, megabytes))
  return () => fixture[Symbol.asyncDispose]()
})

/** Runs the built `svc` and reads its output only after a while; its peak of memory in bytes. */
async function runSlowly(...args: string[]) {
  const child = spawn(
    process.execPath,
    [
      '--require',
      join(root, 'test/bench/baseline/report-peak.cjs'),
      join(root, 'dist/kernel/bin.cjs'),
      'sessions',
      ...args,
    ],
    {
      env: { PATH: process.env['PATH'], SVC_HOME: fixture.kernel.home },
      stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
    },
  )
  const peak = readText(child.stdio[3] as Readable)
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  await sleep(2_000)
  let bytes = 0
  for await (const chunk of child.stdio[1] as Readable) bytes += chunk.length
  expect(await ended).toBe(0)
  return { bytes, peak: Number(await peak) * 1024 }
}

async function readText(stream: Readable): Promise<string> {
  const chunks = await stream.toArray()
  return Buffer.concat(chunks).toString()
}

test.each(['jsonl', 'html'])(
  '100 MB exported as %s into a slow pipe cost little more memory than a few words',
  async (format) => {
    const short = await runSlowly('export', 'short', '--format', format)
    const long = await runSlowly('export', 'long', '--format', format)
    expect(long.bytes).toBeGreaterThan(100 * MEGABYTE)
    console.log(`${format}: ${Math.round(short.peak / MEGABYTE)} MiB, ${Math.round(long.peak / MEGABYTE)} MiB`)
    expect(long.peak - short.peak).toBeLessThan(80 * MEGABYTE)
  },
)

test('a long session is shown in parts', async () => {
  const [short, long] = [await runSlowly('show', 'short'), await runSlowly('show', 'long')]
  console.log(`show: ${Math.round(short.peak / MEGABYTE)} MiB, ${Math.round(long.peak / MEGABYTE)} MiB`)
  expect(long.peak - short.peak).toBeLessThan(80 * MEGABYTE)
})
