/** Tokens of sign-ins, in `mcp-tokens/<server>.json` of the home: readable by the user alone, and by no tool. */
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, type Logger, SvcError } from 'svc/sdk'
import { writeAtomically } from 'svc/sdk/kit/files'

/** The stored credentials of one server; the fields have the types of the MCP SDK. */
export interface KeptTokens {
  /** Where they are used: tokens are not sent to another address. */
  readonly url: string
  readonly tokens?: Readonly<Record<string, unknown>>
  readonly client?: Readonly<Record<string, unknown>>
  readonly discovery?: Readonly<Record<string, unknown>>
  /** What a call wanted that the tokens do not cover: asked for at the next sign-in. */
  readonly scope?: string
}

const RETRY_MS = 60_000

export interface TokenFilesDeps {
  /** Is told each token, so that no log shows it. */
  protect(value: string): void
  readonly log: Logger
  clock(): Clock
}

export class TokenFiles {
  readonly #dir: string
  readonly #deps: TokenFilesDeps
  /** What could not be written yet. */
  readonly #unwritten = new Map<string, KeptTokens>()
  #cancelRetry: (() => void) | undefined

  constructor(dir: string, deps: TokenFilesDeps) {
    this.#dir = dir
    this.#deps = deps
  }

  /** Undefined where there are none for this address, or none that can be read. */
  async read(server: string, url: string): Promise<KeptTokens | undefined> {
    const newest = this.#unwritten.get(server)
    if (newest) return newest.url === url ? newest : undefined
    const text = await readFile(this.#file(server), 'utf8').catch(() => undefined)
    if (text === undefined) return undefined
    const kept = parse(text)
    if (kept?.url !== url) return undefined
    this.#protectAll(kept)
    return kept
  }

  /** Throws `MCP_DISK`; what was kept before is kept then. */
  async write(server: string, kept: KeptTokens): Promise<void> {
    this.#protectAll(kept)
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 })
      await writeAtomically(this.#file(server), `${JSON.stringify(kept, undefined, 2)}\n`, { mode: 0o600 })
      this.#unwritten.delete(server)
    } catch (error) {
      const { message } = error as Error
      const what = `The sign-in to the MCP server ${server} could not be kept: ${this.#dir} cannot be written (${message}).`
      throw new SvcError('MCP_DISK', `${what} Free space or make it writable, then sign in again.`, { cause: error })
    }
  }

  /**
   * For what a server gave in exchange for tokens that it takes no more: what cannot be written is used from memory, reported, and
   * written as soon as that is possible. Never throws.
   */
  async keep(server: string, kept: KeptTokens): Promise<void> {
    try {
      await this.write(server, kept)
    } catch (error) {
      this.#unwritten.set(server, kept)
      this.#retryLater()
      const what =
        'The sign-in is kept in memory and written as soon as that is possible; it is lost when svc ends before.'
      this.#deps.log.error(`new tokens of the MCP server ${server} cannot be written. ${what}`, { error })
    }
  }

  #retryLater(): void {
    this.#cancelRetry ??= this.#deps.clock().after(RETRY_MS, () => void this.flush(), { background: true })
  }

  /** Writes what could not be written before. Never throws. */
  async flush(): Promise<void> {
    this.#cancelRetry?.()
    this.#cancelRetry = undefined
    for (const [server, kept] of this.#unwritten) {
      try {
        await this.write(server, kept)
        this.#deps.log.info(`new tokens of the MCP server ${server} are written now`)
      } catch (error) {
        this.#deps.log.debug(`new tokens of the MCP server ${server} still cannot be written`, { error })
        this.#retryLater()
      }
    }
  }

  /** Tries once more, and stops trying. */
  async end(): Promise<void> {
    await this.flush()
    this.#cancelRetry?.()
  }

  /** False if there were none. */
  async remove(server: string): Promise<boolean> {
    this.#unwritten.delete(server)
    return rm(this.#file(server)).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return false
        throw error
      },
    )
  }

  #file(server: string): string {
    return join(this.#dir, `${server}.json`)
  }

  #protectAll({ tokens = {}, client = {} }: KeptTokens): void {
    for (const value of [tokens['access_token'], tokens['refresh_token'], tokens['id_token'], client['client_secret']])
      if (typeof value === 'string' && value.length > 5) this.#deps.protect(value)
  }
}

function parse(text: string): KeptTokens | undefined {
  try {
    return JSON.parse(text) as KeptTokens
  } catch {
    return undefined
  }
}
