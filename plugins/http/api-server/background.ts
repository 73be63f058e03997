/** Responses that continue without a client, and their readers. */
import type { Logger } from 'svc/sdk'
import { Recording } from './recording.ts'

interface Live {
  readonly recording: Recording
  readonly stop: AbortController
}

export class Background {
  readonly #live: Map<string, Live> = new Map()
  readonly #log: Logger

  constructor(log: Logger) {
    this.#log = log
  }

  /** Reads the events to their end. */
  begin(id: string, pieces: AsyncIterable<string>, stop: AbortController): Recording {
    const recording = new Recording(pieces)
    this.#live.set(id, { recording, stop })
    void recording.ended
      .catch((error: unknown) => this.#log.error('a response in the background broke off', { response: id, error }))
      .finally(() => this.#live.delete(id))
    return recording
  }

  /** Its events from the one with this number on, up to the end; undefined when it is over. */
  follow(id: string, from: number): AsyncGenerator<string> | undefined {
    return this.#live.get(id)?.recording.follow(from)
  }

  /** Resolves when it has ended; to false when it had before. */
  async stop(id: string): Promise<boolean> {
    const live = this.#live.get(id)
    if (!live) return false
    live.stop.abort()
    await live.recording.ended.catch(() => {})
    return true
  }

  /** Resolves when no response is being made any more. */
  async settled(): Promise<void> {
    await Promise.all([...this.#live.values()].map(({ recording }) => recording.ended.catch(() => {})))
  }
}
