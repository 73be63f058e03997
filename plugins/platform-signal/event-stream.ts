/** Server-sent events with their ids (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
import { SvcError } from 'svc/sdk'

/** Characters of one event past which the sender is given up: attachments do not come with events. */
const MAX_EVENT = 4 * 2 ** 20

export interface StreamEvent {
  readonly data: string
  readonly id: string | undefined
}

/** Events as they are complete. A last one without an empty line behind it was cut off and does not count. */
export async function* streamEvents(body: AsyncIterable<Uint8Array>, heard: () => void): AsyncIterable<StreamEvent> {
  const decoder = new TextDecoder()
  const event = new OpenEvent()
  let rest = ''
  for await (const bytes of body) {
    heard()
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const complete = event.add(line)
      if (complete) yield complete
    }
    if (rest.length + event.length > MAX_EVENT)
      throw new SvcError('SIGNAL_FAILED', 'One event of the daemon is over 4 MiB. Check that it is signal-cli.')
  }
}

/** Lines since the last event. An id holds until there is another. */
class OpenEvent {
  #data: string[] = []
  #id: string | undefined
  length = 0

  /** The event that this line ends. */
  add(line: string): StreamEvent | undefined {
    if (line === '') return this.#end()
    const [, field, value = ''] = /^(\w+): ?(.*)$/s.exec(line) ?? []
    if (field === 'id') this.#id = value
    if (field !== 'data') return undefined
    this.#data.push(value)
    this.length += value.length
    return undefined
  }

  #end(): StreamEvent | undefined {
    if (this.#data.length === 0) return undefined
    const event = { data: this.#data.join('\n'), id: this.#id }
    this.#data = []
    this.length = 0
    return event
  }
}
