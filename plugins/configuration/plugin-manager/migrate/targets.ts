/** What a name of an earlier SDK is now. */
import type { SdkNames, SdkRename } from 'svc/sdk/safety'
import type { Node } from './syntax.ts'

/** Where a name of `svc/sdk` is now. */
export interface Target {
  readonly name: string
  readonly entry: string
  /** Undefined for a name that is what and where it was. */
  readonly rename?: SdkRename
}

export interface Names {
  /** The present name of a name that `at` takes from `svc/sdk`. */
  resolve(name: string, at: Node): Target
  /** Whether a value of this name is exported by the entry point. */
  hasValue(name: string, entry: string): boolean
}

/** The module whose names were renamed, also under the address that passes on the old ones. */
export function isOldModule(value: unknown): boolean {
  return value === 'svc/sdk' || value === 'svc/sdk/0.1'
}

export function createNames({ renames, values }: SdkNames): Names {
  const byOld = new Map(renames.map((rename) => [rename.old, rename]))
  return {
    resolve(name) {
      const rename = byOld.get(name)
      return rename ? { name: rename.new, entry: rename.entry, rename } : { name, entry: 'svc/sdk' }
    },
    hasValue: (name, entry) => values[entry]?.includes(name) === true,
  }
}
