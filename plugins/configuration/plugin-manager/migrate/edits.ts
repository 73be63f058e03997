/** Replacements in a text, by position. */
export class Edits {
  readonly #byStart = new Map<string, { readonly start: number; readonly end: number; readonly text: string }>()

  /** Replaces a part of the text. The same part is replaced once; parts do not overlap. */
  replace({ start, end }: { readonly start: number; readonly end: number }, text: string): void {
    this.#byStart.set(`${start}-${end}`, { start, end, text })
  }

  insert(at: number, text: string): void {
    const key = `${at}-${at}`
    this.#byStart.set(key, { start: at, end: at, text: (this.#byStart.get(key)?.text ?? '') + text })
  }

  apply(text: string): string {
    const all = [...this.#byStart.values()].sort((one, two) => one.start - two.start || one.end - two.end)
    let result = ''
    let at = 0
    for (const { start, end, text: replacement } of all) {
      if (start < at) throw new Error(`Two changes overlap at character ${start}.`)
      result += text.slice(at, start) + replacement
      at = end
    }
    return result + text.slice(at)
  }
}
