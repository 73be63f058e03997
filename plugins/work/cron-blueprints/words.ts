/** `slot=value`, as it is typed in a shell and in a conversation. Pure. */
import { SvcError } from 'svc/sdk'
import type { Values } from './fill.ts'

/** Words without a slot belong to the value before them, so quotes may be left out. Throws `BLUEPRINT_VALUE`. */
export function readSlots(words: readonly string[]): Values {
  const values = new Map<string, string>()
  let open: string | undefined
  for (const word of words) {
    const [, slot, value = ''] = /^([a-z][a-z_-]*)=([\s\S]*)$/i.exec(word) ?? []
    if (slot !== undefined) {
      open = slot.toLowerCase()
      values.set(open, unquote(value))
    } else if (open !== undefined) values.set(open, unquote(`${values.get(open)} ${word}`))
    else {
      const message = `Write values as slot=value, such as time=08:30; "${word.slice(0, 60)}" has no slot.`
      throw new SvcError('BLUEPRINT_VALUE', message, { status: 422 })
    }
  }
  return Object.fromEntries(values)
}

/** A conversation passes quotes on where they do not begin a word: `text="Water the plants"`. */
function unquote(value: string): string {
  const [, quote, inner] = /^(["'])([\s\S]*)\1$/.exec(value) ?? []
  return quote !== undefined && inner !== undefined ? inner : value
}
