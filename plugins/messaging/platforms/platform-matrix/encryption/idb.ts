/** As much of IndexedDB (www.w3.org/TR/IndexedDB) as is used here: the types of a browser are not in the program. */

interface Emitter {
  addEventListener(type: string, listener: () => void): void
}

export interface IdbRequest<T = unknown> extends Emitter {
  readonly result: T
  readonly error: unknown
}

export interface IdbOpenRequest extends IdbRequest<IdbDatabase> {
  readonly transaction: IdbTransaction | null
}

export interface IdbCursor {
  readonly primaryKey: unknown
  update(...parameters: unknown[]): IdbRequest
  delete(...parameters: unknown[]): IdbRequest
}

export interface IdbIndex {
  readonly keyPath: string | string[]
  readonly unique: boolean
  readonly multiEntry: boolean
  openCursor(...parameters: unknown[]): IdbRequest<IdbCursor | null>
}

export interface IdbStore extends Pick<IdbIndex, 'openCursor'> {
  readonly name: string
  readonly keyPath: string | string[] | null
  readonly autoIncrement: boolean
  readonly indexNames: Iterable<string>
  put(...parameters: unknown[]): IdbRequest
  add(...parameters: unknown[]): IdbRequest
  delete(...parameters: unknown[]): IdbRequest
  clear(...parameters: unknown[]): IdbRequest
  getAll(): IdbRequest<unknown[]>
  getAllKeys(): IdbRequest<unknown[]>
  index(name: string): IdbIndex
  createIndex(...parameters: unknown[]): IdbIndex
  deleteIndex(...parameters: unknown[]): void
}

export interface IdbTransaction extends Emitter {
  readonly error: unknown
  objectStore(name: string): IdbStore
}

export interface IdbDatabase {
  readonly name: string
  readonly version: number
  readonly objectStoreNames: Iterable<string>
  transaction(names: string | readonly string[], mode?: string, options?: unknown): IdbTransaction
  createObjectStore(...parameters: unknown[]): IdbStore
  deleteObjectStore(...parameters: unknown[]): void
  close(): void
}

export interface IdbFactory {
  open(name: string, version?: number): IdbOpenRequest
  deleteDatabase(name: string): IdbRequest
  databases(): Promise<readonly { readonly name?: string; readonly version?: number }[]>
  cmp(first: unknown, second: unknown): number
}
