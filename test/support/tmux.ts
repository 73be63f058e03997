/** A program in a real terminal: tmux (github.com/tmux/tmux/wiki) holds it, types into it and says what is on its screen. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { isPidInUse } from '../../sdk/kit/process/index.ts'

/** Why there is no tmux to use; undefined when there is. In CI its absence is a failure, not an excuse. */
export function missingTmux(): string | undefined {
  try {
    execFileSync('tmux', ['-V'], { stdio: 'ignore' })
    return undefined
  } catch {
    return process.env['SVC_TEST_REQUIRE_PROGRAMS'] === '1' ? undefined : 'tmux is not installed'
  }
}

/** How the terminal is. */
export interface TmuxOptions {
  readonly command: readonly string[]
  readonly columns: number
  readonly rows: number
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

const PATIENCE_MS = 30_000
const LOOK_MS = 50

/** One terminal with its own server, so that no one's settings and no other test can disturb it. */
export class Tmux {
  readonly #socket = `svc-test-${randomBytes(6).toString('hex')}`

  constructor({ command, columns, rows, cwd, env }: TmuxOptions) {
    const variables = Object.entries({ LANG: 'C.UTF-8', ...env }).map(([name, value]) => `${name}=${value}`)
    const quoted = ['env', '-i', ...variables, ...command].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
    const size = ['-x', String(columns), '-y', String(rows)]
    // The shell stays when the program has ended, so that what it left behind can be looked at.
    const shell = `sh -c "${`${quoted}; echo left with $?; stty -a; exec sh`.replaceAll(/["$`\\]/g, '\\$&')}"`
    this.#run('-f', '/dev/null', 'new-session', '-d', '-s', 'main', ...size, '-c', cwd, shell)
    this.#run('set-option', '-g', 'default-terminal', 'tmux-256color')
    this.#run('set-option', '-g', 'escape-time', '0')
  }

  /** Types a text as it stands. */
  type(text: string): void {
    this.#run('send-keys', '-t', 'main', '-l', text)
  }

  /** Presses keys by their names in tmux: `Enter`, `C-c`, `M-Enter`, `PageUp`. */
  press(...keys: readonly string[]): void {
    this.#run('send-keys', '-t', 'main', ...keys)
  }

  /** Types a line and presses Enter. */
  line(text: string): void {
    this.type(text)
    this.press('Enter')
  }

  /** Pastes as a terminal does: in brackets when the program asked for that. */
  paste(text: string): void {
    execFileSync('tmux', ['-L', this.#socket, 'load-buffer', '-'], { input: text })
    this.#run('paste-buffer', '-p', '-t', 'main')
  }

  resize(columns: number, rows: number): void {
    this.#run('resize-window', '-t', 'main', '-x', String(columns), '-y', String(rows))
  }

  /** What is on the screen, a line for each row without blanks at its end. */
  screen(): string {
    return this.#run('capture-pane', '-p', '-t', 'main')
  }

  /** The same with its colours, as escape sequences, and with the blanks at the ends of lines. */
  coloredScreen(): string {
    return this.#run('capture-pane', '-e', '-N', '-p', '-t', 'main')
  }

  /** Where the cursor is, counted from 0; undefined when it is hidden. */
  cursor(): { readonly row: number; readonly column: number } | undefined {
    const said = this.#run('display-message', '-p', '-t', 'main', '#{cursor_flag} #{cursor_y} #{cursor_x}')
    const [shown, row = 0, column = 0] = said.trim().split(' ').map(Number)
    return shown ? { row, column } : undefined
  }

  /** Whether the program has switched to the alternate screen. */
  isAlternate(): boolean {
    return this.#run('display-message', '-p', '-t', 'main', '#{alternate_on}').trim() === '1'
  }

  /** What tmux knows of the terminal: a format of its manual, such as `#{pane_title}`. */
  state(format: string): string {
    return this.#run('display-message', '-p', '-t', 'main', format).trim()
  }

  /** What programs put into the clipboard. */
  clipboard(): string {
    return this.#run('list-buffers')
  }

  /** The process id of the shell in the terminal. */
  pid(): number {
    return Number(this.#run('display-message', '-p', '-t', 'main', '#{pane_pid}'))
  }

  /** Resolves with the screen once it fits. */
  async shows(pattern: RegExp): Promise<string> {
    const end = Date.now() + PATIENCE_MS
    for (;;) {
      const screen = this.screen()
      if (pattern.test(screen)) return screen
      if (Date.now() > end) throw new Error(`${pattern} is not on the screen:\n${screen}`)
      await pause(LOOK_MS)
    }
  }

  /** Closes the terminal. Resolves once the programs in it have ended: until then they can write into their folders. */
  async close(): Promise<void> {
    const running = this.#processes()
    try {
      this.#run('kill-server')
    } catch {
      // It has ended with its last window.
    }
    for (const end = Date.now() + PATIENCE_MS; running.some(isPidInUse); await pause(LOOK_MS))
      if (Date.now() > end)
        throw new Error(`still running after the terminal was closed: ${running.filter(isPidInUse)}`)
  }

  /** The shell in the terminal and its descendants. */
  #processes(): readonly number[] {
    try {
      const list = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
      const parents = new Map(list.map((line) => line.trim().split(/\s+/).map(Number) as [number, number]))
      const found = [this.pid()]
      for (const parent of found) for (const [pid, of] of parents) if (of === parent) found.push(pid)
      return found
    } catch {
      return []
    }
  }

  #run(...args: readonly string[]): string {
    return execFileSync('tmux', ['-u', '-L', this.#socket, ...args], { encoding: 'utf8', stdio: 'pipe' })
  }
}
