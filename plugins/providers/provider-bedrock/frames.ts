/**
 * The binary event stream of AWS (https://smithy.io/2.0/aws/amazon-eventstream.html): length of the message and of its
 * headers, a checksum of both, headers, payload, and a checksum of everything before it; numbers are big-endian.
 */
import { crc32 } from 'node:zlib'
import { SvcError } from 'svc/sdk'
import type { SseReader } from 'svc/sdk/provider'

const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4
/** The most the format allows: 128 KiB of headers and 24 MiB of payload. */
const MAX_MESSAGE_BYTES = 25 * 2 ** 20

/** Sizes of header values by their type; texts (7) and bytes (6) say their own. */
const VALUE_BYTES: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 }
const BYTES_TYPE = 6
const TEXT_TYPE = 7

/** One message. Only headers with a text are kept: `:message-type`, `:event-type`, `:exception-type` and so on. */
export interface Frame {
  readonly headers: Readonly<Record<string, string>>
  readonly payload: string
}

/** Splits bytes into messages, given as JSON of a `Frame`. Bytes may be cut anywhere. */
export function frameReader(): SseReader {
  return new FrameReader()
}

class FrameReader implements SseReader {
  #pieces: Uint8Array[] = []
  #bytes = 0
  /** Length of the message that is coming in; 0 while that is not known. */
  #wanted = 0
  #error: unknown

  /** Throws `BEDROCK_FRAME_GARBLED` when a checksum is wrong, once the messages before that are given out. */
  push(bytes: Uint8Array): string[] {
    this.#complain()
    this.#pieces.push(bytes)
    this.#bytes += bytes.length
    const frames: string[] = []
    try {
      while (this.#hasMessage()) frames.push(JSON.stringify(readFrame(this.#take())))
    } catch (error) {
      this.#error = error
      if (frames.length === 0) this.#complain()
    }
    return frames
  }

  /** A message that was cut is no message. */
  end(): string[] {
    this.#complain()
    return []
  }

  #complain(): void {
    if (this.#error !== undefined) throw this.#error
  }

  #hasMessage(): boolean {
    if (this.#wanted === 0 && this.#bytes >= PRELUDE_BYTES) this.#wanted = messageLength(this.#all())
    return this.#wanted > 0 && this.#bytes >= this.#wanted
  }

  #take(): Buffer {
    const all = this.#all()
    const length = this.#wanted
    this.#pieces = [all.subarray(length)]
    this.#bytes -= length
    this.#wanted = 0
    return all.subarray(0, length)
  }

  #all(): Buffer {
    const [first = new Uint8Array()] = this.#pieces
    const isOne = this.#pieces.length < 2
    const all = isOne ? Buffer.from(first.buffer, first.byteOffset, first.length) : Buffer.concat(this.#pieces)
    this.#pieces = [all]
    return all
  }
}

function messageLength(bytes: Buffer): number {
  checkSum(bytes, PRELUDE_BYTES - CHECKSUM_BYTES)
  const [total, headers] = [bytes.readUInt32BE(0), bytes.readUInt32BE(4)]
  if (total > MAX_MESSAGE_BYTES || total < PRELUDE_BYTES + headers + CHECKSUM_BYTES)
    throw garbled(`says it is ${total} bytes long`)
  return total
}

function readFrame(bytes: Buffer): Frame {
  const end = bytes.length - CHECKSUM_BYTES
  checkSum(bytes, end)
  const payloadAt = PRELUDE_BYTES + bytes.readUInt32BE(4)
  return {
    headers: readHeaders(bytes.subarray(PRELUDE_BYTES, payloadAt)),
    payload: bytes.toString('utf8', payloadAt, end),
  }
}

/** The checksum that stands at a place is of all that is before it. */
function checkSum(bytes: Buffer, at: number): void {
  if (crc32(bytes.subarray(0, at)) !== bytes.readUInt32BE(at)) throw garbled('has a wrong checksum')
}

function readHeaders(bytes: Buffer): Record<string, string> {
  const headers: [name: string, text: string][] = []
  let at = 0
  try {
    while (at < bytes.length) {
      const nameEnd = at + 1 + bytes.readUInt8(at)
      const type = bytes.readUInt8(nameEnd)
      const hasLength = type === TEXT_TYPE || type === BYTES_TYPE
      const valueAt = nameEnd + (hasLength ? 3 : 1)
      const length = hasLength ? bytes.readUInt16BE(nameEnd + 1) : VALUE_BYTES[type]
      if (length === undefined || valueAt + length > bytes.length) throw garbled('has headers that cannot be read')
      if (type === TEXT_TYPE)
        headers.push([bytes.toString('utf8', at + 1, nameEnd), bytes.toString('utf8', valueAt, valueAt + length)])
      at = valueAt + length
    }
  } catch (cause) {
    throw cause instanceof SvcError ? cause : garbled('has headers that cannot be read', cause)
  }
  // Not by assignment: `__proto__` is a name like any other here.
  return Object.fromEntries(headers)
}

function garbled(what: string, cause?: unknown): SvcError {
  return new SvcError('BEDROCK_FRAME_GARBLED', `A message of the event stream ${what}.`, { cause })
}
