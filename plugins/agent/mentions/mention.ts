/** How something is named in a text: `@src/a.ts`, `@src/a.ts:10-40`, `@"two words.txt"`, `@diff`, `@session:id`. */
import type { Clock, Sessions, Translate } from 'svc/sdk'
import type { MediaFiles } from 'svc/sdk/media'
import type { GuardedFiles } from 'svc/sdk/safety'
import type { ExecutionEnvironment } from 'svc/sdk/shell'

/** Whose files are named. */
export interface MentionSession {
  readonly sessionId: string
  /** On this machine. */
  readonly cwd: string
}

export interface MentionsDeps {
  readonly clock: () => Clock
  readonly files: () => GuardedFiles
  /** The environment that the commands of a session run in; undefined where that is this machine. */
  readonly environment: (session: MentionSession) => Promise<ExecutionEnvironment | undefined>
  readonly sessions: () => Sessions
  /** Reads pictures; undefined where no plugin does. */
  readonly media: () => Promise<MediaFiles | undefined>
  /** Without secrets that are known. */
  readonly mask: (text: string) => string
  /** Where programs are, as the variable PATH has it. */
  readonly path: () => string
  readonly home: () => string | undefined
  readonly t: Translate
  /** Aborted when the plugin is unloaded. */
  readonly signal: AbortSignal
}

/** Lines of a file, the first being 1, both included. */
export interface LineRange {
  readonly from: number
  readonly to: number
}

/** One interpretation of the text after an `@`. */
export interface Reading {
  readonly path: string
  readonly range?: LineRange
}

/** Something that was read. */
export interface MentionContent {
  /** What it is, for the mark: `file`, `lines 10-40 of 80`. */
  readonly note: string
  readonly text: string
}

/** What is further behind was pasted, not typed. */
const MAX_CHARACTERS = 100_000
/** It must start a word: `me@example.com` is not a mention. */
const MENTION = /(?<=^|[\s([{])@(?:"([^"\n]+)"(?::(\d+)(?:-(\d+))?)?|([^\s"]+))/g
const RANGE = /^(.+?):(\d+)(?:-(\d+))?$/
/** What ends a sentence or a bracket, and perhaps no name. */
const PUNCTUATION = /[.,;:!?)\]}'`*]+$/

/** What a text names, in order: for each all ways to read it, the likeliest first. */
export function findMentions(text: string): readonly (readonly Reading[])[] {
  return [...text.slice(0, MAX_CHARACTERS).matchAll(MENTION)].map(([, quoted, from, to, word = '']) => {
    if (quoted !== undefined) return [withRange(quoted, from, to)]
    const bare = word.replace(PUNCTUATION, '')
    return bare === word || bare === '' ? listReadings(word) : [...listReadings(word), ...listReadings(bare)]
  })
}

function listReadings(word: string): readonly Reading[] {
  const [, path, from, to] = RANGE.exec(word) ?? []
  return path === undefined ? [{ path: word }] : [{ path: word }, withRange(path, from, to)]
}

function withRange(path: string, from: string | undefined, to: string | undefined): Reading {
  if (from === undefined) return { path }
  const [first, last] = [Number(from), Number(to ?? from)]
  return { path, range: { from: Math.max(1, Math.min(first, last)), to: Math.max(first, last) } }
}
