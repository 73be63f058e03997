/** Samples of speech: 16 bits, one channel, as recorders write them, raw or as WAV, and as WAV for the services that transcribe. */
import { SvcError } from 'svc/sdk'

/** What recorders are asked for: samples a second. */
export const RATE = 16_000
const FRAME_MS = 30
const MAX_HEADER = 4096

/** A piece of sound of one moment. */
export interface Frame {
  readonly samples: Buffer
  readonly ms: number
  /** How loud it is: the root of the mean square, of at most 32768. */
  readonly level: number
}

/** Cuts the output of a recorder into frames. */
export class FrameCutter {
  /** Samples a second. */
  rate: number = RATE
  #rest: Buffer = Buffer.alloc(0)
  #isBegun = false

  /** Throws `VOICE_FORMAT`. */
  push(bytes: Buffer): readonly Frame[] {
    this.#rest = Buffer.concat([this.#rest, bytes])
    if (!this.#isBegun && !this.#begin()) return []
    const frames: Frame[] = []
    const size = Math.round((this.rate * FRAME_MS) / 1000) * 2
    while (this.#rest.length >= size) {
      const samples = this.#rest.subarray(0, size)
      this.#rest = this.#rest.subarray(size)
      frames.push({ samples, ms: FRAME_MS, level: measureLevel(samples) })
    }
    return frames
  }

  /** Skips the header of a WAV (RIFF, "fmt " and "data"); false: more bytes are needed. */
  #begin(): boolean {
    const bytes = this.#rest
    if (bytes.length < 4) return false
    if (bytes.toString('latin1', 0, 4) !== 'RIFF') {
      this.#isBegun = true
      return true
    }
    const data = bytes.indexOf('data', 12, 'latin1')
    if (data < 0 || bytes.length < data + 8) {
      if (bytes.length > MAX_HEADER) throw badFormat('a WAV without samples')
      return false
    }
    const format = bytes.indexOf('fmt ', 12, 'latin1')
    const [channels, bits] = [bytes.readUInt16LE(format + 10), bytes.readUInt16LE(format + 22)]
    if (channels !== 1 || bits !== 16) throw badFormat(`${channels} channels of ${bits} bits`)
    this.rate = bytes.readUInt32LE(format + 12)
    this.#rest = bytes.subarray(data + 8)
    this.#isBegun = true
    return true
  }
}

function badFormat(what: string): SvcError {
  return new SvcError(
    'VOICE_FORMAT',
    `The recorder writes ${what}; it has to write one channel of 16 bits. See voice.recorder.`,
  )
}

function measureLevel(samples: Buffer): number {
  let sum = 0
  for (let at = 0; at + 1 < samples.length; at += 2) sum += samples.readInt16LE(at) ** 2
  return Math.sqrt(sum / Math.max(1, samples.length / 2))
}

/** A WAV file (RIFF) of the samples. */
export function toWav(frames: readonly Frame[], rate: number): Buffer {
  const samples = Buffer.concat(frames.map((frame) => frame.samples))
  const head = Buffer.alloc(44)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}
