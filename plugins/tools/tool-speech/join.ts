/**
 * Pieces of speech as one file, where the format allows it. MP3 is a row of frames (ISO/IEC 11172-3) and may continue
 * with those of another piece; WAV (RIFF) needs one header over all samples. Opus in Ogg may be chained (RFC 7845, 3),
 * but most players stop after the first link, so it is not joined.
 */
import { SvcError } from 'svc/sdk'
import type { AudioFormat } from 'svc/sdk/media'

/** Throws `SPEECH_FAILED` when the pieces do not go together. */
export function joinSpeech(pieces: readonly Uint8Array[], format: AudioFormat): Uint8Array {
  const [first] = pieces
  if (pieces.length === 1 && first) return first
  if (format === 'mp3') return Buffer.concat(pieces.map((piece, at) => (at === 0 ? piece : withoutTag(piece))))
  if (format === 'wav') return joinWav(pieces.map((piece) => readWav(Buffer.from(piece))))
  throw new SvcError('SPEECH_FAILED', 'Pieces of Opus cannot be joined to one file; use mp3 or wav.')
}

/** Whether a text of several pieces can become one file. */
export function isJoinable(format: AudioFormat): boolean {
  return format !== 'opus'
}

/** ID3v2 (id3.org/id3v2.4.0-structure, 3.1): ten bytes with the length in four times seven bits, before the frames. */
function withoutTag(piece: Uint8Array): Uint8Array {
  if (Buffer.from(piece.subarray(0, 3)).toString('latin1') !== 'ID3') return piece
  const [a = 0, b = 0, c = 0, d = 0] = piece.subarray(6, 10)
  const footer = ((piece[5] ?? 0) & 0x10) === 0 ? 0 : 10
  return piece.subarray(10 + footer + ((a << 21) | (b << 14) | (c << 7) | d))
}

interface Wav {
  readonly format: Buffer
  readonly samples: Buffer
}

/** Services that send while they speak do not know the length: the samples end where the file does. */
function readWav(bytes: Buffer): Wav {
  let format: Buffer | undefined
  let at = 12
  while (at + 8 <= bytes.length) {
    const name = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    const content = bytes.subarray(at + 8, Math.min(at + 8 + length, bytes.length))
    if (name === 'data' && format) return { format, samples: content }
    if (name === 'fmt ') format = content
    at += 8 + length + (length % 2)
  }
  throw new SvcError('SPEECH_FAILED', 'A piece of the speech is a WAV without samples.')
}

function joinWav(pieces: readonly Wav[]): Buffer {
  const format = pieces[0]?.format ?? Buffer.alloc(0)
  if (pieces.some((piece) => !piece.format.equals(format)))
    throw new SvcError(
      'SPEECH_FAILED',
      'The pieces of the speech differ in their sound format; use mp3, or speak less.',
    )
  const samples = Buffer.concat(pieces.map((piece) => piece.samples))
  const head = (name: string, length: number) => {
    const bytes = Buffer.alloc(8)
    bytes.write(name, 0, 'latin1')
    bytes.writeUInt32LE(length, 4)
    return bytes
  }
  const body = [head('fmt ', format.length), format, head('data', samples.length), samples]
  const length = 4 + body.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([head('RIFF', length), Buffer.from('WAVE', 'latin1'), ...body])
}
