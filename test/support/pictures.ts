/** Pictures and sounds made by hand, as small as they can be, for tests. */
import { crc32, deflateSync } from 'node:zlib'

/** A whole PNG of one colour. `padding` bytes of a comment make it larger. */
export function png(width = 2, height = 2, padding = 0): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 0, 0, 0, 0], 8)
  const rows = deflateSync(Buffer.alloc(Math.min(height, 64) * (Math.min(width, 64) + 1)))
  const comment = padding > 0 ? [chunk('tEXt', Buffer.alloc(padding, 'a'))] : []
  const start = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([start, chunk('IHDR', header), ...comment, chunk('IDAT', rows), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const inner = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const frame = Buffer.alloc(8)
  frame.writeUInt32BE(data.length, 0)
  frame.writeUInt32BE(crc32(inner), 4)
  return Buffer.concat([frame.subarray(0, 4), inner, frame.subarray(4)])
}

/** The outer form of a JPEG. */
export function jpeg(width = 3, height = 2): Buffer {
  const frame = Buffer.from([0xff, 0xc0, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0])
  frame.writeUInt16BE(height, 5)
  frame.writeUInt16BE(width, 7)
  const start = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 1])
  return Buffer.concat([start, frame, Buffer.from([0xff, 0xda, 0, 2, 0x12, 0x34, 0xff, 0xd9])])
}

/** The outer form of a GIF. */
export function gif(width = 5, height = 4): Buffer {
  const size = Buffer.alloc(7)
  size.writeUInt16LE(width, 0)
  size.writeUInt16LE(height, 2)
  return Buffer.concat([Buffer.from('GIF89a', 'latin1'), size, Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0x3b])])
}

/** The outer form of a WebP of the extended kind. */
export function webp(width = 7, height = 6): Buffer {
  const body = Buffer.alloc(22)
  body.write('WEBPVP8X', 0, 'latin1')
  body.writeUInt32LE(10, 8)
  body.writeUIntLE(width - 1, 16, 3)
  body.writeUIntLE(height - 1, 19, 3)
  return riff(body)
}

/** A WAV of 16-bit mono with these samples. */
export function wav(samples: readonly number[], rate = 8000): Buffer {
  const format = Buffer.alloc(16)
  format.writeUInt16LE(1, 0)
  format.writeUInt16LE(1, 2)
  format.writeUInt32LE(rate, 4)
  format.writeUInt32LE(rate * 2, 8)
  format.writeUInt16LE(2, 12)
  format.writeUInt16LE(16, 14)
  const data = Buffer.alloc(samples.length * 2)
  for (const [at, sample] of samples.entries()) data.writeInt16LE(sample, at * 2)
  const inner = [part('fmt ', format), part('data', data)]
  return riff(Buffer.concat([Buffer.from('WAVE', 'latin1'), ...inner]))
}

/** The first frame of an MP3 and some of the next, told apart by `mark`. */
export function mp3(mark = 0, tag = true): Buffer {
  const id3 = tag ? Buffer.from([0x49, 0x44, 0x33, 4, 0, 0, 0, 0, 0, 4, 1, 2, 3, 4]) : Buffer.alloc(0)
  return Buffer.concat([id3, Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(40, mark)])
}

/** The first page of an Ogg file. */
export function ogg(): Buffer {
  return Buffer.concat([Buffer.from('OggS\0\x02', 'latin1'), Buffer.alloc(40, 1)])
}

/** Opus in Ogg of frames of 20 ms with so many bytes each: what is inside is not sound. */
export function opus(sizes: readonly number[], { skipped = 312, perPage = 50 } = {}): Buffer {
  const head = Buffer.alloc(19)
  head.write('OpusHead\x01\x01', 0, 'latin1')
  head.writeUInt16LE(skipped, 10)
  head.writeUInt32LE(48_000, 12)
  const tags = Buffer.concat([Buffer.from('OpusTags', 'latin1'), Buffer.alloc(8)])
  const pages = [oggPage({ packets: [head], position: 0, number: 0, flags: 2 })]
  pages.push(oggPage({ packets: [tags], position: 0, number: 1, flags: 0 }))
  for (let from = 0; from < sizes.length; from += perPage) {
    const packets = sizes.slice(from, from + perPage).map((size) => Buffer.alloc(size, 0x78))
    const [end, flags] = [from + packets.length, from + perPage < sizes.length ? 0 : 4]
    pages.push(oggPage({ packets, position: end * 960 + skipped, number: pages.length, flags }))
  }
  return Buffer.concat(pages)
}

/** A page of Ogg without its checksum. */
function oggPage(page: { packets: readonly Buffer[]; position: number; number: number; flags: number }): Buffer {
  const segments = page.packets.flatMap(({ length }) => [
    ...Array.from({ length: Math.floor(length / 255) }, () => 255),
    length % 255,
  ])
  const head = Buffer.alloc(27)
  head.write('OggS', 0, 'latin1')
  head.writeUInt8(page.flags, 5)
  head.writeBigUInt64LE(BigInt(page.position), 6)
  head.writeUInt32LE(7, 14)
  head.writeUInt32LE(page.number, 18)
  head.writeUInt8(segments.length, 26)
  return Buffer.concat([head, Buffer.from(segments), ...page.packets])
}

/** Speech in AMR: frames of 20 ms with 12.2 kbit/s. */
export function amr(frames: number): Buffer {
  const frame = Buffer.concat([Buffer.from([0x3c]), Buffer.alloc(31, 5)])
  return Buffer.concat([Buffer.from('#!AMR\n', 'latin1'), ...Array.from({ length: frames }, () => frame)])
}

/** An MP3 of whole frames: version 1, 128 kbit/s, 44.1 kHz. */
export function mp3Frames(frames: number): Buffer {
  const frame = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413, 1)])
  return Buffer.concat(Array.from({ length: frames }, () => frame))
}

function riff(body: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write('RIFF', 0, 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body])
}

function part(name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(name, 0, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data])
}
