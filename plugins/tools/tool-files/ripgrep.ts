/** Searching with ripgrep: much faster than our own search, knows `.gitignore`, and cannot hold up the program. */
import { type ChildProcessByStdio, type StdioOptions, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import { errorMessage, SvcError } from 'svc/sdk'
import { AGENT_PROCESS_VARIABLE } from 'svc/sdk/shell'
import { SKIPPED_FOLDERS } from './walk.ts'

/** A match in a longer line is only counted: the line would fill the memory. */
const LONGEST_LINE = 8_000_000
const MAX_ERROR_CHARACTERS = 4000
const MAX_COMPLAINTS = 3
/** Linux takes 128 KiB for one argument of a program. */
const LONGEST_ARGUMENT = 100_000

/** What is looked for, and where. */
export interface RipgrepRequest {
  /** The program. */
  readonly program: string
  /** A folder without links; `target` is relative to it. */
  readonly folder: string
  readonly target: string | readonly string[]
  /** Descriptors that the program gets as 3, 4, and so on. */
  readonly open?: readonly number[]
  readonly glob: string | undefined
  readonly signal: AbortSignal
}

/** A line that ripgrep names: one that matches, or one near to it. */
export interface RipgrepLine {
  readonly path: string
  readonly line: number
  readonly text: string
  readonly match: boolean
  /** Where the match begins, in characters. */
  readonly at: number
}

/** How lines are looked for. */
export interface RipgrepOptions {
  readonly pattern: string
  readonly literal: boolean
  /** Lines around each match. */
  readonly context: number
  /** Most matches of one file. */
  readonly most: number | undefined
}

/** How a search ended. */
export interface RipgrepEnd {
  /** Files that were looked into; undefined when the search was stopped before its end. */
  readonly searched: number | undefined
  readonly remarks: readonly string[]
}

/** Where the program is; undefined when there is none for this machine. */
export async function findRipgrep(): Promise<string | undefined> {
  try {
    return (await import('@vscode/ripgrep')).rgPath
  } catch {
    // It is an optional package of another machine's kind: our own search takes over.
    return undefined
  }
}

/** Searches in files; `take` returns false when it has enough. Throws `SEARCH_FAILED`, also for a pattern that does not parse. */
export async function searchWithRipgrep(
  request: RipgrepRequest,
  options: RipgrepOptions,
  take: (line: RipgrepLine) => boolean,
): Promise<RipgrepEnd> {
  const kind = options.literal ? ['--fixed-strings'] : ['--engine', 'auto']
  const how = options.most === undefined ? kind : [...kind, '--max-count', String(options.most)]
  const args = ['--json', '--crlf', ...how, '--context', String(options.context), '--regexp', options.pattern]
  let searched: number | undefined
  const { long, complaints } = await run(request, args, (line) => {
    const message = JSON.parse(line) as Message
    if (message.type === 'summary') searched = message.data.stats?.searches
    const found = toRipgrepLine(message)
    return found === undefined || take(found)
  })
  const remarks = long === 0 ? [] : [`${long} very long lines are not shown`]
  return { searched, remarks: [...remarks, ...complaints] }
}

/** Names of files, relative to the folder; `take` returns false when it has enough. */
export async function listWithRipgrep(request: RipgrepRequest, take: (path: string) => boolean): Promise<void> {
  await run(request, ['--files'], (line) => take(line.replace(/^\.\//, '')))
}

/** One line of `rg --json`. */
interface Message {
  readonly type: 'begin' | 'match' | 'context' | 'end' | 'summary'
  readonly data: {
    readonly path?: Bytes
    readonly lines?: Bytes
    readonly line_number?: number
    readonly submatches?: readonly { readonly start: number }[]
    readonly stats?: { readonly searches?: number }
  }
}

/** Text, or base64 of what is not UTF-8. */
interface Bytes {
  readonly text?: string
  readonly bytes?: string
}

function decodeText({ text, bytes = '' }: Bytes): string {
  return text ?? Buffer.from(bytes, 'base64').toString()
}

function toRipgrepLine({ type, data }: Message): RipgrepLine | undefined {
  if ((type !== 'match' && type !== 'context') || !data.path || !data.lines) return undefined
  const text = decodeText(data.lines)
  const bytesBefore = data.submatches?.[0]?.start ?? 0
  return {
    path: decodeText(data.path).replace(/^\.\//, ''),
    line: data.line_number ?? 0,
    text: text.replace(/\r?\n$/, ''),
    match: type === 'match',
    at: Buffer.from(text).subarray(0, bytesBefore).toString().length,
  }
}

/** Ends the program when there is enough, or the signal aborts. */
async function run(
  request: RipgrepRequest,
  args: readonly string[],
  take: (line: string) => boolean,
): Promise<Outcome> {
  const { folder, target, glob, signal, open = [] } = request
  const skipped = SKIPPED_FOLDERS.flatMap((name) => ['--glob', `!**/${name}/**`])
  const wanted = glob === undefined ? [] : ['--glob', glob.replace(/^\.\//, '')]
  const all = ['--no-config', '--hidden', '--sort', 'path', ...wanted, ...skipped, ...args, '--', ...[target].flat()]
  if (all.some((argument) => Buffer.byteLength(argument) > LONGEST_ARGUMENT))
    throw new SvcError(
      'SEARCH_FAILED',
      'The pattern or the glob is too long to be searched for. Search for a part of it.',
    )
  const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', ...open]
  const child = spawn(request.program, all, {
    cwd: folder,
    stdio,
    env: { [AGENT_PROCESS_VARIABLE]: 'files' },
  }) as ChildProcessByStdio<null, Readable, Readable>
  const ended = new Promise<number | undefined>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve(code ?? undefined))
  })
  // Awaited at the end; until then a failed start must not count as unhandled.
  ended.catch(() => undefined)
  const stop = () => child.kill('SIGKILL')
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = (complaints + text).slice(0, MAX_ERROR_CHARACTERS)
  })
  try {
    const lines = new LineReader(take)
    for await (const chunk of child.stdout.setEncoding('utf8')) if (!lines.add(chunk as string)) stop()
    const code = await ended
    // It reports single files, too, and continues; without other output it could not start.
    if (code === 2 && !lines.any) throw new SvcError('SEARCH_FAILED', complaints.trim())
    return { long: lines.long, complaints: listRemarks(complaints) }
  } catch (error) {
    if (error instanceof SvcError) throw error
    throw new SvcError('SEARCH_FAILED', `ripgrep could not be run: ${errorMessage(error)}`, { cause: error })
  } finally {
    stop()
    signal.removeEventListener('abort', stop)
  }
}

/** What a search said besides its results. */
interface Outcome {
  /** Lines that were too long. */
  readonly long: number
  readonly complaints: readonly string[]
}

function listRemarks(complaints: string): string[] {
  const lines = complaints.split('\n').filter((line) => line.trim() !== '')
  const shown = lines
    .slice(0, MAX_COMPLAINTS)
    .map((line) => line.replace(/^rg: (\.\/)?/, 'not searched: ').slice(0, 200))
  const more = lines.length - shown.length
  return more > 0 ? [...shown, `${more} more files could not be searched`] : shown
}

/** Cuts output into lines, in bounded memory. */
class LineReader {
  /** Lines that were left out. */
  long = 0
  /** There was output. */
  any = false
  readonly #take: (line: string) => boolean
  #rest: string[] = []
  #length = 0
  #enough = false

  constructor(take: (line: string) => boolean) {
    this.#take = take
  }

  /** False when there is enough. */
  add(chunk: string): boolean {
    this.any = true
    let from = 0
    for (let end = chunk.indexOf('\n'); end !== -1 && !this.#enough; end = chunk.indexOf('\n', from)) {
      this.#keep(chunk.slice(from, end))
      if (this.#length > LONGEST_LINE) this.long++
      else if (!this.#take(this.#rest.join(''))) this.#enough = true
      this.#rest = []
      this.#length = 0
      from = end + 1
    }
    if (!this.#enough) this.#keep(chunk.slice(from))
    return !this.#enough
  }

  #keep(text: string): void {
    this.#length += text.length
    if (this.#length > LONGEST_LINE) this.#rest = []
    else if (text !== '') this.#rest.push(text)
  }
}
