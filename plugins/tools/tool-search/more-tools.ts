/** The part of the prompt that names the deferred tools: what a model has never heard of it does not look for. */
import type { PromptPart, Tool } from 'svc/sdk'

/** Bytes of names; toolsets past it are told by their size only. */
const NAMES_BYTES = 1500

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
    const line = `${toolset}: ${inside.join(', ')}`
    room -= Buffer.byteLength(line)
    return room >= 0 ? line : `${toolset}: ${inside.length} tools`
  })
  return lines.join('\n')
}

function byName([one]: readonly [string, unknown], [two]: readonly [string, unknown]): number {
  return one < two ? -1 : 1
}
