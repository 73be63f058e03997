/** Plays the story in a terminal and takes the pictures. */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { terminalPicture } from '../support/docs/terminal-picture.ts'
import { type ModelServer, startModelServer } from '../support/model-server.ts'
import { removeFolder } from '../support/remove-folder.ts'
import { missingTmux, Tmux } from '../support/tmux.ts'
import { asked, earlier, project, reply } from './story.ts'

/** Where things are. */
export interface Places {
  /** The built program. */
  readonly program: string
  /** Where the pictures go. */
  readonly pictures: string
}

const COLUMNS = 96
const ROWS = 36
/** For what has little to show. */
const SMALL_ROWS = 18
/** Long enough for everything that still moves to be drawn. */
const CALM_MS = 400
/** The name is on the pictures, so it is the same on every machine. */
const scratch = '/tmp/svc-pictures'
const folders = { cwd: join(scratch, 'weather'), home: join(scratch, 'home') }

const settings = (url: string) => `model:
  provider: custom
  base_url: ${url}
  default: my-model
  known:
    custom/my-model: { context_length: 128000, input_price: 3, output_price: 15 }
display:
  show_cost: true
terminal:
  # Some commands need no question where they are confined.
  confine: 'off'
`

/** Throws when tmux is missing, or when something is not on the screen that should be. */
export async function main({ program, pictures }: Places): Promise<void> {
  const missing = missingTmux()
  if (missing) throw new Error(`${missing}: the pictures are taken in it`)
  removeFolder(scratch)
  const server = await startModelServer({ replies: reply })
  try {
    await prepare(server, program)
    const terminal = open(program)
    // Also when someone stops it half-way: tmux would go on by itself.
    const close = () => void terminal.close()
    process.once('exit', close)
    try {
      await play(terminal, (name, description) => take(terminal, join(pictures, `${name}.svg`), description))
    } finally {
      process.off('exit', close)
      await terminal.close()
    }
  } finally {
    await server.close()
    removeFolder(scratch)
  }
}

async function prepare(server: ModelServer, program: string): Promise<void> {
  for (const [path, text] of Object.entries(project)) write(join(folders.cwd, path), text)
  write(join(folders.cwd, '.git/HEAD'), 'ref: refs/heads/main\n')
  write(join(folders.home, 'config.yaml'), settings(server.url))
  const options = { cwd: folders.cwd, env: { ...environment() } }
  for (const question of Object.keys(earlier)) {
    const asking = promisify(execFile)(process.execPath, [program, 'chat', '-q', question], options)
    // Otherwise it waits for what else may come in by the pipe.
    asking.child.stdin?.end()
    await asking
  }
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function environment(): Readonly<Record<string, string>> {
  const colors = { TERM: 'tmux-256color', COLORTERM: 'truecolor' }
  return { PATH: process.env['PATH'] ?? '', HOME: scratch, SVC_HOME: folders.home, SHELL: '/bin/sh', ...colors }
}

function open(program: string): Tmux {
  const command = [process.execPath, program]
  return new Tmux({ command, columns: COLUMNS, rows: ROWS, cwd: folders.cwd, env: environment() })
}

type Take = (name: string, description: string) => Promise<void>

async function play(terminal: Tmux, picture: Take): Promise<void> {
  await terminal.shows(/Ask something/)
  terminal.line(asked.look)
  await terminal.shows(/Shall I mend it/)
  await picture('answer', 'An answer with a heading, code and a table, below the tool calls it came from')
  terminal.line(asked.mend)
  await terminal.shows(/2\/3 Run all tests.*\n.*npm test.* 3 lines/)
  await picture('edit', 'Edits of two files with what changed, and the plan of the work under way')
  await terminal.shows(/All 3 tests pass/)
  terminal.line(asked.clean)
  await terminal.shows(/asks to run/)
  await picture('approval', 'A question whether a dangerous command may run')
  terminal.press('o')
  await terminal.shows(/is gone/)
  terminal.type('/s')
  await terminal.shows(/\/skin/)
  await picture('commands', 'The menu of slash commands that begin with what was typed')
  terminal.press('C-c')
  terminal.resize(COLUMNS, SMALL_ROWS)
  terminal.press('C-x')
  await terminal.shows(/haiku/)
  await picture('sessions', 'The list of conversations')
  terminal.press('Escape')
  await terminal.shows(/is gone/)
  terminal.press('F1')
  await terminal.shows(/Esc close/)
  await picture('help', 'Slash commands and keys')
}

async function take(terminal: Tmux, path: string, description: string): Promise<void> {
  await pause(CALM_MS)
  const cursor = terminal.cursor()
  const capture = terminal.coloredScreen()
  const rows = capture.trimEnd().split('\n').length
  const title = 'svc — weather'
  const picture = terminalPicture({
    capture,
    columns: COLUMNS,
    rows,
    title,
    description,
    ...(cursor ? { cursor } : {}),
  })
  writeFileSync(path, picture)
  process.stdout.write(`${path}: ${(picture.length / 1024).toFixed(1)} kB\n`)
}
