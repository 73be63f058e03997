import type { TerminalInput } from 'svc/sdk/terminal'
import { type TerminalScreen, TerminalScreens } from 'svc/sdk/terminal'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import { Emulator } from './emulator.ts'
import { fakeStreams } from './streams.ts'
import { layout, skin } from './support.ts'

interface Opening {
  readonly env?: Readonly<Record<string, string>>
  readonly mouse?: boolean
}

/** A kernel with the plugin, and a screen on streams of the test. */
async function opened({ env, mouse = false }: Opening = {}) {
  const clock = virtualClock()
  const kernel = await testKernel({ plugins: ['tui-screen'], clock, env: { TERM: 'xterm-256color', ...env } })
  const streams = fakeStreams(20, 4)
  const before = listeners(streams)
  const { input, output } = streams
  const open = () => kernel.use(TerminalScreens).open({ input, output, skin, mouse })
  const screen = await open()
  const heard: TerminalInput[] = []
  screen.onInput((event) => heard.push(event))
  return {
    ...{ clock, kernel, screen, heard, before, open, ...streams },
    async [Symbol.asyncDispose]() {
      await screen.close()
      await kernel.stop()
    },
  }
}

/** How many listen to what, on the streams and on the process. */
function listeners({ input, output }: { input: NodeJS.EventEmitter; output: NodeJS.EventEmitter }) {
  const count = (emitter: NodeJS.EventEmitter) =>
    Object.fromEntries(emitter.eventNames().map((name) => [String(name), emitter.listenerCount(name)]))
  return { input: count(input), output: count(output), process: count(process) }
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))
const write = (screen: TerminalScreen, text: string) => screen.draw({ lines: [[{ text }]] })

describe('a terminal that is taken over', () => {
  test('is as it was after it is closed, and no one listens any more', async () => {
    await using at = await opened({ mouse: true })
    const terminal = new Emulator(layout, 20, 4)
    write(at.screen, 'hello')
    terminal.write(at.display.take())
    expect(terminal.text()[0]).toBe('hello               ')
    expect([...terminal.modes].sort()).toEqual(['?1000', '?1002', '?1004', '?1006', '?1049', '?2004'])
    expect(at.keyboard.isRaw).toBe(true)
    expect(listeners(at)).not.toEqual(at.before)
    await at.screen.close()
    terminal.write(at.display.take())
    expect([...terminal.modes].sort()).toEqual(['?25', '?7'])
    expect(at.keyboard.isRaw).toBe(false)
    expect(at.keyboard.isPaused()).toBe(true)
    expect(listeners(at)).toEqual(at.before)
    write(at.screen, 'later')
    at.screen.bell()
    await at.screen.close()
    expect(at.display.take()).toBe('')
  })

  test('asks for the mouse only when that is wanted', async () => {
    await using at = await opened()
    expect(at.display.text).not.toMatch(/\?100[0-36]/)
  })

  test('is given back when the plugin is unloaded', async () => {
    await using at = await opened()
    await at.kernel.stop()
    expect(at.display.text).toContain('\x1b[?1049l')
    expect(listeners(at)).toEqual(at.before)
  })

  test('has the title, the bell and the clipboard, and no text gets out of them', async () => {
    await using at = await opened()
    at.display.take()
    at.screen.title('a\x07b\x1b\\c')
    at.screen.bell()
    at.screen.copy('grüße')
    expect(at.display.take()).toBe(`\x1b]2;a b \\c\x1b\\\x07\x1b]52;c;${Buffer.from('grüße').toString('base64')}\x07`)
  })

  test('hears keys until the listener is taken off', async () => {
    await using at = await opened()
    const off = at.screen.onInput(() => expect.unreachable())
    await off()
    at.keyboard.write('a\r')
    await nextTurn()
    expect(at.heard).toEqual([
      { type: 'text', text: 'a' },
      { type: 'key', name: 'enter' },
    ])
  })

  test('hears nothing more once a key closed it, and no timer is left', async () => {
    await using at = await opened()
    const pending = at.clock.pending()
    at.screen.onInput(() => void at.screen.close())
    at.keyboard.write('\rmore\x1b')
    await nextTurn()
    expect(at.heard).toEqual([{ type: 'key', name: 'enter' }])
    expect(at.clock.pending()).toBe(pending)
  })

  test('is drawn again after another size, even the smallest', async () => {
    await using at = await opened()
    write(at.screen, 'hello')
    Object.assign(at.display, { columns: 1, rows: 1 })
    at.display.emit('resize')
    expect(at.heard).toEqual([{ type: 'resize' }])
    expect([at.screen.columns, at.screen.rows]).toEqual([1, 1])
    at.display.take()
    write(at.screen, 'hello')
    const terminal = new Emulator(layout, 1, 1)
    terminal.write(at.display.take())
    expect(terminal.text()).toEqual(['h'])
    Object.assign(at.display, { columns: 0, rows: 0 })
    expect([at.screen.columns, at.screen.rows]).toEqual([80, 24])
  })

  test('that is slow gets the newest picture only', async () => {
    await using at = await opened()
    at.display.stick()
    write(at.screen, 'first')
    await nextTurn()
    for (let count = 0; count < 100; count++) write(at.screen, `${'x'.repeat(18)}${count % 10}`)
    expect(at.display.writableLength).toBeLessThan(2500)
    at.display.stuck?.()
    await nextTurn()
    write(at.screen, 'last')
    await nextTurn()
    const terminal = new Emulator(layout, 20, 4)
    terminal.write(at.display.text)
    expect(terminal.text()[0]).toBe('last                ')
  })

  test('that is closed by its user is told once, and written to no more', async () => {
    await using at = await opened()
    at.display.take()
    at.keyboard.destroy(Object.assign(new Error('read EIO'), { code: 'EIO' }))
    await nextTurn()
    at.display.emit('error', new Error('write EIO'))
    expect(at.heard).toEqual([{ type: 'closed' }])
    write(at.screen, 'hello')
    await at.screen.close()
    expect(at.display.take()).toBe('')
    expect(listeners(at)).toEqual(at.before)
  })
})

