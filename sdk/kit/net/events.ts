/** Server-sent events. Source: https://html.spec.whatwg.org/multipage/server-sent-events.html, section 9.2. */

/** One event. @since 0.1 */
export interface ServerSentEvent {
  readonly data: string
  /** The type that the server gave it (default `message`). */
  readonly type: string
  /** The last id so far: it holds until there is another. */
  readonly id: string | undefined
}

/** How a stream is read. @since 0.1 */
export interface EventOptions {
  /** The longest event in characters. */
  readonly maxLength: number
  /** Returns the error to throw for a longer event. */
  onTooLong(): Error
  /** Called for each piece that arrives. */
  heard?(): void
}

/** Events as they become complete. A last one that no empty line follows was cut off and does not count. @since 0.1 */
export async function* readEvents(
  source: AsyncIterable<Uint8Array>,
  { maxLength, onTooLong, heard }: EventOptions,
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder()
  const open = new OpenEvent()
  let rest = ''
  for await (const bytes of source) {
    heard?.()
    // A carriage return at the end may be the first half of CRLF.
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const complete = open.add(line)
      if (complete) yield complete
    }
    if (rest.length + open.length > maxLength) throw onTooLong()
  }
}

/** The lines since the last event. */
class OpenEvent {
  #data: string[] = []
  #type = ''
  #id: string | undefined
  length = 0

  /** Returns the event that the line ends. */
  add(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#end()
    const [, field, value = ''] = /^([^:]+):? ?(.*)$/s.exec(line) ?? []
    if (field === 'id' && !value.includes('\0')) this.#id = value
    if (field === 'event') this.#type = value
    if (field !== 'data') return undefined
    this.#data.push(value)
    this.length += value.length
    return undefined
  }

  #end(): ServerSentEvent | undefined {
    const event = { data: this.#data.join('\n'), type: this.#type || 'message', id: this.#id }
    const isEmpty = this.#data.length === 0
    this.#data = []
    this.#type = ''
    this.length = 0
    return isEmpty ? undefined : event
  }
}
