/**
 * What a server of IRC keeps and gives again: https://ircv3.net/specs/extensions/chathistory, of which AFTER and TARGETS, in
 * batches (https://ircv3.net/specs/extensions/batch).
 */

/** As `CHATHISTORY` of RPL_ISUPPORT says it. */
export const MAX_LINES = 20

/** A line that was said. */
export interface KeptLine {
  /** The channel, or the other one of a conversation, in lower case. */
  readonly target: string
  readonly line: string
  readonly tags: Readonly<Record<string, string>> & { readonly msgid: string; readonly time: string }
}

interface HistoryBatch {
  readonly type: string
  readonly lines: readonly { readonly line: string; readonly tags?: KeptLine['tags'] }[]
}

/** Who asks, and how it is told. */
export interface HistoryReader {
  /** Of channels only those in which it is. */
  mayRead(target: string): boolean
  tell(line: string, tags?: Readonly<Record<string, string>>): void
}

export class FakeHistory {
  readonly #kept: KeptLine[] = []
  #batches = 0

  /** A line with an id that is there already is kept once. */
  keep(line: KeptLine): void {
    if (!this.#kept.some(({ tags }) => tags.msgid === line.tags.msgid)) this.#kept.push(line)
  }

  answer(params: readonly string[], reader: HistoryReader): void {
    const [subcommand = ''] = params
    const found = this.#found(params, reader)
    if (typeof found === 'string')
      reader.tell(`FAIL CHATHISTORY ${found} ${subcommand} :Messages could not be retrieved`)
    else this.#batch(found.type, found.lines, reader)
  }

  /** Or the code of a failure. */
  #found([subcommand = '', ...params]: readonly string[], { mayRead }: HistoryReader): HistoryBatch | string {
    const [first = '', second = ''] = params
    const limit = Math.min(Number(params[2]), MAX_LINES)
    if (params.length !== 3 || !(limit > 0)) return 'INVALID_PARAMS'
    if (subcommand === 'TARGETS') {
      const lines = this.#targets(timeIn(first), timeIn(second)).filter(({ target }) => mayRead(target))
      return { type: 'draft/chathistory-targets', lines: lines.slice(0, limit) }
    }
    const target = first.toLowerCase()
    if (subcommand !== 'AFTER') return 'INVALID_PARAMS'
    if (!mayRead(target)) return 'INVALID_TARGET'
    const lines = this.#kept.filter((each) => each.target === target)
    const from = indexAfter(lines, second)
    return from === undefined
      ? 'MESSAGE_ERROR'
      : { type: `chathistory ${first}`, lines: lines.slice(from, from + limit) }
  }

  /** Each with the time of its newest line. */
  #targets(from: string, to: string): Omit<KeptLine, 'tags'>[] {
    return [...new Map(this.#kept.map(({ target, tags }) => [target, tags.time]))]
      .filter(([, time]) => time > from && time < to)
      .map(([target, time]) => ({ target, line: `CHATHISTORY TARGETS ${target} ${time}` }))
  }

  #batch(type: string, lines: HistoryBatch['lines'], reader: HistoryReader): void {
    const id = `h${++this.#batches}`
    reader.tell(`BATCH +${id} ${type}`)
    for (const { line, tags } of lines) reader.tell(line, { ...tags, batch: id })
    reader.tell(`BATCH -${id}`)
  }
}

function timeIn(reference: string): string {
  return reference.replace(/^timestamp=/, '')
}

/** Of the first line behind it; undefined when there is no such line. */
function indexAfter(lines: readonly KeptLine[], reference: string): number | undefined {
  const [kind, value = ''] = reference.split(/=(.*)/s)
  if (kind === 'timestamp') return lines.filter(({ tags }) => tags.time <= value).length
  const at = lines.findIndex(({ tags }) => tags.msgid === value)
  return kind === 'msgid' && at >= 0 ? at + 1 : undefined
}
