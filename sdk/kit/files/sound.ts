/** How long a sound is, read from its frames without decoding it: Ogg Opus, MP3, WAV and AMR. */
import { type OggPacket, readOggPackets } from './ogg-packets.ts'

/** @since 0.2 */
export interface SoundLength {
  /** What it is by its bytes; `opus` is Opus in Ogg. */
  readonly format: 'opus' | 'mp3' | 'wav' | 'amr'
  /** At least 1. */
  readonly ms: number
}

const OPUS_RATE = 48_000
const OPUS_HEAD = 'OpusHead'
/** The header and the comments (RFC 7845, section 3). */
const OPUS_HEADERS = 2

/**
 * Undefined for what is cut off, damaged, without sound, or of another format: then nothing is certain about its length.
 * @since 0.2
 */
export function measureSound(bytes: Uint8Array): SoundLength | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const found = measureOpus(data) ?? measureWav(data) ?? measureAmr(data) ?? measureMp3(data)
  return found && Number.isFinite(found.ms) && found.ms > 0
    ? { ...found, ms: Math.max(1, Math.round(found.ms)) }
    : undefined
}

/**
 * A picture of Opus in Ogg: one value from 0 to 255 for each `stepMs`, at most `maxPoints`. The size of a packet stands for its
 * loudness: encoders of speech spend more bytes where more is heard. Undefined for what is not Opus in Ogg.
 * @since 0.2
 */
export function drawWaveform(
  bytes: Uint8Array,
  { stepMs, maxPoints }: { readonly stepMs: number; readonly maxPoints: number },
): Uint8Array | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const sizes = readOpus(data)?.sounds.map(({ size }) => size)
  const ms = measureOpus(data)?.ms
  if (!sizes || ms === undefined) return undefined
  const count = Math.max(1, Math.min(maxPoints, sizes.length, Math.ceil(ms / stepMs)))
  const points = Array.from({ length: count }, (_, at) => {
    const part = sizes.slice(Math.floor((at * sizes.length) / count), Math.floor(((at + 1) * sizes.length) / count))
    return part.reduce((sum, size) => sum + size, 0) / part.length
  })
  const loudest = points.reduce((most, each) => Math.max(most, each), 1)
  return Uint8Array.from(points, (point) => Math.round((255 * point) / loudest))
}

function measureOpus(data: Buffer): SoundLength | undefined {
  const opus = readOpus(data)
  return opus && { format: 'opus', ms: ((opus.end - opus.skipped) / OPUS_RATE) * 1000 }
}

function readOpus(
  data: Buffer,
): { readonly sounds: readonly OggPacket[]; readonly end: number; readonly skipped: number } | undefined {
  const stream = readOggPackets(data)
  const [head] = stream?.packets ?? []
  if (!stream || !head || head.size < 19 || data.toString('latin1', head.at, head.at + 8) !== OPUS_HEAD)
    return undefined
  const sounds = stream.packets.slice(OPUS_HEADERS)
  return sounds.length > 0 ? { sounds, end: stream.end, skipped: data.readUInt16LE(head.at + 10) } : undefined
}

function measureWav(data: Buffer): SoundLength | undefined {
  if (data.toString('latin1', 0, 4) !== 'RIFF' || data.toString('latin1', 8, 12) !== 'WAVE') return undefined
  let bytesPerSecond = 0
  for (let at = 12; at + 8 <= data.length; ) {
    const [name, size] = [data.toString('latin1', at, at + 4), data.readUInt32LE(at + 4)]
    if (name === 'fmt ' && at + 24 <= data.length) bytesPerSecond = data.readUInt32LE(at + 16)
    // A writer that streams does not know the size of what it writes.
    if (name === 'data') return { format: 'wav', ms: (Math.min(size, data.length - at - 8) / bytesPerSecond) * 1000 }
    at += 8 + size + (size % 2)
  }
  return undefined
}

const AMR_HEAD = '#!AMR\n'
const AMR_FRAME_MS = 20
/** Bytes of a frame with its header, by its type (RFC 4867, section 5.3). */
const AMR_FRAMES: Readonly<Record<number, number>> = {
  0: 13,
  1: 14,
  2: 16,
  3: 18,
  4: 20,
  5: 21,
  6: 27,
  7: 32,
  8: 6,
  15: 1,
}

function measureAmr(data: Buffer): SoundLength | undefined {
  if (data.toString('latin1', 0, AMR_HEAD.length) !== AMR_HEAD) return undefined
  let frames = 0
  for (let at = AMR_HEAD.length; at < data.length; frames++) {
    const size = AMR_FRAMES[((data[at] ?? 0) >> 3) & 15]
    if (size === undefined || at + size > data.length) return undefined
    at += size
  }
  return { format: 'amr', ms: frames * AMR_FRAME_MS }
}

/** Kilobits in a second of layer III, by the index in a frame: version 1, and versions 2 and 2.5. */
const MP3_RATES = [
  [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
] as const
const MP3_SAMPLE_RATES: Readonly<Record<number, readonly number[]>> = {
  3: [44_100, 48_000, 32_000],
  2: [22_050, 24_000, 16_000],
  0: [11_025, 12_000, 8000],
}

/** All frames are followed: the first alone tells the length of a constant rate only. */
function measureMp3(data: Buffer): SoundLength | undefined {
  let at = skipId3(data)
  let ms = 0
  for (let frame = readMp3Frame(data, at); frame; frame = readMp3Frame(data, at)) {
    ms += frame.ms
    at += frame.size
  }
  const isOver = at >= data.length || data.toString('latin1', at, at + 3) === 'TAG'
  return ms > 0 && isOver ? { format: 'mp3', ms } : undefined
}

function skipId3(data: Buffer): number {
  if (data.length < 10 || data.toString('latin1', 0, 3) !== 'ID3') return 0
  const [a = 0, b = 0, c = 0, d = 0] = data.subarray(6, 10)
  return 10 + (a << 21) + (b << 14) + (c << 7) + d
}

/** A frame of layer III (ISO/IEC 11172-3, 2.4.2.3). */
function readMp3Frame(data: Buffer, at: number): { readonly size: number; readonly ms: number } | undefined {
  if (at + 4 > data.length) return undefined
  const head = data.readUInt32BE(at)
  const version = (head >>> 19) & 3
  const sampleRate = MP3_SAMPLE_RATES[version]?.[(head >>> 10) & 3]
  const rate = MP3_RATES[version === 3 ? 0 : 1][(head >>> 12) & 15]
  if (head >>> 21 !== 0x7ff || ((head >>> 17) & 3) !== 1 || !sampleRate || !rate) return undefined
  const samples = version === 3 ? 1152 : 576
  const size = Math.floor((samples / 8) * ((rate * 1000) / sampleRate)) + ((head >>> 9) & 1)
  return at + size > data.length ? undefined : { size, ms: (samples / sampleRate) * 1000 }
}
