/** How much of the answers of subagents the model of their parent reads. Pure. */

const CHARACTERS_A_TOKEN = 4
const MIN_CHARS = 2000
const HEAD_SHARE = 0.75

/** What bounds a summary. */
export interface SummaryRoom {
  /** `delegation.max_summary_chars`; 0: no such bound. */
  readonly maxChars: number
  /** Tokens of the model of the parent; undefined where they are not known. */
  readonly contextWindow: number | undefined
  /** Tokens of it that are in use. */
  readonly usedTokens: number
  readonly children: number
}

/** Characters of each summary: all of them fit into half of what the context has left. */
export function summaryBudget({ maxChars, contextWindow, usedTokens, children }: SummaryRoom): number {
  const fixed = maxChars > 0 ? maxChars : Number.MAX_SAFE_INTEGER
  if (contextWindow === undefined || contextWindow <= 0) return fixed
  const left = Math.max(0, contextWindow - usedTokens)
  const share = Math.floor((left / 2 / Math.max(1, children)) * CHARACTERS_A_TOKEN)
  return Math.min(fixed, Math.max(MIN_CHARS, share))
}

/** A summary within its budget. */
export interface FittedSummary {
  readonly text: string
  readonly isCut: boolean
}

/**
 * At most `budget` characters: three quarters from the beginning and one from the end, cut at ends of lines where there are some.
 * `path` is where the whole text is; the footer names it, and the line from which on something is left out.
 */
export function fitSummary(text: string, budget: number, path: string): FittedSummary {
  if (text.length <= budget) return { text, isCut: false }
  // Line and count have as many digits as they could have at most, so that the footer fits whatever is cut.
  const room = budget - footer(path, text.length, text.length).length - 2
  if (room <= 0) return { text: text.slice(0, safeCut(text, budget)), isCut: true }
  const tailChars = Math.floor(room * (1 - HEAD_SHARE))
  const headEnd = lineEnd(text, safeCut(text, room - tailChars))
  const tailStart = lineStart(text, safeCut(text, text.length - tailChars))
  const head = text.slice(0, headEnd)
  const line = head.split('\n').length
  return {
    text: `${head}\n${footer(path, line, tailStart - headEnd)}\n${text.slice(tailStart)}`,
    isCut: true,
  }
}

function footer(path: string, line: number, left: number): string {
  return `[${left} characters are left out here, from line ${line} on. All of it: ${path}]`
}

/** The end of the last whole line before `at`, unless that would lose more than half of it. */
function lineEnd(text: string, at: number): number {
  const end = text.lastIndexOf('\n', at)
  return end >= at / 2 ? end : at
}

/** The start of the first whole line from `at` on, likewise. */
function lineStart(text: string, at: number): number {
  const start = text.indexOf('\n', at) + 1
  return start > 0 && start - at <= (text.length - at) / 2 ? start : at
}

/** Not between the halves of a character. */
function safeCut(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? Math.max(0, at - 1) : at
}
