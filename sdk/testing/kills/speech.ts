/** The speech service of a gateway that is killed: it hears the same in every recording, and says the same to every text. */
import type { SpeechBackend } from '../../media.ts'
import { MARK } from './script.ts'

/** What it hears; nothing else that is said has these words. */
export const HEARD = 'how much is six times seven'

const SERIAL = 7
const FIRST = 2
const LAST = 4
/** A frame of 20 ms, at 48 kHz. */
const FRAME = 960
const FRAMES = 50

export const scriptedSpeech: SpeechBackend = {
  name: 'script',
  label: 'Script',
  missing: () => undefined,
  ear: { maxBytes: 1_000_000, transcribe: async () => ({ text: HEARD, usage: {} }) },
  voice: { maxCharacters: 10_000, formats: ['opus'], speak: async () => createSpeech() },
}

/** A second of Opus in Ogg (RFC 7845) whose comments hold the mark of the answer. */
export function createSpeech(): Uint8Array {
  const head = Buffer.alloc(19)
  head.write('OpusHead\x01\x01', 0, 'latin1')
  head.writeUInt32LE(48_000, 12)
  const vendor = Buffer.alloc(4)
  vendor.writeUInt32LE(MARK.length)
  const tags = Buffer.concat([Buffer.from('OpusTags'), vendor, Buffer.from(MARK), Buffer.alloc(4)])
  const frames = Array.from({ length: FRAMES }, (_, at) => Buffer.alloc(10 + at, 0x78))
  return Buffer.concat([
    createPage([head], { flags: FIRST, number: 0, position: 0 }),
    createPage([tags], { flags: 0, number: 1, position: 0 }),
    createPage(frames, { flags: LAST, number: 2, position: FRAMES * FRAME }),
  ])
}

/** Each packet is smaller than a segment. */
function createPage(
  packets: readonly Buffer[],
  { flags, number, position }: { readonly flags: number; readonly number: number; readonly position: number },
): Buffer {
  const head = Buffer.alloc(27)
  head.write('OggS', 0, 'latin1')
  head.writeUInt8(flags, 5)
  head.writeBigUInt64LE(BigInt(position), 6)
  head.writeUInt32LE(SERIAL, 14)
  head.writeUInt32LE(number, 18)
  head.writeUInt8(packets.length, 26)
  return Buffer.concat([head, Buffer.from(packets.map(({ length }) => length)), ...packets])
}
