/** Tokens of sign-ins, in `mcp-tokens/<server>.json` of the home: readable by the user alone, and by no tool. */
import { mkdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from 'svc/sdk'
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

export class TokenFiles {
  readonly #dir: string
  readonly #protect: (value: string) => void

  /** `protect` is told each token, so that no log shows it. */
  constructor(dir: string, protect: (value: string) => void) {
    this.#dir = dir
    this.#protect = protect
  }

  /** Undefined where there are none for this address, or none that can be read. */
  async read(server: string, url: string): Promise<KeptTokens | undefined> {
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
    } catch (error) {
      const { message } = error as Error
      const what = `The sign-in to the MCP server ${server} could not be kept: ${this.#dir} cannot be written (${message}).`
      throw new SvcError('MCP_DISK', `${what} Free space or make it writable, then sign in again.`, { cause: error })
    }
  }

  /** False if there were none. */
  async remove(server: string): Promise<boolean> {
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
      if (typeof value === 'string' && value.length > 5) this.#protect(value)
  }
}

function parse(text: string): KeptTokens | undefined {
  try {
    return JSON.parse(text) as KeptTokens
  } catch {
    return undefined
  }
}
