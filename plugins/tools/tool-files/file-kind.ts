/** What a file is when it is not text. */

const SIGNATURES: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['a PNG image', /^\x89PNG/],
  ['a JPEG image', /^\xff\xd8\xff/],
  ['a GIF image', /^GIF8/],
  ['a WebP image', /^RIFF....WEBP/s],
  ['a WAV sound', /^RIFF....WAVE/s],
  ['an MP3 sound', /^(ID3|\xff\xfb)/],
  ['an Ogg sound', /^OggS/],
  ['an MP4 or QuickTime film', /^....ftyp/s],
  ['a PDF document', /^%PDF/],
  ['a zip archive (perhaps an office document or a jar)', /^PK\x03\x04/],
  ['a gzip archive', /^\x1f\x8b/],
  ['an xz archive', /^\xfd7zXZ/],
  ['a bzip2 archive', /^BZh/],
  ['a zstd archive', /^\x28\xb5\x2f\xfd/],
  ['a 7z archive', /^7z\xbc\xaf/],
  ['an SQLite database', /^SQLite format 3/],
  ['a Linux program or library', /^\x7fELF/],
  ['a Windows program', /^MZ/],
  ['a macOS program', /^[\xce\xcf]\xfa\xed\xfe|^\xca\xfe\xba\xbe/],
  ['a WebAssembly module', /^\0asm/],
]

/** How the bytes of a text are to be read. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** The encoding of a file that begins with these bytes, or undefined when it is not text. */
export function textEncoding(beginning: Uint8Array): Encoding | undefined {
  if (beginning[0] === 0xff && beginning[1] === 0xfe) return 'utf-16le'
  if (beginning[0] === 0xfe && beginning[1] === 0xff) return 'utf-16be'
  const isPdf = Buffer.from(beginning.subarray(0, 4)).toString('latin1') === '%PDF'
  return beginning.includes(0) || isPdf ? undefined : 'utf-8'
}

/** For a sentence: `a PNG image`, `binary data`. */
export function binaryKind(beginning: Uint8Array): string {
  const start = Buffer.from(beginning.subarray(0, 32)).toString('latin1')
  return SIGNATURES.find(([, pattern]) => pattern.test(start))?.[0] ?? 'binary data'
}

/** `12.3 kB`. */
export function showSize(bytes: number): string {
  if (bytes === 1) return '1 byte'
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  return `${Number((bytes / 1000 ** power).toFixed(1))} ${units[power]}`
}
