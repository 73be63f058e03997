/**
 * A program that shows random pictures on the terminal that it runs in. Tests bundle and run it; what it hears goes to
 * the file it is given. Each size has its picture: what is drawn depends on nothing else.
 */

import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import fc from 'fast-check'
import type { Clock, Logger } from 'svc/sdk'
import type { TerminalInput, TerminalScreen } from 'svc/sdk/terminal'
import { OpenScreens } from '../../../../plugins/terminal-ui/tui-screen/screens.ts'
import { textLayout } from '../../../../plugins/terminal-ui/typography/layout.ts'
import { anyPicture, skin } from './support.ts'

const [, , file = '', manner = ''] = process.argv
const say = (word: string, more?: unknown) => appendFileSync(file, `${JSON.stringify([word, more])}\n`)

const clock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback, options) {
    const timer = setTimeout(callback, ms)
    if (options?.background) timer.unref()
    return () => clearTimeout(timer)
  },
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}
const log: Logger = { debug: () => {}, info: () => {}, warn: (text) => say('warn', text), error: () => {} }
const screens = new OpenScreens({
  names: () => ({ term: process.env['TERM'], colorterm: process.env['COLORTERM'], noColor: process.env['NO_COLOR'] }),
  layout: textLayout,
  clock: () => clock,
  log,
  path: () => process.env['PATH'] ?? '',
})
let before: unknown
let screen: TerminalScreen

async function main() {
  if (manner === 'in-order') {
    process.on('SIGTERM', () => void leave(143))
    process.on('SIGHUP', () => say('hung up'))
  }
  before = listeners()
  screen = await screens.open({ input: process.stdin, output: process.stdout, skin, mouse: true })
  screen.onInput(heard)
  draw()
  say('ready', { pid: process.pid })
}

function draw() {
  const { columns, rows } = screen
  const [picture] = fc.sample(anyPicture(rows), { seed: columns * 1000 + rows, numRuns: 1 })
  const title = [{ text: `size ${columns}x${rows}` }]
  screen.draw({ ...picture, lines: [title, ...(picture?.lines ?? [])].slice(0, rows) })
}

function listeners() {
  const all: readonly NodeJS.EventEmitter[] = [process.stdin, process.stdout, process.stderr, process]
  return all.map((each) =>
    each
      .eventNames()
      .map((name) => `${String(name)} ${each.listenerCount(name)}`)
      .sort(),
  )
}

async function leave(code: number) {
  await screen.close()
  const after = listeners()
  say('left', JSON.stringify(after) === JSON.stringify(before) ? 'same' : { before, after })
  process.exitCode = code
}

function lend() {
  return screen.lend(
    () =>
      new Promise<void>((resolve) => {
        const child = spawn('sh', ['-c', 'echo LENT; read line; echo "GOT $line"; read line'], { stdio: 'inherit' })
        child.on('exit', () => resolve())
      }),
  )
}

const actions: Record<string, () => unknown> = {
  q: () => leave(0),
  x: () => {
    throw new Error('thrown on purpose')
  },
  e: () => process.exit(3),
  l: lend,
  f: () => {
    screen.forget()
    draw()
  },
  p: () => say('pictured'),
}

function heard(input: TerminalInput) {
  if (input.type === 'resize') return draw()
  if (input.type === 'paste') return say('paste', { length: input.text.length, ends: input.text.slice(-20) })
  say(input.type, input)
  if (input.type === 'key' && input.name === 'C-z') return void screen.suspend()
  if (input.type === 'text') for (const letter of input.text) void actions[letter]?.()
  if (input.type === 'closed') return void leave(4)
}

// While a module is evaluated Node listens itself.
setImmediate(() => void main())
