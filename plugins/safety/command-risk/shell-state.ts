/** The state of a shell besides variables: functions, aliases, renamed programs, links, and files that were written. */

const MAX_ENTRIES = 200
const MAX_CHARACTERS = 262_144
const MAX_KEY = 4096

type Table = Map<string, string>

export class ShellState {
  /** Bodies by name. */
  readonly functions: Table = new Map()
  /** Texts by name. */
  readonly aliases: Table = new Map()
  /** Programs known by their path or name, and what they are: `tidy` is `rm`. */
  readonly programs: Table = new Map()
  /** Absolute targets by the absolute path of the link. */
  readonly links: Table = new Map()
  /** Files that were written, by absolute path, and their text; an empty text is not known. */
  readonly written: Table = new Map()
  /** Something had no room: what is not known may stand for anything. */
  isIncomplete = false
  #characters = 0

  /** Records an entry; if the limit is reached the state is marked incomplete. */
  note(table: Table, key: string, value: string): void {
    const more = key.length + value.length
    const isFull = table.size >= MAX_ENTRIES && !table.has(key)
    if (isFull || key.length > MAX_KEY || this.#characters + more > MAX_CHARACTERS) {
      this.isIncomplete = true
      return
    }
    this.#characters += more
    table.set(key, value)
  }

  copy(): ShellState {
    const copy = new ShellState()
    for (const [to, from] of [
      [copy.functions, this.functions],
      [copy.aliases, this.aliases],
      [copy.programs, this.programs],
      [copy.links, this.links],
      [copy.written, this.written],
    ] as const)
      for (const [key, value] of from) to.set(key, value)
    copy.isIncomplete = this.isIncomplete
    copy.#characters = this.#characters
    return copy
  }
}
