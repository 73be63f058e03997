/** Static files of `DashboardFiles`: only what browsers load, only from their folder, compressed where that helps. */
import { createHash } from 'node:crypto'
import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { SvcError } from 'svc/sdk'
import type { DashboardFolder } from 'svc/sdk/dashboard'
import type { HttpRequest, HttpResponse } from 'svc/sdk/web'
import { type PageFacts, renderPage } from './page.ts'

/** Everything else is not sent: a folder may have more in it than its owner thinks of. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
  '.map': 'application/json; charset=utf-8',
  '.wasm': 'application/wasm',
}
const MAX_FILE = 16 * 2 ** 20
const MIN_COMPRESSED = 1024
const MAX_KEPT = 64
/** Named after what is in it, as bundlers do. */
const HASHED = /[.-][A-Za-z0-9_-]{8,}\.\w+$/
const compress = promisify(gzip)

interface StaticFile {
  readonly bytes: Uint8Array
  readonly packed: Uint8Array | undefined
  readonly etag: string
}

export class StaticFiles {
  /** By path and time of change: files are small and few. */
  readonly #kept = new Map<string, StaticFile>()

  /** Answers a path below the prefix of the folder. Throws `DASHBOARD_FILE`. */
  async answer(folder: DashboardFolder, rest: string, request: HttpRequest, facts: PageFacts): Promise<HttpResponse> {
    const path = await findFile(folder.folder, rest)
    const isPage = folder.fallback !== undefined && (path === undefined || rest === '' || rest === folder.fallback)
    if (isPage && (path !== undefined || extname(rest) === '')) {
      const page = await findFile(folder.folder, folder.fallback ?? '')
      if (page !== undefined) return renderPage(await readFile(page, 'utf8'), facts)
    }
    if (path === undefined) throw createNoFile()
    return this.#send(path, request)
  }

  /** Answers a path below a folder that is no page of its own. Throws `DASHBOARD_FILE`. */
  async answerFile(folder: string, rest: string, request: HttpRequest): Promise<HttpResponse> {
    const path = await findFile(folder, rest)
    if (path === undefined) throw createNoFile()
    return this.#send(path, request)
  }

  async #send(path: string, { headers }: HttpRequest): Promise<HttpResponse> {
    const { bytes, packed, etag } = await this.#read(path)
    const shared = {
      'content-type': TYPES[extname(path).toLowerCase()] ?? '',
      'cache-control': HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
      'cross-origin-resource-policy': 'same-origin',
      etag,
      vary: 'Accept-Encoding',
    }
    if (headers['if-none-match'] === etag) return { status: 304, headers: shared }
    const isPacked = packed !== undefined && /\bgzip\b/.test(headers['accept-encoding'] ?? '')
    if (isPacked) return { headers: { ...shared, 'content-encoding': 'gzip' }, body: packed }
    return { headers: shared, body: bytes }
  }

  async #read(path: string): Promise<StaticFile> {
    const { mtimeMs, size } = await stat(path)
    const key = `${path}\n${mtimeMs}\n${size}`
    const known = this.#kept.get(key)
    if (known) return known
    const bytes = await readFile(path)
    const isText = /text|json|svg|wasm/.test(TYPES[extname(path).toLowerCase()] ?? '')
    const packed = isText && bytes.byteLength >= MIN_COMPRESSED ? await compress(bytes) : undefined
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 24)}"`
    const file = { bytes, packed, etag }
    this.#kept.set(key, file)
    const [oldest] = this.#kept.size > MAX_KEPT ? this.#kept.keys() : []
    if (oldest !== undefined) this.#kept.delete(oldest)
    return file
  }
}

function createNoFile(): SvcError {
  return new SvcError('DASHBOARD_FILE', 'There is no such file.', { status: 404 })
}

/** The file itself, without links that lead out of the folder; undefined for what is not sent. */
export async function findFile(folder: string, rest: string): Promise<string | undefined> {
  const parts = rest.split('/')
  const isPlain = parts.every((part) => part !== '' && !part.startsWith('.') && !/[\\\0]/.test(part))
  if (!isPlain || !(extname(rest).toLowerCase() in TYPES)) return undefined
  try {
    const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, ...parts))])
    if (!path.startsWith(root + sep)) return undefined
    const found = await stat(path)
    return found.isFile() && found.size <= MAX_FILE ? path : undefined
  } catch {
    // Not there, or not readable: for a browser both are a file that does not exist.
    return undefined
  }
}
