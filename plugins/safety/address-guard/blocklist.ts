/** Websites that the user does not want opened: from the configuration and from files that several people may share. */
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { type Clock, errorMessage } from 'svc/sdk'
import type { Config } from './config.ts'

const FRESH_MS = 30_000

/** Knows the list for 30 seconds, then reads its files again. */
export class Blocklist {
  #settings: Config['website_blocklist']
  #clock: Clock
  #home: string
  #known: { readonly until: number; readonly read: Promise<ReadonlySet<string>> } | undefined

  constructor(settings: Config['website_blocklist'], place: { readonly clock: Clock; readonly home: string }) {
    this.#settings = settings
    this.#clock = place.clock
    this.#home = place.home
  }

  /** Why a host is refused; undefined when it is not. A list that cannot be read refuses all: it may name any of them. */
  async problem(host: string): Promise<string | undefined> {
    if (!this.#settings.enabled) return undefined
    try {
      const domains = await this.#domains()
      const labels = host.split('.')
      const found = labels.map((_, at) => labels.slice(at).join('.')).find((name) => domains.has(name))
      return found && `${found} is on the list of refused websites (security.website_blocklist)`
    } catch (error) {
      return `a file of security.website_blocklist.shared_files cannot be read (${errorMessage(error)})`
    }
  }

  #domains(): Promise<ReadonlySet<string>> {
    const now = this.#clock.monotonic()
    if (!this.#known || now >= this.#known.until) this.#known = { until: now + FRESH_MS, read: this.#read() }
    return this.#known.read
  }

  async #read(): Promise<ReadonlySet<string>> {
    const texts = await Promise.all(this.#settings.shared_files.map((file) => readFile(this.#place(file), 'utf8')))
    const lines = texts.flatMap((text) => text.split('\n').map((line) => line.replace(/#.*/, '')))
    return new Set([...this.#settings.domains, ...lines].map(parseDomain).filter((domain) => domain !== ''))
  }

  #place(file: string): string {
    return resolve(this.#home, file.replace(/^~(?=\/)/, homedir()))
  }
}

/** The domain in `*.example.com`, `https://example.com/page`, `Example.com.` */
function parseDomain(entry: string): string {
  const name = entry
    .trim()
    .replace(/^\w+:\/\//, '')
    .replace(/^\*\./, '')
    .replace(/[/:?#].*$/, '')
    .replace(/\.$/, '')
  const address = `http://${name}`
  return name !== '' && URL.canParse(address) ? new URL(address).hostname : ''
}