describe('lending the terminal', () => {
  test('gives it back while someone works in it, and takes it again with everything again', async () => {
    await using at = await opened()
    at.screen.title('mine')
    write(at.screen, 'hello')
    at.display.take()
    const result = await at.screen.lend(async () => {
      expect(at.display.take()).toContain('\x1b[?1049l')
      expect([at.keyboard.isRaw, at.keyboard.isPaused()]).toEqual([false, true])
      write(at.screen, 'not now')
      expect(at.display.take()).toBe('')
      at.keyboard.write('for the editor')
      await nextTurn()
      expect(at.keyboard.read()).toEqual(Buffer.from('for the editor'))
      return 'edited'
    })
    expect(result).toBe('edited')
    expect(at.heard).toEqual([{ type: 'resize' }])
    expect(at.keyboard.isRaw).toBe(true)
    expect(at.display.take()).toMatch(/\x1b\[\?1049h.*\x1b\]2;mine/s)
    write(at.screen, 'hello')
    expect(at.display.take()).toContain('hello')
  })

  test('takes it again after work that failed, and not when it was closed meanwhile', async () => {
    await using at = await opened()
    await expect(at.screen.lend(() => Promise.reject(new Error('no editor')))).rejects.toThrow('no editor')
    expect(at.keyboard.isRaw).toBe(true)
    await at.screen.lend(() => at.screen.close())
    expect(at.keyboard.isRaw).toBe(false)
    expect(listeners(at)).toEqual(at.before)
  })
})

describe('what is no terminal for a full screen', () => {
  const streams = () => fakeStreams(80, 24)

  test.for([['dumb'], [''], ['vt52']])('is refused: TERM=%j', async ([term = '']) => {
    await using kernel = await testKernel({ plugins: ['tui-screen'], env: { TERM: term } })
    const { input, output } = streams()
    const opening = kernel.use(TerminalScreens).open({ input, output, skin, mouse: false })
    await expect(opening).rejects.toMatchObject({ code: 'TERMINAL_UNUSABLE' })
  })

  test('is refused when it is a pipe, or has a screen already', async () => {
    await using at = await opened()
    await expect(at.open()).rejects.toMatchObject({ code: 'TERMINAL_UNUSABLE' })
    const { input, output } = streams()
    const pipe = Object.assign(input, { isTTY: false })
    const opening = at.kernel.use(TerminalScreens).open({ input: pipe, output, skin, mouse: false })
    await expect(opening).rejects.toMatchObject({ code: 'TERMINAL_UNUSABLE' })
    await at.screen.close()
    await (await at.open()).close()
  })
})

test.for([
  [{ TERM: 'xterm-256color' }, 256],
  [{ TERM: 'xterm-256color', COLORTERM: 'truecolor' }, 16777216],
  [{ TERM: 'xterm-kitty' }, 16777216],
  [{ TERM: 'xterm' }, 16],
  [{ TERM: 'linux' }, 16],
  [{ TERM: 'nobody-knows-it' }, 16],
  [{ TERM: '../../etc/passwd' }, 16],
  [{ TERM: 'vt100' }, 0],
  [{ TERM: 'xterm-256color', COLORTERM: 'truecolor', NO_COLOR: '1' }, 0],
] as const)('%j has so many colours: %i', async ([env, colors]) => {
  await using at = await opened({ env })
  expect(at.screen.colors).toBe(colors)
})
