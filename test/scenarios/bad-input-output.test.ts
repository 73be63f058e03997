/** Commands that print for ever, or rubbish: bounded in memory and journal, and said. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Scene, scene } from '../support/scene.ts'

const MEGABYTE = 2 ** 20

function shellScene(config: Record<string, unknown> = {}): Promise<Scene> {
  return scene({ plugins: ['tool-terminal', 'tool-process'], config })
}

function journalBytes({ session }: Scene): number {
  return JSON.stringify([session.messages(), session.events()]).length
}

/** Processes that have a word in their command line or environment. */
function processesWith(word: string): number[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word) ? [Number(pid)] : []
    } catch {
      // It ended meanwhile.
      return []
    }
  })
}

test('a command that prints a gigabyte is answered with its beginning and its end, and fills neither memory nor journal', async () => {
  const made = await shellScene()
  await made.tool('terminal', { command: 'true' })
  const before = process.memoryUsage().rss
  const done = await made.tool('terminal', {
    command: 'echo first; head -c 1000000000 /dev/zero | tr "\\0" "a" | fold -w 99; echo; echo last',
    timeout: 120,
  })
  expect(done.ok).toBe(true)
  expect(done.text).toMatch(/first/)
  expect(done.text).toMatch(/last/)
  expect(done.text).toMatch(/left out|omitted|not shown|truncated/i)
  expect(done.text.length).toBeLessThan(200_000)
  expect(journalBytes(made)).toBeLessThan(2 * MEGABYTE)
  expect(process.memoryUsage().rss - before).toBeLessThan(400 * MEGABYTE)
}, 60_000)

test('a command that prints for ever ends at its time limit, with all its children', async () => {
  const made = await shellScene()
  const done = await made.tool('terminal', { command: 'yes for-ever-and-a-day', timeout: 1 })
  expect(done.ok).toBe(false)
  expect(done.text).toMatch(/1 s/)
  expect(processesWith('for-ever-and-a-day')).toEqual([])
  expect((await made.tool('terminal', { command: 'echo alive' })).text).toContain('alive')
}, 30_000)

test('one endless line without a break is bounded too', async () => {
  const made = await shellScene()
  const done = await made.tool('terminal', { command: 'head -c 50000000 /dev/zero | tr "\\0" "z"', timeout: 60 })
  expect(done.text.length).toBeLessThan(200_000)
  expect(journalBytes(made)).toBeLessThan(2 * MEGABYTE)
}, 30_000)

test('binary output is said to be binary or made readable, and never breaks the request', async () => {
  const made = await shellScene()
  const random = await made.tool('terminal', { command: 'head -c 100000 /dev/urandom' })
  expect(JSON.stringify(random.text).length).toBeLessThan(400_000)
  const odd = await made.tool('terminal', {
    command: "printf 'a\\000b\\377\\355\\240\\200c\\033[2J\\033]0;title\\007d'",
  })
  expect(odd.ok).toBe(true)
  expect(odd.text).not.toMatch(/[\u0000\u001b]/)
  for (const message of made.session.messages()) expect(message.text).not.toMatch(/\p{Surrogate}/u)
})
