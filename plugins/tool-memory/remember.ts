/** The work of the tool `memory`. */
import { errorCode, errorMessage, SvcError, type ToolResult } from 'svc/sdk'
import { charsOf, nearDuplicate, parseEntries } from './entries.ts'
import { changeEntries, memoryFile, readMemory } from './memory-file.ts'
import { threat } from './threat.ts'
import type { MemoryHost, MemoryInput } from './tools.ts'

/** Failures that come of what is in the file: the model is shown it. */
const SHOW_ENTRIES = ['MEMORY_DUPLICATE', 'MEMORY_NOT_FOUND', 'MEMORY_AMBIGUOUS', 'MEMORY_FULL']

/** Makes one change. `retryable` tells that another wording could help. */
export function remember(host: MemoryHost, input: MemoryInput): { result: ToolResult; retryable: boolean } {
  const { target } = input
  try {
    const change = checked(host, input)
    const entries = changeEntries(host, target, (old) => apply(old, change, host.limits[target]))
    const text = `Done. ${usage(host, input, entries)} This session's prompt stays as it is; later ones see it.`
    return { result: { text, data: { target, entries: entries.length } }, retryable: false }
  } catch (error) {
    const code = errorCode(error)
    if (!SHOW_ENTRIES.includes(code)) return { result: { text: errorMessage(error), failed: true }, retryable: false }
    const entries = parseEntries(readMemory(memoryFile(host, target)))
    const list = entries.map((entry, at) => `${at + 1}. ${entry}`)
    const text = [errorMessage(error), usage(host, input, entries), ...list].join('\n')
    return { result: { text, failed: true }, retryable: true }
  }
}

type Change =
  | { readonly action: 'add'; readonly content: string }
  | { readonly action: 'replace'; readonly content: string; readonly old: string }
  | { readonly action: 'remove'; readonly old: string }

/** The input with what its action needs, and nothing that must not be kept. */
function checked(host: MemoryHost, input: MemoryInput): Change {
  const { action } = input
  const [content, old] = [input.content?.trim() ?? '', input.old_text?.trim() ?? '']
  if (action !== 'remove' && !content) throw new SvcError('MEMORY_INPUT', `${action} needs content.`)
  if (action !== 'add' && !old) throw new SvcError('MEMORY_INPUT', `${action} needs old_text: words of the entry.`)
  if (action === 'remove') return { action, old }
  const reason = threat(content) ?? (host.mask(content) === content ? undefined : 'it holds a secret')
  if (reason) throw new SvcError('MEMORY_REFUSED', `Not kept: ${reason}. Keep plain facts only.`)
  if (parseEntries(content).length !== 1 || content.includes('\n§'))
    throw new SvcError('MEMORY_REFUSED', 'Not kept: a line of § divides entries. Add each on its own.')
  return action === 'add' ? { action, content } : { action, content, old }
}

/** The entries after a change; the same ones when it was made before, so that a call may be repeated. */
function apply(entries: readonly string[], change: Change, limit: number): readonly string[] {
  if (change.action === 'remove') return entries.filter((entry) => entry !== only(entries, change.old))
  const { content } = change
  if (entries.includes(content)) return entries
  const replaced = change.action === 'replace' ? only(entries, change.old) : undefined
  const others = entries.filter((entry) => entry !== replaced)
  const like = nearDuplicate(content, others)
  if (like) throw new SvcError('MEMORY_DUPLICATE', `An entry says nearly the same: "${preview(like)}". Replace it.`)
  const at = replaced === undefined ? others.length : entries.indexOf(replaced)
  const result = [...others.slice(0, at), content, ...others.slice(at)]
  const chars = charsOf(result)
  // A file over the limit, edited by hand or under a lower one, can still be made smaller.
  if (chars > limit && chars >= charsOf(entries))
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

function usage(host: MemoryHost, { target }: MemoryInput, entries: readonly string[]): string {
  return `${target}: ${entries.length} entries, ${charsOf(entries)} of ${host.limits[target]} characters.`
}
