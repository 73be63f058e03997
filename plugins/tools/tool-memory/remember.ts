/** The work of the tool `memory`. */
import { errorCode, errorMessage, SvcError, type ToolContext, type ToolResult } from 'svc/sdk'
import { findThreat } from 'svc/sdk/kit/text'
import { countCharacters, nearDuplicate, parseEntries } from './entries.ts'
import { changeEntries, memoryFile, readMemory } from './memory-file.ts'
import { claimsOrigin, formatEntry, joinOrigins, parseEntry } from './provenance.ts'
import type { MemoryDeps, MemoryInput } from './tools.ts'

/** Without an answer until then the entry is kept apart. */
const CONFIRM_MS = 600_000

/** Failures that come of what is in the file: the model is shown it. */
const SHOW_ENTRIES = ['MEMORY_DUPLICATE', 'MEMORY_NOT_FOUND', 'MEMORY_AMBIGUOUS', 'MEMORY_FULL']

/**
 * Makes one change. `retryable` tells that another wording could help. What is written after foreign text was read is
 * shown to the user first; if no person can be asked, it is kept without being shown to the model.
 */
export async function remember(
  deps: MemoryDeps,
  input: MemoryInput,
  turn: ToolContext,
): Promise<{ result: ToolResult; retryable: boolean }> {
  const { target } = input
  try {
    const change = await confirmChange(deps, validateInput(deps, input), target, turn)
    if (!change) return { result: { text: REFUSED, failed: true }, retryable: false }
    const entries = changeEntries(deps, target, (old) => apply(old, change, deps.limits[target]))
    const later = isOpen(change) ? UNCONFIRMED : "This session's prompt stays as it is; later ones see it."
    const text = `Done. ${usage(deps, input, entries)} ${later}`
    return { result: { text, data: { target, entries: entries.length } }, retryable: false }
  } catch (error) {
    const code = errorCode(error)
    if (!SHOW_ENTRIES.includes(code)) return { result: { text: errorMessage(error), failed: true }, retryable: false }
    const entries = parseEntries(readMemory(memoryFile(deps, target)))
    const list = entries.map((entry, at) => `${at + 1}. ${entry}`)
    const text = [errorMessage(error), usage(deps, input, entries), ...list].join('\n')
    return { result: { text, failed: true }, retryable: true }
  }
}

const REFUSED = 'The user does not want this to be remembered. Do not try it again.'
const UNCONFIRMED =
  'Foreign text was read in this conversation and no person could be asked, so the entry is not told to later sessions until the user confirms it with /memory confirm.'

type Change =
  | { readonly action: 'add'; readonly content: string; readonly entry: string }
  | { readonly action: 'replace'; readonly content: string; readonly entry: string; readonly old: string }
  | { readonly action: 'remove'; readonly old: string }

/** With the origin of its entry; undefined when the user says no. */
async function confirmChange(
  deps: MemoryDeps,
  change: Change,
  target: MemoryInput['target'],
  turn: ToolContext,
): Promise<Change | undefined> {
  const origin = joinOrigins(turn.origins())
  if (change.action === 'remove' || origin === undefined) return change
  const old = parseEntries(readMemory(memoryFile(deps, target)))
  // Do not ask about entries that would be refused or exist already.
  if (apply(old, change, deps.limits[target]) === old) return change
  const title = `The agent wants to remember this for all later sessions, after it has read: ${origin}.\n\n${change.content}`
  const items = [
    { id: 'agree', label: 'Remember it' },
    { id: 'refuse', label: 'Do not remember it' },
  ]
  const choice = await turn.person.choose({ title, items }, { timeoutMs: CONFIRM_MS })
  if (choice === 'refuse') return undefined
  const { content } = change
  if (choice === 'agree') return { ...change, entry: formatEntry({ content, origin, isConfirmed: true }) }
  // Foreign text does not take the place of what the user knows of.
  return { action: 'add', content, entry: formatEntry({ content, origin, isConfirmed: false }) }
}

function isOpen(change: Change): boolean {
  return change.action !== 'remove' && !parseEntry(change.entry).isConfirmed
}

/** The input with what its action needs, and nothing that must not be kept. */
function validateInput(deps: MemoryDeps, input: MemoryInput): Change {
  const { action } = input
  const [content, old] = [input.content?.trim() ?? '', input.old_text?.trim() ?? '']
  if (action !== 'remove' && !content) throw new SvcError('MEMORY_INPUT', `${action} needs content.`)
  if (action !== 'add' && !old) throw new SvcError('MEMORY_INPUT', `${action} needs old_text: words of the entry.`)
  if (action === 'remove') return { action, old }
  const reason = findThreat(content) ?? (deps.mask(content) === content ? undefined : 'it holds a secret')
  if (reason) throw new SvcError('MEMORY_REFUSED', `Not kept: ${reason}. Keep plain facts only.`)
  if (parseEntries(content).length !== 1 || content.includes('\n§'))
    throw new SvcError('MEMORY_REFUSED', 'Not kept: a line of § divides entries. Add each on its own.')
  if (claimsOrigin(content)) throw new SvcError('MEMORY_REFUSED', 'Not kept: an origin is written by svc alone.')
  return action === 'add' ? { action, content, entry: content } : { action, content, entry: content, old }
}

/** The entries after a change; the same ones when it was made before, so that a call may be repeated. */
function apply(entries: readonly string[], change: Change, limit: number): readonly string[] {
  if (change.action === 'remove') return entries.filter((entry) => entry !== only(entries, change.old))
  const { content, entry } = change
  if (entries.some((known) => parseEntry(known).content === content)) return entries
  const replaced = change.action === 'replace' ? only(entries, change.old) : undefined
  const others = entries.filter((entry) => entry !== replaced)
  const like = nearDuplicate(
    content,
    others.map((other) => parseEntry(other).content),
  )
  if (like) throw new SvcError('MEMORY_DUPLICATE', `An entry says nearly the same: "${preview(like)}". Replace it.`)
  const at = replaced === undefined ? others.length : entries.indexOf(replaced)
  const result = [...others.slice(0, at), entry, ...others.slice(at)]
  const chars = countCharacters(result)
  // A file over the limit, edited by hand or under a lower one, can still be made smaller.
  if (chars > limit && chars >= countCharacters(entries))
    throw new SvcError('MEMORY_FULL', `It would be ${chars} of ${limit} characters. Merge, shorten or remove entries.`)
  return result
}

/** The one entry that holds the text. Twins count as one. */
function only(entries: readonly string[], text: string): string {
  const found = [...new Set(entries.filter((entry) => entry.includes(text)))]
  const [first] = found
  if (first === undefined) throw new SvcError('MEMORY_NOT_FOUND', `No entry holds "${preview(text)}".`)
  if (found.length > 1 && !found.includes(text)) {
    const previews = found.map((entry) => `"${preview(entry)}"`).join(', ')
    throw new SvcError('MEMORY_AMBIGUOUS', `Several entries hold "${preview(text)}": ${previews}.`)
  }
  return found.includes(text) ? text : first
}

function preview(text: string): string {
  const line = text.replace(/\s+/g, ' ')
  return line.length > 60 ? `${line.slice(0, 60)}...` : line
}

function usage(deps: MemoryDeps, { target }: MemoryInput, entries: readonly string[]): string {
  return `${target}: ${entries.length} entries, ${countCharacters(entries)} of ${deps.limits[target]} characters.`
}
