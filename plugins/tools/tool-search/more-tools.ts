/** The part of the prompt that names the deferred tools: what a model has never heard of it does not look for. */
import type { PromptPart, Tool } from 'svc/sdk'

/** Bytes of names; toolsets past it are told by their size only. */
const NAMES_BYTES = 700
/** A prefix that this many names share is written once. */
const SHARED = 3

/** Written once per session like all of the prompt, so its bytes stay while tools come and go. */
export function moreTools(
  deferred: (sessionId: string) => readonly string[],
  find: (name: string) => Tool | undefined,
): PromptPart {
  return {
    name: 'more-tools',
    tier: 'context',
    text: ({ sessionId, tools }) => {
      const names = deferred(sessionId)
      if (names.length === 0 || !tools.includes('tool_call')) return undefined
      return `More tools, by toolset; tool_search tells how they are called, tool_call runs them:\n${groups(names, find)}`
    },
  }
}

function groups(names: readonly string[], find: (name: string) => Tool | undefined): string {
  const byToolset = new Map<string, string[]>()
  for (const name of names.toSorted()) {
    const toolset = find(name)?.toolset ?? 'other'
    byToolset.set(toolset, [...(byToolset.get(toolset) ?? []), name])
  }
  let room = NAMES_BYTES
  const lines = [...byToolset].sort(byName).map(([toolset, inside]) => {
    const line = `${toolset}: ${shorten(inside)}`
    room -= Buffer.byteLength(line)
    return room >= 0 ? line : `${toolset}: ${inside.length} tools`
  })
  return lines.join('\n')
}

/** `browser_{click, type}` for names with a common beginning. */
function shorten(names: readonly string[]): string {
  const prefix = names.length < SHARED ? '' : findPrefix(names)
  return prefix === '' ? names.join(', ') : `${prefix}{${names.map((name) => name.slice(prefix.length)).join(', ')}}`
}

/** What all names begin with, up to the end of a word. `names` are sorted, so the first and the last differ most. */
function findPrefix(names: readonly string[]): string {
  const [first = '', last = ''] = [names[0], names.at(-1)]
  let length = 0
  while (length < first.length && first[length] === last[length]) length++
  return /^.*[_.-]/.exec(first.slice(0, length))?.[0] ?? ''
}

function byName([one]: readonly [string, unknown], [two]: readonly [string, unknown]): number {
  return one < two ? -1 : 1
}
