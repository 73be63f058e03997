/** Rows as objects, made here out of arrays: the library makes them in native code, which takes twice as long for a long result. */
import type { SqlValue } from 'svc/sdk/storage'

type Row = Record<string, SqlValue>

/** Of a statement of the library, what is used here. */
interface Prepared {
  columns(): readonly { readonly name: string }[]
  raw(isRaw: boolean): unknown
  all(...values: SqlValue[]): unknown[]
}

/** For a statement that names its columns, so that they are the same whatever becomes of the tables. */
export function createRowMaker(prepared: Prepared): (values: readonly SqlValue[]) => Row[] {
  let names: readonly string[] | undefined
  return (values) => {
    names ??= prepared.columns().map(({ name }) => name)
    prepared.raw(true)
    try {
      const rows = prepared.all(...values) as SqlValue[][]
      return rows.map((row) => toObject(names ?? [], row))
    } finally {
      // The same statement is asked for one row, too.
      prepared.raw(false)
    }
  }
}

function toObject(names: readonly string[], values: readonly SqlValue[]): Row {
  const row: Row = {}
  for (let at = 0; at < names.length; at++) row[names[at] as string] = values[at] as SqlValue
  return row
}
