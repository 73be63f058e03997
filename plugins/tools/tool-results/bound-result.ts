/** Keeps a result that is too long in a file, and gives the model its beginning, its end and the way to the rest. */
import { sep } from 'node:path'
import { errorMessage, type Random, type Tool, type ToolCallEvent, type ToolResult } from 'svc/sdk'
import type { Limits } from './limits.ts'
import { type Keep, writeSpill } from './spill.ts'

/** Characters of a result that the model sees at once. */
const HEAD = 900
const TAIL = 600
/** Longer lines are broken in the file: reading shows no more of one. */
const LONGEST_LINE = 1900
/** Marks the files of results that came from outside. */
const OUTSIDE = '.outside.txt'

export interface ResultDeps {
  readonly limits: Limits
  readonly folder: string
  readonly keep: Keep
  readonly now: () => number
  readonly random: () => Random
  readonly mask: (text: string) => string
  /** Whether a result of a tool is not the user's own. */
  readonly untrusted: (result: ToolResult, tool: string) => boolean
  /** Tells the model how to read a kept result, as a sentence without its full stop. */
  readonly howToOpen: () => string
  readonly warn: (text: string) => void
}

/** How the tools that open kept results are called. */
export function describeOpening(tools: readonly Pick<Tool, 'name' | 'scope'>[]): string {
  const ways = tools
    .flatMap(({ name, scope }) => (scope?.opensKept === undefined ? [] : [`${name} ${scope.opensKept}`.trim()]))
    .sort()
  return ways.length > 0 ? `Use ${ways.join(', or ')}, on it` : 'No tool here reads it'
}

/** The result as the model is to read it; undefined when it stays as it is. Never throws. */
export async function boundResult(
  result: ToolResult,
  request: ToolCallEvent,
  deps: ResultDeps,
): Promise<ToolResult | undefined> {
  const { limits } = deps
  const { sessionId } = request.turn
  const shown = await spillResult(result, request, deps)
  limits.add(sessionId, (shown ?? result).text.length)
  return shown
}

async function spillResult(
  result: ToolResult,
  request: ToolCallEvent,
  deps: ResultDeps,
): Promise<ToolResult | undefined> {
  const { limits } = deps
  // If its results were kept in files, reading those would never end.
  if (request.tool.scope?.pages) return isOutside(result, deps) ? { ...result, origin: 'from outside' } : undefined
  const { alone, together } = limits.inCharacters(request.turn.model)
  const left = together - limits.read(request.turn.sessionId)
  const limit = Math.min(alone, Math.max(HEAD + TAIL, left))
  if (result.text.length <= limit) return undefined
  return { ...result, text: await preview(result, request, deps) }
}

async function preview(result: ToolResult, request: ToolCallEvent, deps: ResultDeps): Promise<string> {
  const text = deps.mask(result.text)
  const [head, tail] = [text.slice(0, cutBefore(text, HEAD)), text.slice(cutAfter(text, text.length - TAIL))]
  const left = text.length - head.length - tail.length
  const ending = deps.untrusted(result, request.name) ? OUTSIDE : '.txt'
  const where = await keepWhole(text, ending, request, deps)
  return `${head}\n[${left} characters left out]\n${tail}\n[${where}]`
}

async function keepWhole(text: string, ending: string, request: ToolCallEvent, deps: ResultDeps): Promise<string> {
  const { sessionId, callId } = request.turn
  const most = Math.floor(deps.keep.bytes / 4)
  const broken = breakLines(text.length > most ? text.slice(0, cutBefore(text, most)) : text)
  const name = `${request.name.slice(0, 40)}-${callId.slice(-40)}-${deps.random().hex(4)}${ending}`
  try {
    const path = await writeSpill({ folder: deps.folder, sessionId, name, text: broken }, deps.keep, deps.now())
    const what = text.length > most ? `The first ${most} of ${text.length} characters are` : 'All of it is'
    const lines = broken.split('\n').length
    const long = broken.length > text.length && text.length <= most ? ', long ones broken' : ''
    return `${what} in ${path}: ${lines} lines${long}. ${deps.howToOpen()}`
  } catch (error) {
    const why = errorMessage(error)
    deps.warn(`a long result of ${request.name} could not be kept: ${why}`)
    return `The rest could not be kept: ${why}. Ask for less at a time`
  }
}

/** A file that holds what came from outside is no more to be trusted than that was. */
function isOutside({ data }: ToolResult, { folder }: ResultDeps): boolean {
  const { path } = (data ?? {}) as { readonly path?: unknown }
  return typeof path === 'string' && path.endsWith(OUTSIDE) && path.includes(`${sep}${folder.split(sep).at(-1)}${sep}`)
}

function breakLines(text: string): string {
  return text.replace(new RegExp(`[^\\n]{${LONGEST_LINE}}(?=[^\\n])`, 'gu'), '$&\n')
}

/** A place at or before `at` that ends a line, if one is near, and splits no character. */
function cutBefore(text: string, at: number): number {
  const line = text.lastIndexOf('\n', at)
  if (line > at * 0.5) return line
  return isLow(text, at) ? at - 1 : at
}

/** The same at or after `at`. */
function cutAfter(text: string, at: number): number {
  const line = text.indexOf('\n', at)
  if (line !== -1 && line < at + TAIL / 2) return line + 1
  return isLow(text, at) ? at + 1 : at
}

function isLow(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit < 0xe000
}
