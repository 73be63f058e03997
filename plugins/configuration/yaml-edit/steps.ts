/** Breaks a change of values into the smallest steps, each of which touches one entry of a text. */
import { isDeepStrictEqual } from 'node:util'
import { SvcError } from 'svc/sdk'
import { formatConfigPath, getAtPath } from 'svc/sdk/host'
import type { Values } from './source.ts'

export type Path = readonly string[]

/** One change to one entry. `insert` adds a key to a mapping, `item` an item to a list at the index that ends its path. */
export type Step =
  | { readonly kind: 'replace' | 'insert' | 'item'; readonly path: Path; readonly value: unknown }
  | { readonly kind: 'remove'; readonly path: Path }
  | { readonly kind: 'rename'; readonly path: Path; readonly key: string }

/** The steps that put `wanted` at `path`. Throws `YAML_PATH` when the path leads through a value that holds no keys. */
export function stepsToSet(values: Values, path: Path, wanted: unknown): Step[] {
  let container: unknown = values
  for (const [at, key] of path.entries()) {
    const missing = stepToMake(container, path, at, wanted)
    if (missing) return [missing]
    container = (container as Values)[key]
  }
  return difference(container, wanted, path)
}

/** The step that makes the entry `path[at]` of a container, or undefined when the entry is there. */
function stepToMake(container: unknown, path: Path, at: number, wanted: unknown): Step | undefined {
  const key = path[at] as string
  const here = path.slice(0, at + 1)
  const value = wrapValue(path.slice(at + 1), wanted)
  if (container === null) return { kind: 'replace', path: path.slice(0, at), value: wrapValue(path.slice(at), wanted) }
  if (Array.isArray(container)) {
    if (!/^(0|[1-9]\d*)$/.test(key) || Number(key) > container.length) throw noItem(path, at, container.length)
    return Number(key) === container.length ? { kind: 'item', path: here, value } : undefined
  }
  if (typeof container !== 'object') throw noContainer(path, at, container)
  return Object.hasOwn(container, key) ? undefined : { kind: 'insert', path: here, value }
}

/** The step that removes `path`, or none when it is not there. */
export function stepsToRemove(values: Values, path: Path): Step[] {
  return getAtPath(values, path) === undefined ? [] : [{ kind: 'remove', path }]
}

/** What the values are after a step. */
export function applyStep(values: Values, step: Step): Values {
  const after = structuredClone(values)
  const key = step.path.at(-1) as string
  const parent = getAtPath(after, step.path.slice(0, -1)) as Values | unknown[]
  if (step.kind === 'rename') return renameKey(after, step)
  if (Array.isArray(parent))
    parent.splice(Number(key), step.kind === 'item' ? 0 : 1, ...(step.kind === 'remove' ? [] : [step.value]))
  else if (step.kind === 'remove') delete parent[key]
  else parent[key] = step.value
  return after
}

function renameKey(after: Values, { path, key }: Step & { kind: 'rename' }): Values {
  const parent = getAtPath(after, path.slice(0, -1)) as Values
  const old = path.at(-1) as string
  parent[key] = parent[old]
  delete parent[old]
  return after
}

function difference(current: unknown, wanted: unknown, path: Path): Step[] {
  if (isDeepStrictEqual(current, wanted)) return []
  if (Array.isArray(current) && Array.isArray(wanted)) return listDifference(current, wanted, path)
  if (isMapping(current) && isMapping(wanted)) return mappingDifference(current, wanted, path)
  return [{ kind: 'replace', path, value: wanted }]
}

function mappingDifference(current: Values, wanted: Values, path: Path): Step[] {
  const changed = Object.entries(wanted).flatMap(([key, value]): Step[] => {
    const here = [...path, key]
    return Object.hasOwn(current, key) ? difference(current[key], value, here) : [{ kind: 'insert', path: here, value }]
  })
  const gone = Object.keys(current).filter((key) => !Object.hasOwn(wanted, key))
  return [...changed, ...gone.map((key): Step => ({ kind: 'remove', path: [...path, key] }))]
}

function listDifference(current: unknown[], wanted: unknown[], path: Path): Step[] {
  const shorter = Math.min(current.length, wanted.length)
  let head = 0
  while (head < shorter && isDeepStrictEqual(current[head], wanted[head])) head++
  let tail = 0
  while (tail < shorter - head && isDeepStrictEqual(current.at(-1 - tail), wanted.at(-1 - tail))) tail++
  const paired = shorter - tail
  const steps: Step[] = []
  for (let at = head; at < paired; at++) steps.push(...difference(current[at], wanted[at], [...path, String(at)]))
  for (let at = current.length - tail - 1; at >= paired; at--)
    steps.push({ kind: 'remove', path: [...path, String(at)] })
  for (let at = paired; at < wanted.length - tail; at++)
    steps.push({ kind: 'item', path: [...path, String(at)], value: wanted[at] })
  return steps
}

/** The value under keys that are not there yet. A first key `0` makes a list. */
function wrapValue(keys: Path, value: unknown): unknown {
  return keys.reduceRight((inner, key) => (key === '0' ? [inner] : { [key]: inner }), value)
}

function isMapping(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function noItem(path: Path, at: number, length: number): SvcError {
  const list = formatConfigPath(path.slice(0, at))
  const hint =
    length === 0
      ? `It is empty: add with ${list}.0`
      : `It has ${length}: 0 to ${length - 1}; ${list}.${length} adds one`
  return new SvcError('YAML_PATH', `${list} is a list, and "${path[at]}" is not one of its items. ${hint}.`, {
    status: 400,
  })
}

function noContainer(path: Path, at: number, value: unknown): SvcError {
  const holder = formatConfigPath(path.slice(0, at))
  const message = `${holder} is ${JSON.stringify(value)} and holds no keys, so ${formatConfigPath(path)} cannot be set.`
  return new SvcError('YAML_PATH', `${message} To make it a block, remove ${holder} first.`, { status: 400 })
}
