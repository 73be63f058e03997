/** How a call is told to hooks: under which names matchers find it, and its input in the fields that go with a name. */
import { resolve } from 'node:path'
import type { Tool, ToolActions, ToolAlias } from 'svc/sdk'

/** A call as hooks may be told of it. */
export interface KnownCall {
  readonly name: string
  readonly input: unknown
  readonly cwd: string
  readonly tool: Pick<Tool, 'knownAs' | 'effect'>
  readonly acts: ToolActions
}

type Fields = Readonly<Record<string, unknown>>

/** The names of a call: those that people know from elsewhere, then the tool's own. */
export function listNames(call: KnownCall): readonly string[] {
  return [...listAliases(call).map(({ name }) => name), call.name]
}

/** A tool that names no counterparts is known by what its call would do. */
function listAliases({ tool, acts }: KnownCall): readonly ToolAlias[] {
  if (tool.knownAs) return tool.knownAs
  if (acts.command !== undefined) return [{ name: 'Bash' }]
  if (acts.writes?.length) return [{ name: 'Write' }, { name: 'Edit' }]
  return tool.effect === 'pure' && acts.reads?.length ? [{ name: 'Read' }] : []
}

/** The input with the fields of a name beside the tool's own. Paths of files are absolute, as the format has them. */
export function inputFor(call: KnownCall, name: string): Fields {
  const own = ownFields(call.input)
  const { acts, cwd } = call
  const base = acts.cwd ?? cwd
  const [file] = [...(acts.writes ?? []), ...(acts.reads ?? [])]
  const known = Object.fromEntries(
    mapFields(call, name).flatMap(([there, here]) => (Object.hasOwn(own, here) ? [[there, own[here]] as const] : [])),
  )
  const told: Record<string, unknown> = {
    ...(acts.command !== undefined && { command: acts.command }),
    ...(file !== undefined && { file_path: file }),
    ...own,
    ...known,
  }
  if (typeof told['file_path'] === 'string') told['file_path'] = resolve(base, told['file_path'])
  return told
}

/**
 * The tool's own input for what a hook made of the fields it was told; undefined where it changed a field that stands for nothing
 * in the input.
 */
export function inputFrom(call: KnownCall, name: string, updated: Fields): Fields | undefined {
  const told = inputFor(call, name)
  const own = ownFields(call.input)
  const here = new Map(mapFields(call, name))
  const isSame = (field: string) => JSON.stringify(updated[field]) === JSON.stringify(told[field])
  const isForeign = (field: string) => Object.hasOwn(told, field) && !Object.hasOwn(own, field)
  const next: Record<string, unknown> = {}
  for (const field of Object.keys(updated)) if (!isForeign(field) && !here.has(field)) next[field] = updated[field]
  for (const [there, target] of here) {
    if (!Object.hasOwn(updated, there)) continue
    if (!isSame(there)) next[target] = updated[there]
    // The hook gave the whole input back in the fields of the name alone.
    else if (!Object.hasOwn(updated, target) && Object.hasOwn(own, target)) next[target] = own[target]
  }
  const isLost = Object.keys(updated).some((field) => isForeign(field) && !here.has(field) && !isSame(field))
  return isLost ? undefined : next
}

function mapFields(call: KnownCall, name: string): readonly (readonly [there: string, here: string])[] {
  return Object.entries(listAliases(call).find((alias) => alias.name === name)?.fields ?? {})
}

function ownFields(input: unknown): Fields {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Fields) : {}
}
