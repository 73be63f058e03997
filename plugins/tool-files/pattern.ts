/** The pattern of a search, and matching that cannot hold up the program. */
import { createContext, Script } from 'node:vm'

const LIMIT_MS = 500

/** A pattern ready for use. */
export interface Pattern {
  readonly expression: RegExp
  /** Why it is taken literally, when it is. */
  readonly note: string | undefined
}

/**
 * Reads a pattern as a regular expression, with `(?i)` at its start for any case; one that does not parse is taken
 * literally.
 */
export function readPattern(text: string): Pattern {
  const flags = /^\(\?([ims]+)\)/.exec(text)
  const source = flags === null ? text : text.slice(flags[0].length)
  try {
    return { expression: new RegExp(source, flags?.[1]?.includes('i') ? 'i' : ''), note: undefined }
  } catch (error) {
    const note = `taken literally, not as a regular expression: ${(error as Error).message}`
    return { expression: new RegExp(text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')), note }
  }
}

const context = createContext({ work: undefined as (() => void) | undefined })
const call = new Script('work()')

/**
 * Runs `work`, but no longer than half a second: a pattern such as `(a+)+$` can take years on one line, and only the
 * engine's own limit stops it. Returns whether it came to its end.
 */
export function runLimited(work: () => void): boolean {
  context['work'] = work
  try {
    call.runInContext(context, { timeout: LIMIT_MS })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false
    throw error
  } finally {
    context['work'] = undefined
  }
}
