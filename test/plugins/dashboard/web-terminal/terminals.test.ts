import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { virtualClock } from 'svc/sdk/testing'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { ProgramLaunch } from '../../../../plugins/dashboard/web-terminal/program.ts'
import type { TerminalClient } from '../../../../plugins/dashboard/web-terminal/terminal.ts'
import { Terminals } from '../../../../plugins/dashboard/web-terminal/terminals.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** A client that shows what it got. `stall` makes it stop reading until `read`. */
function client() {
  let shown = ''
  let held: (() => void) | undefined
  let isStalled = false
  const seen = { closed: undefined as { code: number; reason: string } | undefined, parts: 0, largest: 0 }
  const as: TerminalClient = {
    send: (bytes) => {
      shown += Buffer.from(bytes).toString('latin1')
      seen.parts++
      seen.largest = Math.max(seen.largest, bytes.length)
      if (!isStalled) return Promise.resolve()
      return new Promise((resolve) => {
        held = resolve
      })
    },
    close: (code, reason) => {
      seen.closed = { code, reason }
    },
  }
  return {
    as,
    seen,
    text: () => shown,
    stall: () => {
      isStalled = true
    },
    read: () => {
      isStalled = false
      shown = ''
      held?.()
    },
    shows: (wanted: string | RegExp) => vi.waitFor(() => expect(shown).toMatch(wanted), { timeout: 15_000 }),
    isClosed: (code: number) => vi.waitFor(() => expect(seen.closed?.code).toBe(code), { timeout: 15_000 }),
  }
}

function desk() {
  const clock = virtualClock()
  const terminals = new Terminals({ clock, log: silent })
  onTestFinished(async () => {
    const closed = terminals.close()
    await clock.advance(500)
    await clock.advance(500)
    await closed
  })
  const open = (script: string, options: { key?: string; isFresh?: boolean } = {}, shown = client()) => {
    const { key, isFresh = false } = options
    return terminals.open({ key, isFresh, launch: () => shell(script) }, shown.as).then((seat) => ({ ...shown, seat }))
  }
  return { clock, terminals, open }
}

