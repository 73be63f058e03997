/** What a file is, by its first bytes: names and media types are only claims. */
import { SvcError } from 'svc/sdk'
import { type RawMedia, showBytes } from './media-source.ts'

/** A kind of file. */
export interface Kind {
  /** For a sentence: `a PNG picture`. */
  readonly what: string
  readonly mediaType: string
  readonly extension: string
}

type Row = readonly [pattern: RegExp, what: string, mediaType: string, extension: string]

const PICTURES: readonly Row[] = [
  [/^\x89PNG\r\n\x1a\n/, 'a PNG picture', 'image/png', 'png'],
  [/^\xff\xd8\xff/, 'a JPEG picture', 'image/jpeg', 'jpg'],
  [/^GIF8[79]a/, 'a GIF picture', 'image/gif', 'gif'],
  [/^RIFF[\s\S]{4}WEBP/, 'a WebP picture', 'image/webp', 'webp'],
]
const SOUNDS: readonly Row[] = [
  [/^RIFF[\s\S]{4}WAVE/, 'a WAV sound', 'audio/wav', 'wav'],
  [/^OggS/, 'an Ogg sound', 'audio/ogg', 'ogg'],
  [/^fLaC/, 'a FLAC sound', 'audio/flac', 'flac'],
  [/^\xff[\xf0\xf1\xf8\xf9]/, 'an AAC sound', 'audio/aac', 'aac'],
  [/^ID3|^\xff[\xe2-\xe5\xf2-\xf5\xfa-\xfd]/, 'an MP3 sound', 'audio/mpeg', 'mp3'],
  [/^[\s\S]{4}ftyp(?!avi[fs]|hei[cfx]|mif1)/, 'an MP4 file', 'audio/mp4', 'm4a'],
  [/^\x1a\x45\xdf\xa3/, 'a WebM or Matroska file', 'audio/webm', 'webm'],
]
/** Rejected, and reported by name. */
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/^[\s\S]{4}ftyp(avi[fs])/, 'an AVIF picture'],
  [/^[\s\S]{4}ftyp(hei[cfx]|mif1)/, 'a HEIC picture'],
  [/^BM[\s\S]{4}\0\0\0\0/, 'a BMP picture'],
  [/^(II\*\0|MM\0\*)/, 'a TIFF picture'],
  [/^\0\0\x01\0/, 'an icon file'],
  [/^8BPS/, 'a Photoshop file'],
  [/^(\xff\x0a|\0\0\0\x0cJXL )/, 'a JPEG XL picture'],
  [/^%PDF/, 'a PDF document'],
  [/^PK\x03\x04/, 'a zip archive'],
  [/^\x1f\x8b/, 'packed with gzip'],
]

/** A picture of the kinds that models read. Throws `MEDIA_EMPTY` or `MEDIA_KIND`. */
export function pictureKind(raw: RawMedia): Kind {
  return detectKind(raw, PICTURES, 'only PNG, JPEG, GIF and WebP pictures are read')
}

/** A sound of the kinds that services take. Throws `MEDIA_EMPTY` or `MEDIA_KIND`. */
export function detectSoundKind(raw: RawMedia): Kind {
  return detectKind(raw, SOUNDS, 'only MP3, WAV, Ogg, FLAC, AAC, MP4 and WebM sounds are read')
}

function detectKind(raw: RawMedia, wanted: readonly Row[], only: string): Kind {
  const { bytes, name } = raw
  if (bytes.length === 0) throw new SvcError('MEDIA_EMPTY', `${name} is empty: it has 0 bytes.`)
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  const found = find(start, wanted)
  if (found) return found
  const what = find(start, [...PICTURES, ...SOUNDS])?.what ?? otherKind(bytes, start)
  throw new SvcError('MEDIA_KIND', `${name} is ${what} (${showBytes(bytes.length)}); ${only}.`, { status: 415 })
}

function find(start: string, rows: readonly Row[]): Kind | undefined {
  const row = rows.find(([pattern]) => pattern.test(start))
  return row && { what: row[1], mediaType: row[2], extension: row[3] }
}

function otherKind(bytes: Uint8Array, start: string): string {
  const named = OTHERS.find(([pattern]) => pattern.test(start))?.[1]
  if (named !== undefined) return named
  if (bytes.subarray(0, 8192).includes(0)) return 'binary data of an unknown kind'
  if (/^[^a-z]*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)?(<!doctype svg[^>]*>\s*)?<svg[\s>]/i.test(start))
    return 'an SVG drawing, which is text'
  return /^\s*<(!doctype html|html|head|body)\b/i.test(start) ? 'a web page' : 'text'
}
