import { mkdirSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Clock } from 'svc/sdk'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, test, vi } from 'vitest'
import { localTerminal } from '../../../../../plugins/tools/shell/tool-terminal/backends.ts'
import { type Loan, Shells } from '../../../../../plugins/tools/shell/tool-terminal/shells.ts'
import { newMark, processesWith, temporaryFolder, wallClock } from './support.ts'

/** A pool whose marks all begin alike; disposing of it fails when a process is left. */
function openPool(options: { readonly clock?: Clock; readonly persistent?: boolean } = {}) {
  const mark = newMark()
  let started = 0
  const shells = new Shells({
    clock: options.clock ?? wallClock,
    persistent: options.persistent ?? true,
    place: async (_session, cwd) => localTerminal(cwd, { PATH: process.env['PATH'] ?? '' }),
    dropPlace: async () => undefined,
    mark: () => `${mark}-${++started}`,
  })
  const run = (session: string, command: string, cwd = '/') =>
    shells.lend(session, cwd, async ({ shell, notes, earlier }: Loan) => {
      const chunks: Buffer[] = []
      const outcome = await shell.run(command, { onOutput: (chunk) => chunks.push(chunk) })
      return { ...outcome, notes, earlier: earlier.head.toString(), text: Buffer.concat(chunks).toString() }
    })
  return {
    ...{ shells, run, mark },
    async [Symbol.asyncDispose]() {
      await shells.close()
      expect(processesWith(mark)).toEqual([])
      expect(shells.count).toBe(0)
    },
  }
}

describe('a session', () => {
  test('keeps its shell, and has it to itself', async () => {
    await using pool = openPool()
    await pool.run('one', 'x=1')
    await pool.run('two', 'x=2')
    expect((await pool.run('one', 'echo $x')).text).toBe('1\n')
    expect((await pool.run('two', 'echo $x')).text).toBe('2\n')
    expect(pool.shells.count).toBe(2)
  })

  test('has its commands run one after the other, also when they are asked for at once', async () => {
    await using pool = openPool()
    const commands = Array.from({ length: 5 }, (_, at) => pool.run('one', `n=$((n + 1)); sleep 0.0${5 - at}; echo $n`))
    const texts = (await Promise.all(commands)).map(({ text }) => text)
    expect(texts).toEqual(['1\n', '2\n', '3\n', '4\n', '5\n'])
  })

  test('gets a new shell in the same folder when a command ended the old one', async () => {
    using folder = temporaryFolder()
    await using pool = openPool()
    expect((await pool.run('one', `cd '${folder.path}'`)).exitCode).toBe(0)
    expect(await pool.run('one', 'exit 3')).toMatchObject({ end: 'exited', exitCode: 3 })
    const next = await pool.run('one', 'pwd')
    expect(next).toMatchObject({ text: `${folder.path}\n`, notes: [] })
  })

  test('is told when its shell died behind its back', async () => {
    using folder = temporaryFolder()
    await using pool = openPool()
    await pool.run('one', 'mkfifo gate; (read -r _ < gate; kill -9 $$) & true', folder.path)
    await writeFile(join(folder.path, 'gate'), 'open\n')
    await vi.waitFor(() => expect(processesWith(pool.mark)).toEqual([]))
    // Node tells the end of a child some turns after the system has forgotten what it was.
    await pause(200)
    const next = await pool.run('one', 'echo new')
    expect(next.text).toBe('new\n')
    expect(next.notes.join()).toContain('the one before has ended')
  })

  test('whose folder is gone continues in the folder it began in, and is told', async () => {
    using folder = temporaryFolder()
    await using pool = openPool()
    const gone = join(folder.path, 'gone')
    mkdirSync(gone)
    await pool.run('one', `cd '${gone}'; exit`, folder.path)
    await pool.run('one', `cd '${gone}'`, folder.path)
    await pool.run('one', 'exit', folder.path)
    rmSync(gone, { recursive: true })
    const next = await pool.run('one', 'pwd', folder.path)
    expect(next.text).toBe(`${folder.path}\n`)
    expect(next.notes.join()).toContain('cannot be entered')
  })

  test('hears what its background jobs wrote between commands', async () => {
    using folder = temporaryFolder()
    await using pool = openPool()
    await pool.run('one', 'mkfifo gate; (read -r _ < gate; echo late) & true', folder.path)
    await writeFile(join(folder.path, 'gate'), 'open\n')
    await vi.waitFor(() => expect(processesWith(pool.mark)).toHaveLength(1))
    await nextTurn()
    await nextTurn()
    expect((await pool.run('one', 'echo now')).earlier).toBe('late\n')
    expect((await pool.run('one', 'echo now')).earlier).toBe('')
  })
})

describe('shells that no one uses', () => {
  test('are closed after 300 seconds, and the next command knows', async () => {
    const clock = virtualClock()
    await using pool = openPool({ clock })
    await pool.run('one', 'cd /usr; x=1')
    await clock.advance(299_999)
    expect((await pool.run('one', 'echo $x')).text).toBe('1\n')
    await clock.advance(299_999)
    expect(pool.shells.count).toBe(1)
    await clock.advance(1)
    await vi.waitFor(() => expect(processesWith(pool.mark)).toEqual([]))
    const next = await pool.run('one', 'pwd; echo "[$x]"')
    expect(next.text).toBe('/usr\n[]\n')
    expect(next.notes.join()).toContain('closed after 300 s')
  })

  test('make room for others: the one that rested longest goes first', async () => {
    await using pool = openPool()
    for (let at = 0; at < 16; at++) await pool.run(`session ${at}`, `x=${at}`)
    await pool.run('session 0', 'true')
    await pool.run('one more', 'true')
    expect(pool.shells.count).toBe(16)
    expect((await pool.run('session 0', 'echo $x')).text).toBe('0\n')
    const replaced = await pool.run('session 1', 'echo "[$x]"')
    expect(replaced.text).toBe('[]\n')
    expect(replaced.notes.join()).toContain('16 others were in use')
  })

  test('are not to be had when all sixteen are busy', async () => {
    await using pool = openPool()
    const release = new AbortController()
    const released = new Promise((resolve) => release.signal.addEventListener('abort', resolve))
    const busy = Array.from({ length: 16 }, (_, at) => pool.shells.lend(`busy ${at}`, '/', () => released))
    await vi.waitFor(() => expect(pool.shells.count).toBe(16))
    await expect(pool.run('late', 'true')).rejects.toMatchObject({ code: 'TERMINAL_TOO_MANY' })
    release.abort()
    await Promise.all(busy)
    expect((await pool.run('late', 'echo served')).text).toBe('served\n')
  })
})

test('without persistence every command gets a fresh shell, which is gone afterwards', async () => {
  await using pool = openPool({ persistent: false })
  await pool.run('one', 'cd /usr; x=1; sleep 300 &')
  expect(processesWith(pool.mark)).toEqual([])
  expect((await pool.run('one', 'pwd; echo "[$x]"')).text).toBe('/\n[]\n')
})

test('closing ends a command that runs, and nothing starts any more', async () => {
  await using pool = openPool()
  const running = pool.run('one', 'sleep 300')
  await vi.waitFor(() => expect(processesWith(pool.mark)).toHaveLength(2))
  await pool.shells.close()
  expect(await running).toMatchObject({ end: 'exited' })
  expect(processesWith(pool.mark)).toEqual([])
  await expect(pool.run('one', 'true')).rejects.toMatchObject({ code: 'TERMINAL_CLOSED' })
})