function shell(script: string): ProgramLaunch {
  const environment = { PATH: process.env['PATH'] ?? '', FROM: 'the launch' }
  return { command: ['/bin/sh', '-c', script], cwd: '/', environment }
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
const pidIn = (text: string) => Number(/pid (\d+)/.exec(text)?.[1])

describe('a terminal', () => {
  test('shows a program that finds a terminal of the size of the window, and takes what is typed', async () => {
    const { open } = desk()
    const screen = await open(
      'stty size; echo "$TERM $COLORTERM $FROM"; read line; stty size; echo "got $line"; exit 3',
    )
    await screen.shows(/24 80\s+xterm-256color truecolor the launch/)
    await screen.seat.receive('\x1b[RESIZE:101;33]')
    await screen.seat.receive(Buffer.from('hello\r'))
    await screen.shows(/33 101\s+got hello/)
    await screen.isClosed(4410)
    expect(screen.seen.closed?.reason).toBe('the program ended with code 3')
  })

  test('continues without a client, and shows what it has written to who comes back', async () => {
    const { open, terminals } = desk()
    const first = await open('echo one; read x; echo two; read y; echo "three $y"; read z', { key: 'mine' })
    await first.shows('one')
    await first.seat.receive('\r')
    await first.shows('two')
    first.seat.leave()
    const again = await open('echo another program', { key: 'mine' })
    await again.shows(/^\x1bcone\s+two/)
    await again.seat.receive('x\r')
    await again.shows('three x')
    expect(terminals.size).toBe(1)
    expect(first.text()).not.toContain('three')
  })

  test('belongs to who came last: the one before is told so, and what it still types is not taken', async () => {
    const { open } = desk()
    const first = await open('read line; echo "got $line"; read x', { key: 'mine' })
    const second = await open('', { key: 'mine' })
    expect(first.seen.closed).toEqual({ code: 4409, reason: 'this terminal was opened elsewhere' })
    await first.seat.receive('from the first\r')
    first.seat.leave()
    await second.seat.receive('from the second\r')
    await second.shows('got from the second')
    expect(second.seen.closed).toBeUndefined()
  })

  test('is another one when a fresh one is asked for, and the old program is ended', async () => {
    const { open } = desk()
    const first = await open('echo "pid $$"; read x', { key: 'mine' })
    await first.shows(/pid \d+/)
    const pid = pidIn(first.text())
    const second = await open('echo fresh; read x', { key: 'mine', isFresh: true })
    await second.shows('fresh')
    await first.isClosed(4410)
    expect(isAlive(pid)).toBe(false)
  })

  test('without a key ends when its client leaves', async () => {
    const { open, terminals } = desk()
    const screen = await open('echo "pid $$"; read x')
    await screen.shows(/pid \d+/)
    screen.seat.leave()
    expect(terminals.size).toBe(0)
    await vi.waitFor(() => expect(isAlive(pidIn(screen.text()))).toBe(false))
  })

  test('that ended without a client shows its end once, then the next one is new', async () => {
    const { open } = desk()
    const first = await open('read x; echo last words', { key: 'mine' })
    await first.seat.receive('\r')
    first.seat.leave()
    await new Promise((resolve) => setTimeout(resolve, 100))
    const second = await open('echo new; read x', { key: 'mine' })
    await second.isClosed(4410)
    expect(second.text()).toContain('last words')
    second.seat.leave()
    const third = await open('echo new; read x', { key: 'mine' })
    await third.shows('new')
  })
})

describe('what is left alone', () => {
  test('ends half an hour after its client has left, and not before', async () => {
    const { open, terminals, clock } = desk()
    const screen = await open('echo "pid $$"; read x', { key: 'mine' })
    await screen.shows(/pid \d+/)
    await clock.advance(3 * 3_600_000)
    screen.seat.leave()
    await clock.advance(29 * 60_000)
    expect(terminals.size).toBe(1)
    await clock.advance(2 * 60_000)
    expect(terminals.size).toBe(0)
    await vi.waitFor(() => expect(isAlive(pidIn(screen.text()))).toBe(false))
    expect(clock.pending()).toBe(0)
  })

  test('gives way to a seventeenth, the longest left first; where all are watched there is no room', async () => {
    const { open, terminals, clock } = desk()
    const screens = []
    for (let at = 0; at < 16; at++) screens.push(await open('read x', { key: `k${at}` }))
    await expect(open('read x', { key: 'one more' })).rejects.toMatchObject({ code: 'WEB_TERMINAL_FULL' })
    screens[5]?.seat.leave()
    await clock.advance(1000)
    screens[2]?.seat.leave()
    await open('read x', { key: 'one more' })
    expect(terminals.size).toBe(16)
    // The one that was left later is still the same one.
    const kept = await open('echo new', { key: 'k2' })
    expect(kept.seen.closed).toBeUndefined()
    await vi.waitFor(() => expect(terminals.size).toBe(16))
  })
})

describe('the end of a program', () => {
  test('is asked for three times, half a second apart, and takes its whole group', async () => {
    const { open, terminals, clock } = desk()
    const stubborn =
      "trap 'echo hup' HUP; trap 'echo term' TERM; sh -c 'trap \"\" HUP TERM; echo \"child pid $$\"; while :; do sleep 0.05; done' & while :; do sleep 0.05; done"
    const screen = await open(stubborn, { key: 'mine' })
    await screen.shows(/child pid \d+/)
    const child = pidIn(screen.text())
    const closed = terminals.close()
    await screen.shows('hup')
    expect(screen.text()).not.toContain('term')
    await clock.advance(500)
    await screen.shows('term')
    expect(isAlive(child)).toBe(true)
    await clock.advance(500)
    await closed
    await vi.waitFor(() => expect(isAlive(child)).toBe(false))
    await screen.isClosed(4410)
  })

  test.for([
    ['a program that is not there', { command: ['/nowhere/svc'], cwd: '/' }],
    ['a folder that is not there', { command: ['/bin/sh'], cwd: '/nowhere' }],
    ['a folder that is a file', { command: ['/bin/sh'], cwd: '/etc/hostname' }],
  ] as const)('%s is an error, and nothing is kept', async ([, launch]) => {
    const { terminals } = desk()
    const opened = terminals.open(
      { key: 'k', isFresh: false, launch: () => ({ ...launch, environment: {} }) },
      client().as,
    )
    await expect(opened).rejects.toMatchObject({ code: 'WEB_TERMINAL_START' })
    expect(terminals.size).toBe(0)
  })
})

describe('a client that stops reading', () => {
  test('holds back no program; it catches up with the end of the output, in the modes of the screen', async () => {
    const { open, clock } = desk()
    const done = join(temporaryFolder(), 'done')
    // 4 MB, four times of what is kept, from a screen of its own.
    const output = `yes 'grün und blau' | head -c 4000000; echo; touch ${done}; echo finished`
    const slow = await open(`printf '\\033[?1049h\\033[?2004hbegin'; read x; ${output}; read y; stty size`, {
      key: 'mine',
    })
    await slow.shows('begin')
    slow.stall()
    await slow.seat.receive('go\r')
    // The program gets to its end although its client reads nothing.
    await expect.poll(() => existsSync(done), { timeout: 30_000 }).toBe(true)
    expect(slow.seen.largest).toBeLessThanOrEqual(65_536)
    slow.read()
    await slow.shows('finished')
    // A clean screen, the modes that were set in what is lost, and the rest from the beginning of a character.
    expect(slow.text().startsWith('\x1bc\x1b[?1049h\x1b[?2004h')).toBe(true)
    expect(slow.text().length).toBeLessThan(1_048_576 + 1000)
    const rest = Buffer.from(slow.text(), 'latin1').toString()
    expect(rest).not.toContain('\ufffd')
    // Who comes later has its screen drawn again: the size differs until it has said its own.
    slow.seat.leave()
    const later = await open('', { key: 'mine' })
    await later.shows('finished')
    await later.seat.receive('\r')
    await later.shows(/23 80/)
    await clock.advance(1000)
  })
})
