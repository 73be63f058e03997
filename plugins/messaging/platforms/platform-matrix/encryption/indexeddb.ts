/**
 * IndexedDB (www.w3.org/TR/IndexedDB) for the crypto library, which keeps its state in nothing else: the databases of `fake-indexeddb` in memory,
 * whose changes are recorded. A transaction is complete for the library when its changes were recorded.
 */
import {
  IDBCursor,
  IDBCursorWithValue,
  IDBDatabase,
  IDBFactory,
  IDBKeyRange,
  IDBOpenDBRequest,
  IDBRequest,
  indexedDB,
} from 'fake-indexeddb'
import type { IdbDatabase, IdbFactory, IdbOpenRequest, IdbRequest, IdbStore, IdbTransaction } from './idb.ts'
import { type Change, type Range, recordDatabase, recordTransaction, type Step } from './recording.ts'

const MARK = Symbol.for('svc.platform-matrix.indexeddb')
/** What the library tests values with. */
const CLASSES = { IDBCursor, IDBCursorWithValue, IDBDatabase, IDBKeyRange, IDBOpenDBRequest, IDBRequest }

interface Global {
  [MARK]?: RecordedFactory
  indexedDB?: unknown
}

/** The `indexedDB` of this process: the library finds it only as a global. */
export function getFactory(): RecordedFactory {
  const scope = globalThis as Global
  scope[MARK] ??= new RecordedFactory()
  scope.indexedDB = scope[MARK]
  for (const [name, value] of Object.entries(CLASSES)) (globalThis as Record<string, unknown>)[name] ??= value
  return scope[MARK]
}

/** The databases of one device. */
interface Kept {
  readonly memory: IdbFactory
  sink: ((step: Step) => void) | undefined
}

class RecordedFactory {
  /** By the prefix of the names of databases. */
  readonly #kept: Map<string, Kept> = new Map()

  open(name: string, ...version: [number?]): IdbOpenRequest {
    const { memory: own, sink } = this.#find(name)
    const request = own.open(name, ...version)
    if (!sink) return request
    const record = (changes: readonly Change[], upgraded?: number) =>
      sink({ db: name, changes, ...(upgraded !== undefined && { version: upgraded }) })
    request.addEventListener('upgradeneeded', () => {
      const { result, transaction } = request
      recordDatabase(result, record)
      if (transaction) recordTransaction(transaction, result, (changes) => record(changes, result.version))
    })
    request.addEventListener('success', () => recordDatabase(request.result, record))
    return request
  }

  deleteDatabase(name: string): IdbRequest {
    return this.#find(name).memory.deleteDatabase(name)
  }

  cmp(first: unknown, second: unknown): number {
    return indexedDB.cmp(first, second)
  }

  /** Makes the databases as the steps left them; from then on `sink` is told of each step, before it is complete. */
  async load(prefix: string, steps: readonly Step[], sink: (step: Step) => void): Promise<void> {
    const kept: Kept = { memory: new IDBFactory(), sink: undefined }
    const open: Map<string, IdbDatabase> = new Map()
    for (const { db, version, changes } of steps) {
      if (version !== undefined) {
        open.get(db)?.close()
        open.set(db, await upgrade(kept.memory, { db, version, changes }))
        continue
      }
      const database = open.get(db)
      if (!database) throw new Error(`The database ${db} is changed before it is made.`)
      const transaction = database.transaction([...new Set(changes.map(({ store }) => store))], 'readwrite')
      for (const change of changes) applyData(transaction.objectStore(change.store), change)
      await finished(transaction)
    }
    for (const database of open.values()) database.close()
    kept.sink = sink
    this.#kept.set(prefix, kept)
  }

  /** The shortest steps that lead to what the databases hold. */
  async dump(prefix: string): Promise<readonly Step[]> {
    const { memory: own } = this.#find(prefix)
    const steps: Step[] = []
    for (const { name, version } of await own.databases()) {
      if (name === undefined || version === undefined) continue
      const database = await settled(own.open(name))
      const changes: Change[] = []
      for (const store of database.objectStoreNames) changes.push(...(await dumpStore(database, store)))
      database.close()
      steps.push({ db: name, version, changes })
    }
    return steps
  }

  /** Forgets the databases; what was recorded stays. */
  release(prefix: string): void {
    this.#kept.delete(prefix)
  }

  #find(name: string): Kept {
    const found = [...this.#kept].find(([prefix]) => name.startsWith(prefix))?.[1]
    return found ?? { memory: indexedDB as IdbFactory, sink: undefined }
  }
}

async function upgrade(own: IdbFactory, { db, version, changes }: Step): Promise<IdbDatabase> {
  const request = own.open(db, version)
  request.addEventListener('upgradeneeded', () => {
    const { result, transaction } = request
    for (const change of changes) {
      if (change.kind === 'store') result.createObjectStore(change.store, change.options)
      else if (change.kind === 'drop') result.deleteObjectStore(change.store)
      else if (transaction) applyData(transaction.objectStore(change.store), change)
    }
  })
  return settled(request)
}

export type { RecordedFactory }

function applyData(store: IdbStore, change: Change): void {
  if (change.kind === 'put') store.put(change.value, ...(change.key === undefined ? [] : [change.key]))
  if (change.kind === 'delete') store.delete(toQuery(change.range))
  if (change.kind === 'clear') store.clear()
  if (change.kind === 'index') store.createIndex(change.name, change.keyPath, change.options)
  if (change.kind === 'dropIndex') store.deleteIndex(change.name)
}

function toQuery(range: Range): unknown {
  if ('only' in range) return range.only
  const { lower, upper, lowerOpen, upperOpen } = range
  if (lower === undefined) return IDBKeyRange.upperBound(upper, upperOpen)
  if (upper === undefined) return IDBKeyRange.lowerBound(lower, lowerOpen)
  return IDBKeyRange.bound(lower, upper, lowerOpen, upperOpen)
}

async function dumpStore(database: IdbDatabase, name: string): Promise<readonly Change[]> {
  const store = database.transaction(name).objectStore(name)
  const { keyPath, autoIncrement } = store
  const made: Change[] = [{ kind: 'store', store: name, options: { keyPath, autoIncrement } }]
  for (const each of store.indexNames) {
    const { keyPath: path, unique, multiEntry } = store.index(each)
    made.push({ kind: 'index', store: name, name: each, keyPath: path, options: { unique, multiEntry } })
  }
  const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll())])
  const isInline = keyPath !== null
  return [
    ...made,
    ...values.map((value, at): Change => ({ kind: 'put', store: name, value, key: isInline ? undefined : keys[at] })),
  ]
}

function settled<T>(request: IdbRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })
}

function finished(transaction: IdbTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve())
    transaction.addEventListener('abort', () => reject(transaction.error))
  })
}
