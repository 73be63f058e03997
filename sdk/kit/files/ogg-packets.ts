/** The packets of an Ogg file with one stream (RFC 3533). */

/** Where a packet lies in the file; `at` is its first byte. */
export interface OggPacket {
  readonly at: number
  readonly size: number
}

const PAGE_HEAD = 27
const FULL_SEGMENT = 255
const FIRST_PAGE = 2
/** The position of a page on which no packet ends. */
const NO_POSITION = 0xffff_ffff_ffff_ffffn

/** `end` is the position of the last page, in units of the codec. Undefined for what is cut off, or has several streams. */
export function readOggPackets(
  data: Buffer,
): { readonly packets: readonly OggPacket[]; readonly end: number } | undefined {
  const segments: OggPacket[] = []
  let serial: number | undefined
  let end = 0
  for (let at = 0; at < data.length; ) {
    const page = readPage(data, at)
    if (!page || (serial === undefined) !== page.isFirst || page.serial !== (serial ?? page.serial)) return undefined
    serial = page.serial
    if (page.position !== NO_POSITION) end = Number(page.position)
    at = page.body
    for (const size of page.segments) {
      segments.push({ at, size })
      at += size
    }
  }
  const packets = joinSegments(segments)
  return packets && { packets, end }
}

/** A packet ends with a segment that is not full. Undefined when the last one does not end. */
function joinSegments(segments: readonly OggPacket[]): readonly OggPacket[] | undefined {
  const packets: OggPacket[] = []
  let open: OggPacket | undefined
  for (const { at, size } of segments) {
    open = { at: open?.at ?? at, size: (open?.size ?? 0) + size }
    if (size === FULL_SEGMENT) continue
    packets.push(open)
    open = undefined
  }
  return open || packets.length === 0 ? undefined : packets
}

function readPage(data: Buffer, at: number) {
  if (at + PAGE_HEAD > data.length || data.toString('latin1', at, at + 4) !== 'OggS' || data[at + 4] !== 0)
    return undefined
  const body = at + PAGE_HEAD + (data[at + 26] ?? 0)
  const segments = [...data.subarray(at + PAGE_HEAD, body)]
  if (body + segments.reduce((sum, size) => sum + size, 0) > data.length) return undefined
  return {
    ...{ position: data.readBigUInt64LE(at + 6), serial: data.readUInt32LE(at + 14), segments, body },
    isFirst: ((data[at + 5] ?? 0) & FIRST_PAGE) !== 0,
  }
}
