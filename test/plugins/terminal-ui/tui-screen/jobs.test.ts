import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually, lacksTmux, startTmux, type Tmux } from './tmux.ts'

const absent = process.env['SVC_TEST_REQUIRE_PROGRAMS'] === '1' ? undefined : lacksTmux()
let tmux: Tmux

beforeAll(async () => {
  if (!absent) tmux = await startTmux()
})
afterAll(() => tmux?.[Symbol.asyncDispose]())

describe.skipIf(absent)(`with a real terminal${absent ? ` (skipped: ${absent})` : ''}`, () => {
  test.concurrent('Ctrl-Z gives it to the shell, and fg brings everything back', async () => {
    const pane = tmux.open('jobs', 'PS1="> " bash --norc --noprofile -i')
    await eventually(() => pane.capture().includes('>'))
    const settings = pane.settings()
    pane.type('$PROGRAM')
    pane.keys('Enter')
    await pane.until('ready')
    await eventually(() => pane.capture().includes('size 80x24'))
    const shown = pane.capture()
    for (const _ of [1, 2]) {
      pane.keys('C-z')
      await eventually(() => pane.capture().includes('Stopped') && pane.state('#{alternate_on}') === '0')
      expect(pane.state('#{mouse_any_flag} #{cursor_flag}')).toBe('0 1')
      expect(pane.settings()).toBe(settings)
      pane.type('fg')
      pane.keys('Enter')
      await eventually(() => pane.capture() === shown)
      expect(pane.state('#{alternate_on} #{mouse_any_flag}')).toBe('1 1')
    }
    process.kill(pane.pid(), 'SIGTSTP')
    await eventually(() => pane.state('#{alternate_on}') === '0')
    pane.type('fg')
    pane.keys('Enter')
    await eventually(() => pane.capture() === shown)
    process.kill(pane.pid(), 'SIGSTOP')
    await eventually(() => pane.capture().includes('Stopped'))
    pane.type('fg')
    pane.keys('Enter')
    await eventually(() => pane.capture() === shown)
    pane.type('q')
    expect(await pane.until('left')).toBe('same')
    await eventually(() => pane.settings() === settings && pane.state('#{alternate_on}') === '0')
  })

  test.concurrent('Ctrl-Z does nothing where no shell could bring it back', async () => {
    const pane = tmux.open('orphan', 'exec $PROGRAM')
    await pane.until('ready')
    const shown = pane.capture()
    pane.keys('C-z')
    await pane.until('key')
    await eventually(() => pane.capture() === shown && pane.state('#{alternate_on}') === '1')
    pane.type('q')
    await pane.until('left')
  })

  test.concurrent('another program may have it for a while, with its keys and Ctrl-C', async () => {
    const pane = tmux.open('lend', '$PROGRAM; echo over; exec sleep 1000')
    await pane.until('ready')
    const shown = pane.capture()
    pane.type('l')
    await eventually(() => pane.capture().includes('LENT'))
    pane.type('to the other')
    pane.keys('Enter')
    await eventually(() => pane.capture().includes('GOT to the other'))
    pane.keys('C-c')
    await eventually(() => pane.capture() === shown)
    pane.type('q')
    expect(await pane.until('left')).toBe('same')
    expect(pane.said().filter(([word]) => word === 'text')).toHaveLength(2)
  })

  test.concurrent('a paste of five megabytes arrives whole', async () => {
    const pane = tmux.open('paste', 'exec $PROGRAM')
    await pane.until('ready')
    const text = `${'A line of text, 中文 and more.\n'.repeat(160_000)}the very end`
    const file = join(tmux.folder, 'paste')
    writeFileSync(file, text)
    tmux.run('load-buffer', file, ';', 'paste-buffer', '-p', '-t', 'paste')
    expect(Buffer.byteLength(text)).toBeGreaterThan(5_000_000)
    expect(await pane.until('paste')).toEqual({ length: text.length, ends: text.slice(-20) })
    pane.type('q')
    await pane.until('left')
  })

  test.concurrent('keys of tmux are heard by their names', async () => {
    const pane = tmux.open('keys', 'exec $PROGRAM')
    await pane.until('ready')
    pane.keys('Up', 'C-Right', 'M-Enter', 'F5', 'PageDown', 'BTab', 'Escape')
    await pane.until('key', 7)
    pane.type('中👍🏽')
    await pane.until('text', 2)
    const names = pane.said().flatMap(([word, input]) => (word === 'key' ? [(input as { name: string }).name] : []))
    expect(names).toEqual(['up', 'C-right', 'M-enter', 'f5', 'pagedown', 'S-tab', 'escape'])
    pane.type('q')
    await pane.until('left')
  })

  test.concurrent('a window that is closed is told, and no process is left', async () => {
    const pane = tmux.open('closed', 'exec $PROGRAM in-order')
    await pane.until('ready')
    const pid = pane.pid()
    tmux.run('kill-session', '-t', 'closed')
    await pane.until('closed')
    expect(await pane.until('left')).toBe('same')
    await eventually(() => !isAlive(pid))
  })
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
