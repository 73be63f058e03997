/**
 * Pictures: their size, and whether they are whole. A picture that is cut off makes services refuse the whole
 * conversation, so it must not get that far.
 */
import { SvcError } from 'svc/sdk'
import type { ImageFile, MediaReadOptions } from 'svc/sdk/media'
import { pictureKind } from './media-kind.ts'
import { type MediaDeps, readSource } from './media-source.ts'

interface Size {
  readonly width: number
  readonly height: number
}
/** The size, or undefined when the picture is cut off or broken. */
type Measure = (bytes: Buffer) => Size | undefined

const measures: Readonly<Record<string, Measure>> = { png: ofPng, jpg: ofJpeg, gif: ofGif, webp: ofWebp }

/** Reads a picture. Throws what `readSource` does, `MEDIA_EMPTY`, `MEDIA_KIND` or `MEDIA_DAMAGED`. */
export async function readPicture(request: MediaReadOptions, deps: MediaDeps): Promise<ImageFile> {
  const raw = await readSource(request, deps)
  const kind = pictureKind(raw)
  const { buffer, byteOffset, byteLength } = raw.bytes
  const size = measures[kind.extension]?.(Buffer.from(buffer, byteOffset, byteLength))
  if (!size || size.width === 0 || size.height === 0)
    throw new SvcError('MEDIA_DAMAGED', `${raw.name} is ${kind.what} that is cut off or broken. Get it again.`)
  const { mediaType, extension } = kind
  return { ...raw, mediaType, extension, ...size }
}

/** PNG specification (https://www.w3.org/TR/png-3/), 5.3: chunks of length, type, data, check; the first is IHDR, the last IEND. */
function ofPng(bytes: Buffer): Size | undefined {
  if (bytes.length < 33 || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined
  let at = 8
  let hasData = false
  while (at + 12 <= bytes.length) {
    const type = bytes.toString('latin1', at + 4, at + 8)
    const next = at + 12 + bytes.readUInt32BE(at)
    if (next > bytes.length) return undefined
    if (type === 'IEND') return hasData ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) } : undefined
    hasData ||= type === 'IDAT'
    at = next
  }
  return undefined
}

/** ITU-T T.81, annex B: markers with their lengths up to the frame header (SOF), and an end (EOI) after the scan. */
function ofJpeg(bytes: Buffer): Size | undefined {
  let at = 2
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) at += 1
    else if (isFrame(marker)) {
      const size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
      return bytes.lastIndexOf(Buffer.from([0xff, 0xd9])) > at ? size : undefined
    } else at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

/** SOF0 to SOF15 without DHT, JPG and DAC, which lie between them. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
}

/** GIF89a specification (https://www.w3.org/Graphics/GIF/spec-gif89a.txt): the size at 6, and a trailer at the end. */
function ofGif(bytes: Buffer): Size | undefined {
  let end = bytes.length - 1
  while (end > 13 && bytes[end] === 0) end -= 1
  if (end <= 13 || bytes[end] !== 0x3b) return undefined
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

/** WebP container specification (https://developers.google.com/speed/webp/docs/riff_container). */
function ofWebp(bytes: Buffer): Size | undefined {
  if (bytes.length < 30 || bytes.readUInt32LE(4) + 8 > bytes.length) return undefined
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    default:
      return undefined
  }
}
