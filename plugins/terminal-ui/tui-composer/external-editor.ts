/** Programs that the composer runs: the user's own editor, and those that read the clipboard. */
import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, SvcError } from 'svc/sdk'

export interface ProgramDeps {
  readonly clock: Clock
  readonly signal: AbortSignal
  /** A variable of the environment; undefined when it is not set. */
  environment(name: string): string | undefined
}

const CLIPBOARD_MS = 5000
const MAX_BYTES = 20 * 2 ** 20
const MAX_TEXT = 64 * 2 ** 20
const TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/gif']

/**
 * Lets the user edit a text in $VISUAL, $EDITOR, vi or nano; the new text without a line feed at its end. The terminal
 * must have been lent. Throws `TUI_EDITOR`.
 */
export async function editOutside(text: string, deps: ProgramDeps): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-message-'))
  const file = join(folder, 'message.md')
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx' })
    await runEditor(file, deps)
    const bytes = await readFile(file)
    if (bytes.length > MAX_TEXT) throw new SvcError('TUI_EDITOR', 'The text is too long now; the draft is as it was.')
    return bytes.toString().replace(/\r?\n$/, '')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** They may hold options, so a shell reads them, as it does for git. */
async function runEditor(file: string, { environment, signal }: ProgramDeps): Promise<void> {
  const wanted = environment('VISUAL') ?? environment('EDITOR')
  const either = 'if command -v vi >/dev/null 2>&1; then exec vi "$1"; else exec nano "$1"; fi'
  const script = wanted === undefined ? either : `${wanted} "$1"`
  const child = spawn('/bin/sh', ['-c', script, 'svc', file], { stdio: 'inherit', signal })
  const end = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, by) => resolve(code === 0 ? undefined : `ended with ${by ?? code}`))
  })
  if (end === undefined) return
  const name = wanted === undefined ? 'Neither vi nor nano' : `The editor "${wanted}"`
  const what = wanted === undefined ? `could be used (${end})` : `failed: it ${end}`
  throw new SvcError('TUI_EDITOR', `${name} ${what}. The draft is as it was. Set $VISUAL or $EDITOR to one that works.`)
}

/** The picture in the clipboard. Throws `TUI_CLIPBOARD` if it holds no picture or no program can read it. */
export async function clipboardPicture(deps: ProgramDeps): Promise<Uint8Array> {
  for (const { list, read } of readersHere(deps)) {
    const kinds = list && (await output(list, deps))
    if (list && kinds === undefined) continue
    const names = kinds && Buffer.from(kinds).toString().split(/\s+/)
    const type = names ? TYPES.find((each) => names.includes(each)) : 'image/png'
    const bytes = type && (await output(read(type), deps))
    if (bytes && bytes.length > 0) return bytes
    throw new SvcError('TUI_CLIPBOARD', 'There is no picture in the clipboard.')
  }
  const advice = 'Install wl-paste (Wayland), xclip (X11) or pngpaste (macOS), or drop a file here'
  throw new SvcError('TUI_CLIPBOARD', `The clipboard cannot be read for pictures. ${advice}.`)
}

interface ClipboardReader {
  /** Says which kinds there are; left out: it only gives PNG. */
  readonly list?: readonly string[]
  read(type: string): readonly string[]
}

function readersHere({ environment }: ProgramDeps): readonly ClipboardReader[] {
  const wayland: ClipboardReader = {
    list: ['wl-paste', '--list-types'],
    read: (type) => ['wl-paste', '--no-newline', '--type', type],
  }
  const x11: ClipboardReader = {
    list: ['xclip', '-selection', 'clipboard', '-target', 'TARGETS', '-out'],
    read: (type) => ['xclip', '-selection', 'clipboard', '-target', type, '-out'],
  }
  return [
    ...(environment('WAYLAND_DISPLAY') === undefined ? [] : [wayland]),
    ...(environment('DISPLAY') === undefined ? [] : [x11]),
    ...(process.platform === 'darwin' ? [{ read: () => ['pngpaste', '-'] }] : []),
  ]
}

/** What a program writes; undefined when there is no such program, and empty when it fails or takes too long. */
async function output(command: readonly string[], deps: ProgramDeps): Promise<Uint8Array | undefined> {
  const { clock, environment, signal } = deps
  const [program = '', ...args] = command
  const names = ['PATH', 'HOME', 'WAYLAND_DISPLAY', 'XDG_RUNTIME_DIR', 'DISPLAY', 'XAUTHORITY']
  const env = Object.fromEntries(names.flatMap((name) => [[name, environment(name)] as const].filter(([, at]) => at)))
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'], env, signal, killSignal: 'SIGKILL' })
  const cancel = clock.after(CLIPBOARD_MS, () => child.kill('SIGKILL'))
  const parts: Buffer[] = []
  let size = 0
  child.stdout.on('data', (part: Buffer) => {
    size += part.length
    if (size > MAX_BYTES) child.kill('SIGKILL')
    else parts.push(part)
  })
  try {
    return await new Promise<Uint8Array | undefined>((resolve, reject) => {
      child.once('error', (error: NodeJS.ErrnoException) =>
        error.code === 'ENOENT' ? resolve(undefined) : reject(error),
      )
      child.once('close', (code) => resolve(code === 0 ? Buffer.concat(parts) : new Uint8Array()))
    })
  } finally {
    cancel()
  }
}
