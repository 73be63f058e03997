/**
 * Notes what a transaction of IndexedDB changes. Methods are replaced on the objects that the library gets and not on their classes, which
 * others may use.
 */
import { deserialize, serialize } from 'node:v8'
import type { IdbCursor, IdbDatabase, IdbIndex, IdbRequest, IdbStore, IdbTransaction } from './idb.ts'

/** One key, or those between two. */
export type Range =
  | { readonly only: unknown }
  | { readonly lower?: unknown; readonly upper?: unknown; readonly lowerOpen: boolean; readonly upperOpen: boolean }

/** One change of the structure or of the content. */
export type Change =
  | { readonly kind: 'store'; readonly store: string; readonly options: unknown }
  | { readonly kind: 'drop'; readonly store: string }
  | {
      readonly kind: 'index'
      readonly store: string
      readonly name: string
      readonly keyPath: string | readonly string[]
      readonly options: unknown
    }
  | { readonly kind: 'dropIndex'; readonly store: string; readonly name: string }
  /** The key is undefined where it is a part of the value. */
  | { readonly kind: 'put'; readonly store: string; readonly value: unknown; readonly key: unknown }
  | { readonly kind: 'delete'; readonly store: string; readonly range: Range }
  | { readonly kind: 'clear'; readonly store: string }

/** What one transaction changed. `version` when it upgraded the database. */
export interface Step {
  readonly db: string
  readonly version?: number
  readonly changes: readonly Change[]
}

/** A change whose request may still fail. */
interface Pending {
  readonly request?: IdbRequest
  create(): Change
}

const recorded = new WeakSet<object>()

/** Records the transactions of a connection; each is told of once it is complete, before the library is. */
export function recordDatabase(database: IdbDatabase, record: (changes: readonly Change[]) => void): void {
  if (!isFirst(database)) return
  const { transaction } = database
  database.transaction = (names, mode, options) => {
    const made = transaction.call(database, names, mode, options)
    if (mode === 'readwrite') recordTransaction(made, undefined, record)
    return made
  }
}

/** Records one transaction. `upgraded`: the database, if the transaction may change its structure. */
export function recordTransaction(
  transaction: IdbTransaction,
  upgraded: IdbDatabase | undefined,
  record: (changes: readonly Change[]) => void,
): void {
  const pending: Pending[] = []
  const { objectStore } = transaction
  transaction.objectStore = (name) => recordStore(objectStore.call(transaction, name), pending)
  if (upgraded) recordStructure(upgraded, pending)
  transaction.addEventListener('complete', () => {
    const changes = pending.filter(({ request }) => !request?.error).map((each) => each.create())
    if (changes.length > 0 || upgraded) record(changes)
  })
}

function recordStructure(database: IdbDatabase, pending: Pending[]): void {
  const { createObjectStore, deleteObjectStore } = database
  database.createObjectStore = (...parameters) => {
    const store = createObjectStore.apply(database, parameters)
    const { name, keyPath, autoIncrement } = store
    note(pending, { kind: 'store', store: name, options: { keyPath, autoIncrement } })
    return recordStore(store, pending)
  }
  database.deleteObjectStore = (...parameters) => {
    deleteObjectStore.apply(database, parameters)
    note(pending, { kind: 'drop', store: String(parameters[0]) })
  }
}

function recordStore(store: IdbStore, pending: Pending[]): IdbStore {
  if (!isFirst(store)) return store
  const { name } = store
  recordWrites(store, pending)
  recordRemovals(store, pending)
  recordIndexes(store, pending)
  recordCursors(store, name, pending)
  return store
}

function recordWrites(store: IdbStore, pending: Pending[]): void {
  for (const method of ['put', 'add'] as const) {
    const write = store[method]
    store[method] = (...parameters) => {
      const value = copy(parameters[0])
      const request = write.apply(store, parameters)
      const isInline = store.keyPath !== null
      const create = (): Change => ({
        kind: 'put',
        store: store.name,
        value,
        key: isInline ? undefined : copy(request.result),
      })
      pending.push({ request, create })
      return request
    }
  }
}

function recordRemovals(store: IdbStore, pending: Pending[]): void {
  const { delete: remove, clear } = store
  store.delete = (...parameters) => {
    const range = toRange(parameters[0])
    const request = remove.apply(store, parameters)
    pending.push({ request, create: () => ({ kind: 'delete', store: store.name, range }) })
    return request
  }
  store.clear = (...parameters) => {
    const request = clear.apply(store, parameters)
    pending.push({ request, create: () => ({ kind: 'clear', store: store.name }) })
    return request
  }
}

function recordIndexes(store: IdbStore, pending: Pending[]): void {
  const { index, createIndex, deleteIndex } = store
  store.index = (name) => {
    const found = index.call(store, name)
    if (isFirst(found)) recordCursors(found, store.name, pending)
    return found
  }
  store.createIndex = (...parameters) => {
    const made = createIndex.apply(store, parameters)
    const [name] = parameters
    const { keyPath, unique, multiEntry } = made
    note(pending, { kind: 'index', store: store.name, name: String(name), keyPath, options: { unique, multiEntry } })
    return made
  }
  store.deleteIndex = (...parameters) => {
    deleteIndex.apply(store, parameters)
    note(pending, { kind: 'dropIndex', store: store.name, name: String(parameters[0]) })
  }
}

/** A cursor is one object, whatever it points to. */
function recordCursors(source: Pick<IdbIndex, 'openCursor'>, store: string, pending: Pending[]): void {
  const { openCursor } = source
  source.openCursor = (...parameters) => {
    const request = openCursor.apply(source, parameters)
    request.addEventListener('success', () => {
      if (request.result && isFirst(request.result)) recordCursor(request.result, store, pending)
    })
    return request
  }
}

function recordCursor(cursor: IdbCursor, store: string, pending: Pending[]): void {
  const { update, delete: remove } = cursor
  cursor.update = (...parameters) => {
    const [value, key] = [copy(parameters[0]), copy(cursor.primaryKey)]
    const request = update.apply(cursor, parameters)
    pending.push({ request, create: () => ({ kind: 'put', store, value, key }) })
    return request
  }
  cursor.delete = (...parameters) => {
    const only = copy(cursor.primaryKey)
    const request = remove.apply(cursor, parameters)
    pending.push({ request, create: () => ({ kind: 'delete', store, range: { only } }) })
    return request
  }
}

function note(pending: Pending[], change: Change): void {
  pending.push({ create: () => change })
}

/** As it is now: the caller may change it. */
function copy<T>(value: T): T {
  return deserialize(serialize(value)) as T
}

function toRange(query: unknown): Range {
  if (typeof query !== 'object' || query === null || !('lowerOpen' in query)) return { only: copy(query) }
  const { lower, upper, lowerOpen, upperOpen } = query as Exclude<Range, { only: unknown }>
  return { lower: copy(lower), upper: copy(upper), lowerOpen, upperOpen }
}

function isFirst(object: object): boolean {
  if (recorded.has(object)) return false
  recorded.add(object)
  return true
}
