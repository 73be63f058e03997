/** Console output of pages, and uncaught errors. */
import type { ConsoleMessage } from 'svc/sdk/web'
import type { Params } from './cdp.ts'

const MAX_ENTRIES = 200
const LONGEST_ENTRY = 1000

interface RemoteValue {
  readonly type: string
  readonly value?: unknown
  readonly description?: string
}

export class ConsoleLog {
  #entries: ConsoleMessage[] = []
  #lost = 0

  get entries(): readonly ConsoleMessage[] {
    return this.#entries
  }

  /** Entries that were pushed out by newer ones. */
  get lost(): number {
    return this.#lost
  }

  clear(): void {
    this.#entries = []
    this.#lost = 0
  }

  add(level: string, text: string): void {
    const cut = text.length > LONGEST_ENTRY ? `${text.slice(0, LONGEST_ENTRY)}…` : text
    this.#entries.push({ level, text: cut })
    if (this.#entries.length <= MAX_ENTRIES) return
    this.#entries.shift()
    this.#lost += 1
  }

  /** Takes an event of the browser; true when it was one for the console. */
  receive(method: string, params: Params): boolean {
    if (method === 'Runtime.consoleAPICalled') {
      const { type, args } = params as { type: string; args: readonly RemoteValue[] }
      this.add(type, args.map(describeValue).join(' '))
      return true
    }
    if (method === 'Runtime.exceptionThrown') {
      const { exceptionDetails } = params as { exceptionDetails: { text: string; exception?: RemoteValue } }
      this.add('error', exceptionDetails.exception?.description ?? exceptionDetails.text)
      return true
    }
    if (method !== 'Log.entryAdded') return false
    const { entry } = params as { entry: { level: string; text: string; url?: string } }
    this.add(entry.level, entry.url ? `${entry.text} (${entry.url})` : entry.text)
    return true
  }
}

function describeValue({ type, value, description }: RemoteValue): string {
  if (typeof value === 'string') return value
  if (value !== undefined) return JSON.stringify(value)
  return description ?? type
}
