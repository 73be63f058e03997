/** What a tool says of itself and of a call, as gates read it: whole, checked and frozen. */
import { SvcError, type Tool, type ToolActions, type ToolDeclaration } from 'svc/sdk'
import { parseDecision } from 'svc/sdk/safety'

/** The rest of a tool is its schema and what runs it. A field that is missing here does not compile. */
const FACTS: Readonly<Record<keyof ToolDeclaration, true>> = {
  name: true,
  description: true,
  effect: true,
  toolset: true,
  parallel: true,
  paths: true,
  untrusted: true,
  reach: true,
  isolated: true,
  scope: true,
  knownAs: true,
}

const known = new WeakMap<Tool, ToolDeclaration>()

/** The only place where the facts of a tool are made. Made once. */
export function getToolFacts(tool: Tool): ToolDeclaration {
  let facts = known.get(tool)
  if (!facts) {
    const said = (Object.keys(FACTS) as (keyof ToolDeclaration)[]).filter((field) => tool[field] !== undefined)
    facts = Object.freeze(Object.fromEntries(said.map((field) => [field, tool[field]]))) as unknown as ToolDeclaration
    known.set(tool, facts)
  }
  return facts
}

/** A placeholder for a tool that does not exist, to report its result. */
export function factsOfNone(name: string): ToolDeclaration {
  return Object.freeze({ name, description: '', effect: 'once', toolset: '' })
}

type Check = (value: unknown) => boolean
const isText: Check = (value) => typeof value === 'string'
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText)
const isPlace: Check = (value) => {
  const { writable, needs } = (value ?? {}) as Record<string, unknown>
  return isTexts(writable) && isTexts(needs)
}

const ACTS: Readonly<Record<keyof ToolActions, Check>> = {
  command: isText,
  environment: isText,
  shell: (value) => ['posix', 'powershell', 'fish', 'cmd'].includes(value as string),
  cwd: isText,
  writes: isTexts,
  reads: isTexts,
  confined: isPlace,
  ask: (question) => parseDecision({ decision: 'ask', question }) !== undefined,
}

/** A frozen copy. Throws `TOOL_ACTS` for what gates could not rely on. */
export function validateActs(tool: string, given: unknown): ToolActions {
  const wrong = (what: string) => new SvcError('TOOL_ACTS', `The tool ${tool} does not say what it would do: ${what}.`)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) throw wrong('its acts are not an object')
  const said = Object.entries(given).filter(([, value]) => value !== undefined)
  for (const [field, value] of said) {
    const check = Object.hasOwn(ACTS, field) ? ACTS[field as keyof ToolActions] : undefined
    if (!check?.(value)) throw wrong(check ? `its field ${field} is wrong` : `gates do not know its field ${field}`)
  }
  return deepFreeze(structuredClone(Object.fromEntries(said)) as ToolActions)
}

/** Freezes lists and plain objects, however deep; returns the same value. */
export function deepFreeze<T>(value: T): T {
  const seen = new Set<object>()
  const left: object[] = isPlain(value) ? [value] : []
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (seen.has(next)) continue
    seen.add(Object.freeze(next))
    left.push(...Object.values(next).filter(isPlain))
  }
  return value
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}
