/** Brings the bytes: of a file, of a `data:` URL, or of an address on the web. Bounded in size and time. */
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Clock, errorCode, errorMessage, type NetResponse, SvcError } from 'svc/sdk'
import { safeLine } from 'svc/sdk/kit/terminal'
import type { MediaReadOptions } from 'svc/sdk/media'
import type { GuardedFiles } from 'svc/sdk/safety'
import type { SafeFetch } from 'svc/sdk/web'

export interface MediaDeps {
  readonly files: () => GuardedFiles
  readonly addresses: () => SafeFetch
  readonly clock: () => Clock
}

/** Bytes that were not checked yet. */
export interface RawMedia {
  readonly bytes: Uint8Array
  readonly name: string
}

const USUAL_BYTES = 50 * 2 ** 20
const NOT_ORDINARY: Readonly<Record<string, string>> = {
  FILE_IS_FOLDER: 'it is a folder',
  FILE_NOT_REGULAR: 'it is a device or a pipe',
}
const DOWNLOAD_MS = 120_000

/** Reads it. Throws a `MEDIA_...`, `FILE_...`, `NET_...` or `URL_FORBIDDEN` error, or the signal's reason. */
export async function readSource(request: MediaReadOptions, deps: MediaDeps): Promise<RawMedia> {
  request.signal.throwIfAborted()
  const limit = request.maxBytes ?? USUAL_BYTES
  if (typeof request.source !== 'string') return checkSize({ bytes: request.source, name: 'the data' }, limit)
  const source = request.source.trim()
  if (/^data:/i.test(source)) return checkSize({ bytes: decodeDataUrl(source, limit), name: 'the data: URL' }, limit)
  if (/^https?:/i.test(source)) return download(source, limit, request.signal, deps)
  return readFile(parsePathSource(source), { ...request, limit }, deps)
}

/** `12.3 MB`. */
export function showBytes(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`
  const [size, unit] = bytes < 999_950 ? [bytes / 1e3, 'kB'] : [bytes / 1e6, 'MB']
  return `${Number(size.toFixed(1))} ${unit}`
}

/** A name on one line, and no longer than a name. */
export function showName(name: string): string {
  const line = safeLine(name)
  return line.length > 100 ? `${line.slice(0, 100)}...` : line
}

function checkSize(raw: RawMedia, limit: number): RawMedia {
  if (raw.bytes.length > limit) throw tooLarge(raw.name, raw.bytes.length, limit)
  return raw
}

function tooLarge(name: string, bytes: number, limit: number): SvcError {
  const sizes = `has ${showBytes(bytes)}, and at most ${showBytes(limit)} are read`
  return new SvcError('MEDIA_TOO_LARGE', `${name} ${sizes}. Make it smaller first.`, { status: 413 })
}

function parsePathSource(source: string): string {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(source)?.[1]?.toLowerCase()
  if (scheme === undefined) return source
  if (scheme === 'file' && URL.canParse(source) && new URL(source).hostname === '') return fileURLToPath(source)
  throw new SvcError(
    'MEDIA_SOURCE',
    `Addresses of ${scheme}: are not read; give a path, an http address or a data: URL.`,
  )
}

/** RFC 2397; only base64 is accepted, since the bytes are not text. */
function decodeDataUrl(url: string, limit: number): Uint8Array {
  const comma = url.indexOf(',')
  const text = url.slice(comma + 1)
  if (comma < 0 || !/;\s*base64\s*$/i.test(url.slice(0, comma)))
    throw new SvcError('MEDIA_SOURCE', 'The data: URL is not of the form data:image/png;base64,... .')
  if (text.length * 0.75 > limit * 1.1) throw tooLarge('The data: URL', Math.round(text.length * 0.75), limit)
  const plain = text.replace(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
  const letters = plain.replace(/\s+/g, '')
  if (!/^[\w+/-]*={0,2}$/.test(letters))
    throw new SvcError('MEDIA_SOURCE', 'The data: URL holds characters that are no base64.')
  return Buffer.from(letters, 'base64')
}

async function readFile(
  asked: string,
  { cwd, sessionId, signal, limit }: Omit<MediaReadOptions, 'source'> & { readonly limit: number },
  deps: MediaDeps,
): Promise<RawMedia> {
  try {
    // One byte more shows a file that grew while it was read.
    const session = sessionId === undefined ? {} : { sessionId }
    const { bytes, path, size } = await deps.files().read(asked, cwd, { maxBytes: limit + 1, signal, ...session })
    const name = showName(basename(path))
    const whole = Math.max(size, bytes.length)
    if (whole > limit) throw tooLarge(name, whole, limit)
    return { bytes, name }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    const why = NOT_ORDINARY[errorCode(error)]
    if (error instanceof SvcError && why === undefined) throw error
    throw unreadable(showName(basename(asked)), why ?? errorMessage(error), error)
  }
}

function unreadable(name: string, why: string, cause?: unknown): SvcError {
  return new SvcError('MEDIA_FILE', `${name} cannot be read: ${why}. Name an ordinary file.`, { cause })
}

async function download(url: string, limit: number, signal: AbortSignal, deps: MediaDeps): Promise<RawMedia> {
  const late = new AbortController()
  const cancel = deps.clock().after(DOWNLOAD_MS, () => {
    const said = `The download took longer than ${DOWNLOAD_MS / 1000} s; try again, or download it with a command.`
    late.abort(new SvcError('MEDIA_TIMEOUT', said, { status: 504 }))
  })
  try {
    const answer = await deps.addresses().request({
      url,
      // Packed bytes would be taken for what they are: no picture.
      headers: { accept: 'image/*,audio/*,*/*;q=0.5', 'accept-encoding': 'identity', 'user-agent': 'svc' },
      signal: AbortSignal.any([signal, late.signal]),
      timeoutMs: 30_000,
      idleMs: 30_000,
    })
    try {
      return { bytes: await readBody(answer, limit), name: fileNameFromUrl(answer.url) }
    } finally {
      answer.close()
    }
  } finally {
    cancel()
  }
}

async function readBody(answer: NetResponse & { readonly url: string }, limit: number): Promise<Uint8Array> {
  const name = fileNameFromUrl(answer.url)
  if (answer.status < 200 || answer.status > 299)
    throw new SvcError('MEDIA_STATUS', `The website answers with status ${answer.status}; check the address.`)
  const announced = Number(answer.headers['content-length'])
  if (announced > limit) throw tooLarge(name, announced, limit)
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of answer.body) {
    parts.push(part)
    size += part.length
    if (size > limit) throw tooLarge(`${name} is still being sent: it`, size, limit)
  }
  return Buffer.concat(parts)
}

function fileNameFromUrl(url: string): string {
  const { pathname, hostname } = new URL(url)
  const last = pathname.split('/').at(-1) ?? ''
  return showName(last === '' ? hostname : last)
}
