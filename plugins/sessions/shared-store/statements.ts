/** Statements of the store itself, written once for both dialects. */
import type { StoreDialect, StoreResult } from 'svc/sdk/store'

/** Runs a statement where it belongs: on its own, or in a transaction. */
export type Run = (text: string, values: readonly unknown[]) => Promise<StoreResult>

/** A part of a statement that is no value. */
export class Fragment {
  readonly text: string
  readonly values: readonly unknown[]

  constructor(text: string, values: readonly unknown[] = []) {
    this.text = text
    this.values = values
  }
}

/** Writes a statement: fragments are part of its text, everything else is a value. */
export type Write = (
  parts: TemplateStringsArray,
  ...values: readonly unknown[]
) => {
  readonly text: string
  readonly values: readonly unknown[]
}

/** For one dialect, which differ in how parameters look. */
export function createWriter(dialect: StoreDialect): Write {
  return (parts, ...given) => {
    const values: unknown[] = []
    let text = parts[0] ?? ''
    const add = (value: unknown) => {
      values.push(value)
      text += dialect === 'postgres' ? `$${values.length}` : '?'
    }
    given.forEach((each, at) => {
      if (each instanceof Fragment) addFragment(each)
      else add(each)
      text += parts[at + 1] ?? ''
    })
    return { text, values }

    function addFragment(fragment: Fragment): void {
      const pieces = fragment.text.split('?')
      text += pieces[0] ?? ''
      fragment.values.forEach((value, at) => {
        add(value)
        text += pieces[at + 1] ?? ''
      })
    }
  }
}
