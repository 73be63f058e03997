/** Its own tmux, to see what a real terminal makes of things. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { removeFolder } from '../../../support/remove-folder.ts'

/** Why there is none; undefined when it works. */
export function lacksTmux(): string | undefined {
  const found = spawnSync('tmux', ['-V'], { encoding: 'utf8' })
  return found.status === 0 ? undefined : 'tmux is not installed'
}

export interface Pane {
  /** Keys by tmux's names. */
  keys(...names: string[]): void
  type(text: string): void
  resize(columns: number, rows: number): void
  /** What is seen, with colours. */
  capture(): string
  /** The value of a format: `#{alternate_on}`. */
  state(format: string): string
  /** The settings of the terminal. */
  settings(): string
  /** What the program said so far: a word and more. */
  said(): readonly (readonly [string, unknown])[]
  /** Waits until the program said the word, this many times in all. */
  until(word: string, count?: number): Promise<unknown>
  /** The process of the program. */
  pid(): number
}

export interface Tmux extends AsyncDisposable {
  readonly folder: string
  /** A window in which the command runs; `$PROGRAM` runs the program, `$SAID` is its file. */
  open(name: string, command: string, size?: readonly [number, number], env?: Readonly<Record<string, string>>): Pane
  run(...args: string[]): string
}

/** With the program bundled. Disposing of it ends everything in it. */
export async function startTmux(): Promise<Tmux> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-tmux-'))
  const program = join(folder, 'program.mjs')
  await build({
    entryPoints: [join(import.meta.dirname, 'screen-program.ts')],
    ...{ bundle: true, platform: 'node', format: 'esm', target: 'node20', outfile: program, logLevel: 'silent' },
    conditions: ['svc-source'],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('/');" },
  })
  const socket = join(folder, 'socket')
  const run = (...args: string[]) =>
    execFileSync('tmux', ['-u', '-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' })
  run('new-session', '-d', '-s', 'main', '-x', '80', '-y', '24', 'cat', ';', 'set', '-g', 'status', 'off')
  return {
    folder,
    run,
    open(name, command, [columns, rows] = [80, 24], env = {}) {
      const said = join(folder, `${name}.said`)
      writeFileSync(said, '')
      const all = { PROGRAM: `${process.execPath} ${program} ${said}`, SAID: said, ...env }
      const set = Object.entries(all).flatMap(([key, value]) => ['-e', `${key}=${value}`])
      run('new-session', '-d', '-s', name, '-x', String(columns), '-y', String(rows), ...set, command)
      run('set', '-t', name, 'window-size', 'manual')
      return createPane(run, name, said)
    },
    async [Symbol.asyncDispose]() {
      spawnSync('tmux', ['-S', socket, 'kill-server'])
      // Programs that are being ended may still write what they hear of it.
      await eventually(() => isRemoved(folder))
    },
  }
}

function isRemoved(folder: string): boolean {
  try {
    removeFolder(folder)
    return !existsSync(folder)
  } catch {
    return false
  }
}

function createPane(run: (...args: string[]) => string, name: string, file: string): Pane {
  const said = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as readonly [string, unknown])
  const of = (word: string) => said().filter(([each]) => each === word)
  return {
    said,
    keys: (...names) => void run('send-keys', '-t', name, ...names),
    type: (text) => void run('send-keys', '-t', name, '-l', text),
    resize: (columns, rows) => void run('resize-window', '-t', name, '-x', String(columns), '-y', String(rows)),
    capture: () => run('capture-pane', '-e', '-p', '-t', name),
    state: (format) => run('display', '-p', '-t', name, format).trim(),
    settings: () =>
      execFileSync('stty', ['-a', '-F', run('display', '-p', '-t', name, '#{pane_tty}').trim()], { encoding: 'utf8' }),
    until: async (word, count = 1) => {
      await eventually(() => of(word).length >= count)
      return of(word)[count - 1]?.[1]
    },
    pid: () => (of('ready').at(-1) as readonly [string, { pid: number }])[1].pid,
  }
}

/** Looks again until it is so, for at most fifteen seconds. */
export async function eventually(isSo: () => boolean): Promise<void> {
  const end = performance.now() + 15_000
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`it did not come to that in fifteen seconds: ${isSo}`)
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}
