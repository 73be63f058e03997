/** Finds the entry of a YAML text that a path leads to. */
import { SvcError } from 'svc/sdk'
import { formatConfigPath } from 'svc/sdk/host'
import { isAlias, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml'
import type { YamlSource } from './source.ts'
import type { Path } from './steps.ts'
import { type Collection, type Entry, listEntries } from './tokens.ts'

/** An entry, its collection, and the entry that holds the collection (none for the root). */
export interface EntryPosition {
  readonly entry: Entry
  readonly container: Collection
  readonly holder: Entry | undefined
}

/** The place of a path that exists. Throws `YAML_ALIAS` when it leads into an alias. */
export function findPlace(source: YamlSource, path: Path): EntryPosition {
  const parent = path.slice(0, -1)
  const holder = parent.length > 0 ? findPlace(source, parent).entry : undefined
  const container = collectionAt(source, parent)
  const entry = container && findEntry(nodeAt(source, parent), container, path.at(-1) as string)
  if (!container || !entry) throw unsafe(path)
  return { entry, container, holder }
}

/** The tokens of the collection at a path; undefined if there is no collection, as in an empty text. */
export function collectionAt(source: YamlSource, path: Path): Collection | undefined {
  const node = nodeAt(source, path)
  const token = isMap(node) || isSeq(node) ? node.srcToken : undefined
  return token && 'items' in token ? token : undefined
}

/** Where what belongs to a path ends, the comments that follow it in its block counted in. */
export function rangeEnd(source: YamlSource, path: Path): number | undefined {
  return (child(source.document.contents, path) as Node | undefined)?.range?.[2]
}

/** A change that would disturb something else. */
export function unsafe(path: Path): SvcError {
  const message = `${formatConfigPath(path)} cannot be changed without touching other lines of the text. Change it by hand.`
  return new SvcError('YAML_UNSAFE', message, { status: 409 })
}

function nodeAt(source: YamlSource, path: Path): unknown {
  return child(source.document.contents, path, (at) => {
    const alias = formatConfigPath(path.slice(0, at))
    const message = `${alias} is an alias that other places of the text share. Change what it stands for, or set ${alias} as a whole.`
    return new SvcError('YAML_ALIAS', message, { status: 409 })
  })
}

function child(root: unknown, path: Path, onAlias?: (depth: number) => SvcError): unknown {
  let node: unknown = root
  for (let at = 0; at <= path.length; at++) {
    if (isAlias(node) && onAlias) throw onAlias(at)
    const key = path[at]
    if (key === undefined) return node
    if (isMap(node)) node = findPair(node.items, key)?.value
    else node = isSeq(node) ? node.items[Number(key)] : undefined
  }
  return node
}

function findEntry(node: unknown, container: Collection, key: string): Entry | undefined {
  if (isMap(node)) return findPair(node.items, key)?.srcToken as Entry | undefined
  return listEntries(container)[Number(key)]
}

function findPair(pairs: readonly Pair[], key: string): Pair | undefined {
  return pairs.find((pair) => (isScalar(pair.key) ? String(pair.key.value ?? '') : undefined) === key)
}
