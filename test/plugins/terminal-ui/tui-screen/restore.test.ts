import { readdirSync, readlinkSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, lacksTmux, type Pane, startTmux, type Tmux } from './tmux.ts'

const absent = process.env['SVC_TEST_REQUIRE_PROGRAMS'] === '1' ? undefined : lacksTmux()
let tmux: Tmux

beforeAll(async () => {
  if (!absent) tmux = await startTmux()
})
afterAll(() => tmux?.[Symbol.asyncDispose]())

/** All that tmux knows of a terminal's modes. */
const modes = '#{alternate_on} #{cursor_flag} #{wrap_flag} #{mouse_any_flag} #{mouse_sgr_flag} #{insert_flag}'
const untouched = '0 1 1 0 0 0'
/** The shell continues after the program, so that the terminal stays. It writes nothing before the terminal is as it was. */
const inShell = '$PROGRAM $MANNER 2>$SAID.err; code=$?; read go; echo "code $code"; exec sleep 1000'

interface Running {
  readonly pane: Pane
  readonly settings: string
}

async function running(name: string, env: Readonly<Record<string, string>> = {}): Promise<Running> {
  // Settings of the user's own must come back, too.
  const pane = tmux.open(name, `stty erase ^H -ixon; echo '["set"]' >>$SAID; read go; ${inShell}`, [80, 24], env)
  await pane.until('set')
  const settings = pane.settings()
  pane.keys('Enter')
  await pane.until('ready')
  await eventually(() => pane.state(modes) === '1 0 0 1 1 0' || pane.state(modes) === '1 1 0 1 1 0')
  expect(pane.settings()).toContain('-icanon')
  expect(findGuards(pane)).toHaveLength(1)
  return { pane, settings }
}

async function expectRestored({ pane, settings }: Running, code: number): Promise<void> {
  await eventually(() => pane.state(modes) === untouched && pane.settings() === settings)
  pane.keys('Enter')
  await eventually(() => pane.capture().includes(`code ${code}`))
  await eventually(() => findGuards(pane).length === 0)
}

/** Processes that still have the terminal open, other than its shell: there is no guard left. */
function findGuards(pane: Pane): string[] {
  const tty = pane.state('#{pane_tty}')
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && opens(pid, 4) === tty)
}

function opens(pid: string, file: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${file}`)
  } catch {
    // It ended, belongs to someone else or has no such file.
    return undefined
  }
}

describe.skipIf(absent)(`a real terminal${absent ? ` (skipped: ${absent})` : ''}`, () => {
  test.concurrent.for<readonly [string, number, (pane: Pane) => void]>([
    ['a normal end', 0, (pane: Pane) => pane.type('q')],
    ['an error that nobody catches', 1, (pane: Pane) => pane.type('x')],
    ['a sudden exit', 3, (pane: Pane) => pane.type('e')],
    ['SIGTERM', 143, (pane: Pane) => void process.kill(pane.pid(), 'SIGTERM')],
    ['SIGINT', 130, (pane: Pane) => void process.kill(pane.pid(), 'SIGINT')],
    ['SIGHUP', 129, (pane: Pane) => void process.kill(pane.pid(), 'SIGHUP')],
    ['SIGKILL', 137, (pane: Pane) => void process.kill(pane.pid(), 'SIGKILL')],
    ['SIGABRT', 134, (pane: Pane) => void process.kill(pane.pid(), 'SIGABRT')],
  ])('is as it was after %s', async ([name, code, end]) => {
    const at = await running(name.replaceAll(' ', '-'))
    end(at.pane)
    await expectRestored(at, code)
  })

  test.concurrent('is as it was when someone else ends the program in order on SIGTERM', async () => {
    const at = await running('in-order', { MANNER: 'in-order' })
    process.kill(at.pane.pid(), 'SIGTERM')
    await expectRestored(at, 143)
    expect(await at.pane.until('left')).toBe('same')
  })
})
