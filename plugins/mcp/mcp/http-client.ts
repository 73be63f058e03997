/** Requests to a server over HTTP: client certificates, the bundle of CA certificates, headers, and bounds on what comes back. */
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js'
import { errorMessage, SvcError } from 'svc/sdk'
import { Agent, fetch as undiciFetch } from 'undici'
import type { ServerSettings } from './config.ts'

const MAX_CONNECTIONS = 8

export interface HttpClient {
  readonly fetch: FetchLike
  close(): Promise<void>
}

interface HttpClientOptions {
  readonly server: string
  readonly settings: ServerSettings
  /** Bytes of one answer, or of one event of a stream. */
  readonly maxBytes: number
}

/** Throws `MCP_FILE_NOT_FOUND` for a certificate, a key or a bundle that is not there. */
export async function openHttpClient({ server, settings, maxBytes }: HttpClientOptions): Promise<HttpClient> {
  const tls = await readTls(server, settings)
  const agent = new Agent({
    connect: tls,
    connections: MAX_CONNECTIONS,
    // A stream of events may be silent for long; calls have their own limit.
    bodyTimeout: 0,
    headersTimeout: 0,
  })
  const fetch: FetchLike = async (url, init) => {
    const response = (await undiciFetch(url, { ...(init as object), dispatcher: agent })) as unknown as Response
    return bounded(response, maxBytes)
  }
  return { fetch, close: () => agent.destroy() }
}

interface TlsOptions {
  readonly cert?: Buffer
  readonly key?: Buffer
  readonly passphrase?: string
  readonly ca?: Buffer
  readonly rejectUnauthorized?: boolean
}

async function readTls(server: string, settings: ServerSettings): Promise<TlsOptions> {
  const { client_cert, client_key, ssl_verify } = settings
  const [certFile, keyFile = client_key, passphrase] =
    typeof client_cert === 'string' ? [client_cert] : (client_cert ?? [])
  const read = (file: string, what: string) => readNamed(server, file, what)
  const cert = certFile === undefined ? undefined : await read(certFile, 'client certificate')
  // A combined file holds both.
  const key = keyFile === undefined ? cert : await read(keyFile, 'client key')
  const ca = typeof ssl_verify === 'string' ? await read(ssl_verify, 'CA bundle') : undefined
  return {
    ...(cert && { cert }),
    ...(key && { key }),
    ...(passphrase !== undefined && { passphrase }),
    ...(ca && { ca }),
    ...(ssl_verify === false && { rejectUnauthorized: false }),
  }
}

async function readNamed(server: string, file: string, what: string): Promise<Buffer> {
  const path = file === '~' || file.startsWith('~/') ? join(homedir(), file.slice(1)) : file
  try {
    return await readFile(path)
  } catch (cause) {
    const isMissing = (cause as NodeJS.ErrnoException).code === 'ENOENT'
    const why = isMissing ? 'file not found' : errorMessage(cause)
    throw new SvcError('MCP_FILE_NOT_FOUND', `The ${what} of the MCP server ${server}: ${why}: ${path}`, { cause })
  }
}

/** The same response, whose body fails past the bound. A stream of events may be endless, but no event may be larger. */
function bounded(response: Response, maxBytes: number): Response {
  if (!response.body) return response
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true
  const count = isStream ? countEvent() : countAll()
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      if (count(chunk) <= maxBytes) return controller.enqueue(chunk)
      const megabytes = Math.round(maxBytes / 1_048_576)
      controller.error(new SvcError('MCP_TOO_LARGE', `The server sent a message of more than ${megabytes} MB.`))
    },
  })
  const { status, statusText, headers, url } = response
  const body = response.body.pipeThrough(counter)
  const wrapped = new Response(body, { status, statusText, headers: new Headers([...headers]) })
  Object.defineProperty(wrapped, 'url', { value: url })
  return wrapped
}

function countAll(): (chunk: Uint8Array) => number {
  let bytes = 0
  return (chunk) => {
    bytes += chunk.length
    return bytes
  }
}

/** The bytes of the event under way: an empty line ends one. */
function countEvent(): (chunk: Uint8Array) => number {
  let bytes = 0
  let isLineEmpty = true
  return (chunk) => {
    for (const byte of chunk) {
      bytes += 1
      if (byte === 13) continue
      if (byte === 10 && isLineEmpty) bytes = 0
      isLineEmpty = byte === 10
    }
    return bytes
  }
}
