/** The texts in force: looked up by their English, and filled. */

import { errorMessage, type Registration, SvcError } from 'svc/sdk'
import type { Language, TranslationSource } from 'svc/sdk/host'
import { toRegistration } from 'svc/sdk/kit/async'
import type { MessageValues } from 'svc/sdk/terminal'
import { loadLocaleTable, locales, matchLocale } from './locales.ts'
import { formatMessage } from './message.ts'

export interface TextsDeps {
  readonly translations: () => readonly TranslationSource[]
  /** Told once of each thing that is wrong. */
  readonly report: (problem: Error) => void
}

const ENGLISH = 'en'

/** Contract: `Language` of the SDK. */
export class LocalTexts implements Language {
  readonly locales = locales
  readonly #deps: TextsDeps
  readonly #listeners = new Set<() => void>()
  readonly #reported = new Set<string>()
  #locale = ENGLISH
  #texts: ReadonlyMap<string, string> = new Map()
  #loading: Promise<void> = Promise.resolve()
  #newest = 0

  constructor(around: TextsDeps) {
    this.#deps = around
  }

  get locale(): string {
    return this.#locale
  }

  text(english: string, values: MessageValues = {}): string {
    const translated = this.#texts.get(english)
    return (
      (translated === undefined ? undefined : this.#fill(this.#locale, translated, values)) ??
      this.#fill(ENGLISH, english, values) ??
      english
    )
  }

  match(name: string): string | undefined {
    return matchLocale(name)
  }

  ready(): Promise<void> {
    return this.#loading
  }

  onChange(listener: () => void): Registration {
    const each = () => listener()
    this.#listeners.add(each)
    return toRegistration(() => void this.#listeners.delete(each))
  }

  /** Switches to this language once its texts are loaded; an unknown name gives English and a report. */
  speak(name: string): Promise<void> {
    const mine = ++this.#newest
    const locale = matchLocale(name)
    if (locale === undefined) this.#reportOnce(name, unknown(name))
    this.#loading = this.#load(locale ?? ENGLISH, mine)
    return this.#loading
  }

  async #load(locale: string, mine: number): Promise<void> {
    const texts = new Map<string, string>()
    for (const { name, texts: read } of this.#deps.translations()) {
      try {
        for (const [english, text] of Object.entries((await read(locale)) ?? {})) texts.set(english, text)
      } catch (error) {
        this.#reportOnce(
          `${name} ${locale}`,
          new Error(`The texts of ${name} cannot be read: ${errorMessage(error)}`, { cause: error }),
        )
      }
    }
    // Last, so that plugins cannot change texts of svc itself.
    for (const [english, text] of Object.entries(await loadLocaleTable(locale))) texts.set(english, text)
    if (mine !== this.#newest) return
    this.#locale = locale
    this.#texts = texts
    for (const listener of [...this.#listeners]) this.#tell(listener)
  }

  #tell(listener: () => void): void {
    try {
      listener()
    } catch (error) {
      this.#deps.report(new Error(`A listener of the language failed: ${errorMessage(error)}`, { cause: error }))
    }
  }

  #fill(locale: string, message: string, values: MessageValues): string | undefined {
    try {
      return formatMessage(locale, message, values)
    } catch (error) {
      this.#reportOnce(message, error as Error)
      return undefined
    }
  }

  #reportOnce(what: string, problem: Error): void {
    if (this.#reported.has(what)) return
    this.#reported.add(what)
    this.#deps.report(problem)
  }
}

function unknown(name: string): SvcError {
  const known = locales.map(({ locale, label }) => `${locale} (${label})`).join(', ')
  const said = `There is no language ${JSON.stringify(name)}, so English is shown. Those there are: ${known}.`
  return new SvcError('LANGUAGE_UNKNOWN', said, { status: 404 })
}
