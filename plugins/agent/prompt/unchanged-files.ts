/** What was read of files, for as long as they look the same: most conversations begin where others have begun. */
import { statSync } from 'node:fs'
import { memoizePerTick } from 'svc/sdk/kit/async'

/** Whether a file is there, which what is read depends on. Called before the file is read. */
export type ExistenceCheck = (path: string) => boolean

const MISSING = ''
const MAX_KNOWN = 100

/** Values by a key, each with the files that it was made of. */
export class Unchanged<T> {
  readonly #known = new Map<string, { readonly marks: ReadonlyMap<string, string>; readonly value: T }>()

  /** `read` names every file with `look` whose presence or content its value comes from. */
  async get(key: string, read: (look: ExistenceCheck) => Promise<T>): Promise<T> {
    const known = this.#known.get(key)
    if (known && isSame(known.marks)) return known.value
    const marks = new Map<string, string>()
    const value = await read((path) => {
      const mark = readFileMark(path)
      marks.set(path, mark)
      return mark !== MISSING
    })
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    this.#known.set(key, { marks, value })
    return value
  }
}

/** Only looks: without a value to keep. */
export const isThere: ExistenceCheck = (path) => readFileMark(path) !== MISSING

function isSame(marks: ReadonlyMap<string, string>): boolean {
  for (const [path, mark] of marks) if (readFileMark(path) !== mark) return false
  return true
}

/** Differs once a file was written, replaced, or given other rights. */
const readFileMark: (path: string) => string = memoizePerTick((path: string) => {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats ? `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}` : MISSING
  } catch {
    // A folder that may not be looked into has nothing to tell.
    return MISSING
  }
})
