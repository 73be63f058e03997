/** Files as `data:` URLs, in answers and in requests. */
import { SvcError } from 'svc/sdk'

const MIB = 2 ** 20
const DATA = /^data:[^,]{0,200};base64,/

/** Bytes of a request with a `data:` URL of a file, and with other fields. */
export function getRequestSize(fileBytes: number): number {
  return Math.ceil((fileBytes * 4) / 3) + 64 * 1024
}

/** Throws `DASHBOARD_FILE_SIZE`. */
export function requireSize(name: string, bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return
  const message = `${JSON.stringify(name)} has ${Math.ceil(bytes / MIB)} MiB, and at most ${maxBytes / MIB} MiB are sent. Download it.`
  throw new SvcError('DASHBOARD_FILE_SIZE', message, { status: 413 })
}

export function toDataUrl(mediaType: string, bytes: Uint8Array): string {
  return `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`
}

/** Throws `DASHBOARD_UPLOAD` for what is not base64 behind `data:`. */
export function parseDataUrl(url: string): Buffer {
  const [start = ''] = DATA.exec(url) ?? []
  const content = Buffer.from(url.slice(start.length), 'base64')
  // Buffer skips what is not base64, and so becomes shorter.
  const characters = url.length - start.length - (/={0,2}$/.exec(url)?.[0].length ?? 0)
  if (start !== '' && content.byteLength === Math.floor((characters * 3) / 4)) return content
  const message = '`data_url` is not a file: it has to be a `data:` URL in base64.'
  throw new SvcError('DASHBOARD_UPLOAD', message, { status: 400 })
}
