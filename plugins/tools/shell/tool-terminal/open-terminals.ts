/** The places that sessions work in, opened when first needed: a container each, say. */
import { SvcError } from 'svc/sdk'
import type { ShellBackend, ShellBackendSettings, ShellEnvironment } from 'svc/sdk/shell'

/** Sessions whose place is kept open; the one that was used least recently is closed for another. */
const MAX_PLACES = 32

/** What places need. */
export interface PlacesOptions {
  /** Throws `TERMINAL_NO_BACKEND`. */
  readonly backend: () => ShellBackend
  readonly environment: () => Readonly<Record<string, string>>
  readonly settings: ShellBackendSettings
}

/** Opens each session's place once. */
export class OpenTerminals {
  readonly #options: PlacesOptions
  /** Least recently used first. */
  readonly #open = new Map<string, Promise<ShellEnvironment>>()
  readonly #ended = new AbortController()

  constructor(options: PlacesOptions) {
    this.#options = options
  }

  /** The session's place. Throws what opening it throws, or `TERMINAL_CLOSED`; the next call then tries again. */
  async open(sessionId: string, cwd: string): Promise<ShellEnvironment> {
    if (this.#ended.signal.aborted) throw closedError()
    const opening = this.#open.get(sessionId) ?? this.#begin(sessionId, cwd)
    this.#open.delete(sessionId)
    this.#open.set(sessionId, opening)
    try {
      return await opening
    } catch (error) {
      if (this.#open.get(sessionId) === opening) this.#open.delete(sessionId)
      throw error
    }
  }

  /** Gives a place up that does not work any more, so that the next call opens another. */
  async drop(sessionId: string): Promise<void> {
    const opening = this.#open.get(sessionId)
    this.#open.delete(sessionId)
    await shut(opening)
  }

  /** Closes all of them. */
  async close(): Promise<void> {
    this.#ended.abort(closedError())
    const all = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(all.map(shut))
  }

  async #begin(sessionId: string, cwd: string): Promise<ShellEnvironment> {
    const { backend, environment, settings } = this.#options
    const [oldest] = this.#open.keys()
    if (oldest !== undefined && this.#open.size >= MAX_PLACES) await this.drop(oldest)
    return backend().open({ sessionId, cwd, environment: environment(), settings }, this.#ended.signal)
  }
}

async function shut(opening: Promise<ShellEnvironment> | undefined): Promise<void> {
  // A failed open was reported to its caller.
  const terminal = await opening?.catch(() => undefined)
  await terminal?.close()
}

/** The error for calls while the plugin is unloaded. */
export function closedError(): SvcError {
  return new SvcError('TERMINAL_CLOSED', 'The terminal is being unloaded; run the command again once it is back.')
}
