/** The work of `write_file`. */
import { SvcError, type ToolContext, type ToolResult } from 'svc/sdk'
import type { ExistingFile, FileAccess } from './access.ts'
import { fileError } from './file-error.ts'
import { showSize } from './file-kind.ts'
import { describeChange, exactText, refuseMasked } from './guarded-files.ts'
import { openAccess } from './open-access.ts'
import { showName } from './paths.ts'
import { newSyntaxProblem } from './syntax.ts'
import type { FileDeps, WriteInput } from './tools.ts'

/** Larger files are replaced without reading what they held. */
const MAX_COMPARED = 1_000_000

/** For front ends. */
export interface WriteData {
  readonly path: string
  readonly change: 'created' | 'replaced' | 'unchanged'
  readonly lines: number
  /** Left out when the file was new, too large, or not text. */
  readonly linesBefore?: number
  /** Unified; left out where there is nothing to compare. */
  readonly diff?: string
}

/** The file that is about to be replaced. */
interface Existing {
  readonly before: ExistingFile
  /** Undefined when it is large, not text, or not to be shown. */
  readonly text: string | undefined
}

/** Writes a whole file in one step. Throws a `FILE_...` error, and then the file is as it was. */
export async function writeFile(input: WriteInput, turn: ToolContext, deps: FileDeps): Promise<ToolResult> {
  const access = await openAccess(turn, deps)
  const { path, note } = await access.writable(input.path)
  const key = access.key(path)
  return deps.locks.hold([key], async () => {
    turn.signal.throwIfAborted()
    try {
      const existing = await examine(path, access)
      refuseMasked(path, existing?.text, input.content, deps)
      const content = matchLineStyle(existing?.text, input.content)
      if (content !== existing?.text) {
        if (existing && deps.ledger.isStale(turn.sessionId, key, existing.before.stamp)) throw stale(path)
        await access.commit([{ path, before: existing?.before, text: content }], turn.signal)
      }
      deps.ledger.saw(turn.sessionId, key, await access.stamp(path))
      const { text, data } = await describe({ path, name: showName(input.path) }, content, existing, deps)
      const problem = await newSyntaxProblem(path, existing?.text, content)
      const notes = [note, problem && deps.mask(problem)].flatMap((each) => (each ? [`[${each}]`] : []))
      return { text: [text, ...notes].join('\n'), data }
    } catch (error) {
      throw turn.signal.aborted ? error : fileError(error, path)
    }
  })
}

async function examine(path: string, access: FileAccess): Promise<Existing | undefined> {
  const before = await access.examine(path)
  if (before === undefined) return undefined
  const compared = before.size <= MAX_COMPARED && access.isReadable(path)
  return { before, text: compared ? exactText(await access.readWhole(path)) : undefined }
}

/** Changes of other programs since the session read the file would be lost silently. */
function stale(path: string): SvcError {
  const what = `${showName(path)} was changed by another program after you last saw it`
  return new SvcError('FILE_CHANGED', `${what}; read it again, then write it with their change in it.`)
}

/** Keeps the line ends and the byte order mark of the file that is replaced. */
function matchLineStyle(before: string | undefined, content: string): string {
  if (before === undefined) return content
  const lineFeeds = before.split('\n').length - 1
  const crlf = lineFeeds > 0 && before.split('\r\n').length - 1 === lineFeeds && !content.includes('\r')
  const text = crlf ? content.replaceAll('\n', '\r\n') : content
  return before.startsWith('\uFEFF') && !text.startsWith('\uFEFF') ? `\uFEFF${text}` : text
}

async function describe(
  { path, name }: { readonly path: string; readonly name: string },
  content: string,
  existing: Existing | undefined,
  deps: FileDeps,
) {
  const lines = countLines(content)
  const size = showSize(Buffer.byteLength(content))
  if (existing?.text === content) {
    const data: WriteData = { path, change: 'unchanged', lines, linesBefore: lines }
    return { text: `Unchanged: ${name} holds this already.`, data }
  }
  const before = existing === undefined ? '' : existing.text
  const change = before === undefined ? undefined : await describeChange(name, before, content, deps)
  const diff = change === undefined ? {} : { diff: change.diff }
  if (existing === undefined) {
    const data: WriteData = { path, change: 'created', lines, ...diff }
    return { text: `Created ${name}: ${plural(lines)}, ${size}.`, data }
  }
  const linesBefore = before === undefined ? {} : { linesBefore: countLines(before) }
  const data: WriteData = { path, change: 'replaced', lines, ...linesBefore, ...diff }
  const was = before === undefined ? showSize(existing.before.size) : plural(countLines(before))
  const counts = change === undefined ? '' : ` (+${change.added} -${change.removed})`
  return { text: `Replaced ${name}: ${was} before, now ${plural(lines)}${counts}, ${size}.`, data }
}

function countLines(text: string): number {
  return text.split('\n').length - (text === '' || text.endsWith('\n') ? 1 : 0)
}

function plural(lines: number): string {
  return lines === 1 ? '1 line' : `${lines} lines`
}
