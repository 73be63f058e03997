/** Messages through two pipes of a browser that we started: `--remote-debugging-pipe`, each message ended by a NUL. */
import type { Readable, Writable } from 'node:stream'
import { LONGEST_MESSAGE, type OpenWire } from './cdp.ts'

/** `input` is what the browser reads. It ends with us: when this process dies, the pipes close and the browser ends. */
export function pipeWire(input: Writable, output: Readable): OpenWire {
  return (ends) => {
    let over = false
    const closed = () => {
      if (!over) ends.closed('The browser ended.')
      over = true
    }
    output.on('data', splitAtNul(ends.message))
    for (const stream of [input, output]) stream.on('error', closed).on('close', closed)
    return {
      send: (message) => {
        if (!over) input.write(`${message}\0`)
      },
      close: () => {
        input.end()
        output.destroy()
      },
    }
  }
}

/** Puts chunks together to messages; one that is too long is left out. */
export function splitAtNul(deliver: (text: string) => void, longest = LONGEST_MESSAGE): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let size = 0
  const take = (part: Buffer) => {
    size += part.length
    if (size <= longest) parts.push(part)
    else parts = []
  }
  return (chunk) => {
    let rest = chunk
    for (let end = rest.indexOf(0); end >= 0; end = rest.indexOf(0)) {
      take(rest.subarray(0, end))
      if (size <= longest && size > 0) deliver(Buffer.concat(parts).toString())
      parts = []
      size = 0
      rest = rest.subarray(end + 1)
    }
    take(rest)
  }
}
