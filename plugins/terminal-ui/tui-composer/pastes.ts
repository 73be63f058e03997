/** Long pastes: kept in a file and shown as one line, so that typing stays quick and the screen readable. */
import { readFileSync } from 'node:fs'
import type { Translate } from 'svc/sdk'
import type { MediaFiles } from 'svc/sdk/media'
import type { HistoryEntry } from './history.ts'
import type { Fold } from './typed-text.ts'

export interface PastesDeps {
  /** Absolute: `pastes` in the home. */
  readonly pastesFolder: string
  /** Writes the file; without it pastes are folded but not kept. */
  media(): Promise<Pick<MediaFiles, 'keep'> | undefined>
  readonly t: Translate
  failed(error: unknown): void
}

const FOLDED_LINES = 5
const FOLDED_CHARACTERS = 2000
/** Text from elsewhere, such as an editor, stays open up to here: beyond it each key would take long. */
const OPEN_CHARACTERS = 20_000

export class Pastes {
  readonly #deps: PastesDeps
  #count = 0
  /** Where folds are kept; undefined for one that could not be. */
  readonly #files = new WeakMap<Fold, Promise<string | undefined>>()

  constructor(deps: PastesDeps) {
    this.#deps = deps
  }

  /** A paste, folded when it is long. */
  ofPaste(text: string): string | Fold {
    const isLong = text.length >= FOLDED_CHARACTERS || countLines(text) >= FOLDED_LINES
    return isLong ? this.#fold(text) : text
  }

  /** Any other text, folded when it is too long to be worked on. */
  ofText(text: string): string | Fold {
    return text.length > OPEN_CHARACTERS ? this.#fold(text) : text
  }

  /** What history keeps of a text with these folds. */
  async entry(text: string, folds: readonly Fold[]): Promise<HistoryEntry> {
    const kept: Record<string, string> = {}
    for (const fold of folds) {
      const file = await this.#files.get(fold)
      if (file !== undefined) kept[fold.label] = file
    }
    return Object.keys(kept).length > 0 ? { text, folds: kept } : { text }
  }

  /** The text of an entry with its folds, as far as their files are still there. */
  parts({ text, folds = {} }: HistoryEntry): readonly (string | Fold)[] {
    let parts: readonly (string | Fold)[] = [text]
    for (const [label, file] of Object.entries(folds)) {
      const fold = this.#read(label, file)
      if (fold) parts = parts.flatMap((part) => (typeof part === 'string' ? insertFold(part, fold) : [part]))
    }
    return parts
  }

  #fold(text: string): Fold {
    const count = countLines(text)
    this.#count += 1
    const values = { number: this.#count, count }
    const label = this.#deps.t('[Pasted text #{number}: {count, plural, one {# line} other {# lines}}]', values)
    const fold = { label, text }
    this.#files.set(fold, this.#keep(text))
    return fold
  }

  async #keep(text: string): Promise<string | undefined> {
    try {
      const media = await this.#deps.media()
      return await media?.keep(this.#deps.pastesFolder, { bytes: Buffer.from(text), extension: 'txt' })
    } catch (error) {
      this.#deps.failed(error)
      return undefined
    }
  }

  #read(label: string, file: string): Fold | undefined {
    try {
      const fold = { label, text: readFileSync(file, 'utf8') }
      this.#files.set(fold, Promise.resolve(file))
      // New labels must differ from those that came back.
      this.#count = Math.max(this.#count, Number(/#(\d+)/.exec(label)?.[1] ?? 0))
      return fold
    } catch {
      // Only the newest pastes are kept: then the label alone is left.
      return undefined
    }
  }
}

function insertFold(text: string, fold: Fold): readonly (string | Fold)[] {
  const at = text.indexOf(fold.label)
  return at < 0 ? [text] : [text.slice(0, at), fold, text.slice(at + fold.label.length)]
}

/** A line feed at the end begins no line. */
function countLines(text: string): number {
  const ends = text.match(/\r\n?|\n/g)?.length ?? 0
  return ends + (/[\r\n]$/.test(text) || text === '' ? 0 : 1)
}
