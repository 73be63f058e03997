/** Names and lines in the files of an environment: by `rg` where it is there, else by `find` and `grep`. */
import type { EnvironmentFiles, EnvironmentMatch, EnvironmentMatches, EnvironmentSearch } from '../../environments.ts'
import { findConditions, matchGlob, toRipgrepGlob } from './glob.ts'
import { listRemarks } from './list.ts'
import type { Run } from './run-script.ts'
import { NAMES, SEARCH } from './scripts.ts'

/** `names` of `EnvironmentFiles`. */
export async function findNames(
  run: Run,
  folder: string,
  { glob, limit, signal }: Parameters<EnvironmentFiles['names']>[1],
): ReturnType<EnvironmentFiles['names']> {
  const { output } = await run({ script: NAMES, args: [folder, toRipgrepGlob(glob), ...findConditions(glob)], signal })
  const all = output.subarray(1).toString().split('\0').slice(0, -1)
  const isWanted = glob === undefined || output[0] === 0x72 ? () => true : matchGlob(glob)
  const paths = all.map((path) => path.replace(/^\.\//, '')).filter(isWanted)
  return { paths: paths.sort().slice(0, limit), cut: paths.length > limit }
}

/** `search` of `EnvironmentFiles`. */
export async function searchFiles(run: Run, folder: string, search: EnvironmentSearch): Promise<EnvironmentMatches> {
  const { pattern, literal, file, glob, context = 0, limitOfFile, limit, signal } = search
  const args = [
    ...[folder, pattern, toPosixPattern(pattern), literal ? '1' : '', String(Math.floor(context))],
    ...[
      limitOfFile === undefined ? '' : String(limitOfFile),
      toRipgrepGlob(glob),
      file === undefined ? '' : `./${file}`,
    ],
    ...findConditions(glob),
  ]
  const { output, said, mark } = await run({ script: SEARCH, args, signal })
  const text = output.subarray(1).toString()
  if (text === '' && /regex|PCRE2/i.test(said)) throw Object.assign(new Error(said.trim()), { code: 'EBADMSG' })
  const program = output[0] === 0x72 ? 'rg' : 'grep'
  const found = program === 'rg' ? readRipgrep(text) : readGrep(text, mark)
  const isWanted = program === 'rg' || glob === undefined ? () => true : matchGlob(glob)
  return { ...takeLines(found, isWanted, limit), program, remarks: listRemarks(said, program === 'rg' ? 'rg' : 'find') }
}

function takeLines(
  found: Iterable<EnvironmentMatch>,
  isWanted: (path: string) => boolean,
  limit: number,
): Pick<EnvironmentMatches, 'lines' | 'cut'> {
  const lines: EnvironmentMatch[] = []
  let matches = 0
  for (const line of found) {
    if (!isWanted(line.path)) continue
    if (line.match && ++matches > limit) return { lines, cut: true }
    lines.push(line)
  }
  return { lines, cut: false }
}

/** One line of `rg --json`. */
interface Message {
  readonly type: 'begin' | 'match' | 'context' | 'end' | 'summary'
  readonly data: { readonly path?: JsonText; readonly lines?: JsonText; readonly line_number?: number }
}

/** Text, or base64 of what is not UTF-8. */
interface JsonText {
  readonly text?: string
  readonly bytes?: string
}

const decodeText = ({ text, bytes = '' }: JsonText) => text ?? Buffer.from(bytes, 'base64').toString()

function* readRipgrep(text: string): Generator<EnvironmentMatch> {
  for (const line of text.split('\n')) {
    // The last one may be cut off.
    if (!line.endsWith('}')) continue
    const { type, data } = JSON.parse(line) as Message
    if ((type !== 'match' && type !== 'context') || !data.path || !data.lines) continue
    yield {
      path: decodeText(data.path).replace(/^\.\//, ''),
      line: data.line_number ?? 0,
      text: decodeText(data.lines).replace(/\r?\n$/, ''),
      match: type === 'match',
    }
  }
}

function* readGrep(text: string, mark: string): Generator<EnvironmentMatch> {
  const files = text
    .split(`${mark}@`)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n')
      return { path: part.slice(0, end).replace(/^\.\//, ''), lines: part.slice(end + 1).split('\n') }
    })
  for (const { path, lines } of files.sort((a, b) => (a.path < b.path ? -1 : 1)))
    for (const line of lines) {
      const [, number, sign, rest = ''] = /^(\d+)([:-])(.*)$/s.exec(line) ?? []
      if (number !== undefined) yield { path, line: Number(number), text: rest.replace(/\r$/, ''), match: sign === ':' }
    }
}

/** What grep without Perl's expressions reads, as far as it goes. */
function toPosixPattern(pattern: string): string {
  return pattern.replace(/\\([dDsS])/g, (_, letter: string) => {
    const kind = letter.toLowerCase() === 'd' ? '[:digit:]' : '[:space:]'
    return letter === letter.toLowerCase() ? `[${kind}]` : `[^${kind}]`
  })
}
