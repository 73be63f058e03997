/** What `raw` and `state` of the scripts print of a file. */

/** Raw mode, size, and the rest. BSD gives the raw mode in octal, which has more digits than GNU's hexadecimal. */
export function readState(state: string): { readonly mode: number; readonly size: number; readonly version: string } {
  const [, raw = '', size = '', version = ''] = /^(\w+) (\d+) (.*)$/s.exec(state) ?? []
  const mode = Number.parseInt(raw, raw.length > 4 ? 8 : 16)
  return { mode, size: Number(size), version }
}
