/** The names of all files below a folder, less what git ignores; asked for at every key, so they are kept for a while. */
import type { Clock } from 'svc/sdk'
import { waitAtMost } from 'svc/sdk/kit/async'
import { runProgram } from 'svc/sdk/kit/process'
import type { Paths } from './match-paths.ts'
import type { MentionSession, MentionsDeps } from './mention.ts'
import { failProgram } from './program-failure.ts'

export interface FileIndexDeps {
  readonly clock: () => Clock
  readonly path: () => string
  readonly signal: AbortSignal
  readonly environment: MentionsDeps['environment']
}

const MAX_FILES = 50_000
const MAX_BYTES = 16 * 2 ** 20
const FRESH_MS = 5000
/** A tree that takes longer is known as far as it was read. */
const LIST_MS = 10_000
/** How long the first answer may take. */
const PATIENCE_MS = 400
const MAX_FOLDERS = 4

interface Entry {
  names: Paths
  readAt: number
  reading: Promise<void> | undefined
}

const NOTHING: Paths = { paths: [], lower: [] }

export class FileIndex {
  readonly #deps: FileIndexDeps
  readonly #entries = new Map<string, Entry>()

  constructor(deps: FileIndexDeps) {
    this.#deps = deps
  }

  /** What is known, at once; what is older than some seconds is read again meanwhile. */
  async names(session: MentionSession): Promise<Paths> {
    const entry = this.#getEntry(session)
    const clock = this.#deps.clock()
    const isOld = entry.names === NOTHING || clock.monotonic() - entry.readAt > FRESH_MS
    if (isOld)
      entry.reading ??= this.#read(session, entry).finally(() => {
        entry.reading = undefined
      })
    if (entry.names === NOTHING && entry.reading) await this.#atMost(PATIENCE_MS, entry.reading)
    return entry.names
  }

  #getEntry({ cwd, sessionId }: MentionSession): Entry {
    // Two sessions of one folder may work in two environments.
    const key = `${cwd}\0${sessionId}`
    const entry = this.#entries.get(key) ?? { names: NOTHING, readAt: 0, reading: undefined }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= MAX_FOLDERS) break
      this.#entries.delete(oldest)
    }
    return entry
  }

  async #atMost(ms: number, work: Promise<void>): Promise<void> {
    await waitAtMost(this.#deps.clock(), ms, work)
  }

  /** A folder that cannot be listed has no names: completion says nothing about it. */
  async #read(session: MentionSession, entry: Entry): Promise<void> {
    const { clock, signal } = this.#deps
    const late = new AbortController()
    const cancel = clock().after(LIST_MS, () => late.abort())
    let text = ''
    const take = (part: string) => {
      text += part
    }
    const ended = AbortSignal.any([signal, late.signal])
    try {
      const environment = await this.#deps.environment(session)
      if (environment === undefined)
        await this.#list({ cwd: session.cwd, signal: ended, maxBytes: MAX_BYTES, onOutput: take })
      else {
        const found = await environment.files?.names(environment.folder, { limit: MAX_FILES, signal: ended })
        text = (found?.paths ?? []).map((path) => `${path}\0`).join('')
      }
    } catch {
      // Models listed so far are known.
    }
    cancel()
    entry.names = parseNames(text)
    entry.readAt = clock().monotonic()
  }

  async #list(call: Pick<Parameters<typeof runProgram>[0], 'cwd' | 'signal' | 'maxBytes' | 'onOutput'>): Promise<void> {
    const program = await findRipgrep()
    const shared = { ...call, owner: 'mentions', fail: failProgram }
    const args = ['--files', '--hidden', '--no-config', '--no-require-git', '--null', '--glob', '!.git']
    const gitArgs = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
    await (program === undefined
      ? runProgram({ ...shared, program: 'git', args: gitArgs, environment: { PATH: this.#deps.path() } })
      : runProgram({ ...shared, program, args, environment: {} }))
  }
}

async function findRipgrep(): Promise<string | undefined> {
  try {
    return (await import('@vscode/ripgrep')).rgPath
  } catch {
    // It is an optional package of another machine's kind: git knows the files of its folders, too.
    return undefined
  }
}

/** The files, and the folders that they are in, which end with a slash; relative to the folder. */
function parseNames(text: string): Paths {
  const files = text.split('\0').slice(0, -1).slice(0, MAX_FILES)
  const folders = new Set<string>()
  for (const file of files)
    for (
      let end = file.lastIndexOf('/');
      end > 0 && !folders.has(file.slice(0, end + 1));
      end = file.lastIndexOf('/', end - 1)
    )
      folders.add(file.slice(0, end + 1))
  const paths = [...folders, ...files]
  return { paths, lower: paths.map((path) => path.toLowerCase()) }
}
