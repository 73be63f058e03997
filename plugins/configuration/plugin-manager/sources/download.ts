/** Fetches an archive from an address: encrypted, bounded, and with the digest that identifies it. */
import { createHash } from 'node:crypto'
import { Net, type PluginContext, SvcError } from 'svc/sdk'
import { MAX_TARBALL } from './tarball.ts'

const MAX_REDIRECTS = 5
const TIMEOUT_MS = 60_000

/** An archive, and what identifies it. */
export interface Download {
  readonly bytes: Uint8Array
  readonly sha256: string
  readonly etag?: string
}

/** `'unchanged'` when the server says that it still has what `etag` names (RFC 9110, section 13.1.2). Throws `PLUGIN_DOWNLOAD`. */
export async function download(
  ctx: PluginContext<undefined>,
  url: string,
  { etag, signal }: { readonly etag?: string; readonly signal: AbortSignal },
): Promise<Download | 'unchanged'> {
  const headers = { accept: '*/*', ...(etag !== undefined && { 'if-none-match': etag }) }
  let address = url
  for (let count = 0; count <= MAX_REDIRECTS; count++) {
    const response = await ctx.use(Net).request({ url: address, headers, signal, timeoutMs: TIMEOUT_MS })
    const { location } = response.headers
    if ([301, 302, 303, 307, 308].includes(response.status) && location !== undefined) {
      response.close()
      address = follow(address, location)
      continue
    }
    if (response.status === 304) {
      response.close()
      return 'unchanged'
    }
    if (response.status !== 200) {
      response.close()
      throw failed(url, `the server answered ${response.status}`)
    }
    const bytes = await readBody(url, response.body)
    const { etag: fresh } = response.headers
    return { bytes, sha256: getSha256(bytes), ...(fresh !== undefined && { etag: fresh }) }
  }
  throw failed(url, `it was redirected more than ${MAX_REDIRECTS} times`)
}

/** In hexadecimal. */
export function getSha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function follow(from: string, location: string): string {
  const next = new URL(location, from)
  if (next.protocol === 'https:' || next.host === new URL(from).host) return next.href
  throw failed(from, 'it was redirected to an address that is not encrypted')
}

async function readBody(url: string, body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    if (size > MAX_TARBALL)
      throw new SvcError('PLUGIN_UNSAFE', `${url} is over ${MAX_TARBALL / 2 ** 20} MiB.`, { status: 400 })
    parts.push(part)
  }
  return Buffer.concat(parts)
}

function failed(url: string, why: string): SvcError {
  return new SvcError('PLUGIN_DOWNLOAD', `${url} could not be fetched: ${why}.`)
}
