/** The copy of the last config.yaml that could be read, and whether the present one lost what the copy has. */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Seal } from './seal.ts'

export interface GoodCopy {
  readonly text: string
  /** When it was written, in milliseconds since 1970. */
  readonly at: number
}

/** What happened to a file that had content: nothing notable, much less content, or all of it lost. */
export type Loss = 'none' | 'much' | 'all'

/** A file shorter than this is rewritten instead of truncated. */
const SHORT_TEXT = 200

export class LastGood {
  readonly file: string
  /** Distinguishes the copy that svc wrote from a foreign one. */
  readonly #mark: string
  /** Of the text that svc itself is about to write, or wrote last. */
  readonly #expected: string
  readonly #seal: Seal

  constructor(home: string, seal: Seal) {
    this.file = join(home, 'cache', 'config.last-good.yaml')
    this.#mark = `${this.file}.mark`
    this.#expected = `${this.file}.expected`
    this.#seal = seal
  }

  /** Undefined if the file does not exist, `forged` if svc did not write it. */
  read(): GoodCopy | 'forged' | undefined {
    if (!existsSync(this.file)) return undefined
    const text = readFileSync(this.file, 'utf8')
    if (!existsSync(this.#mark) || !this.#seal.holds(text, readFileSync(this.#mark, 'utf8'))) return 'forged'
    return { text, at: statSync(this.file).mtimeMs }
  }

  /** Whether the copy is this text; the cheap question that a start asks. */
  has(text: string | undefined): boolean {
    return text !== undefined && existsSync(this.file) && readFileSync(this.file, 'utf8') === text
  }

  /** What is found next may be this text, or no file, although it has less in it. Throws errors of the file system. */
  expect(text: string | undefined): void {
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 })
    writeFileSync(this.#expected, this.#seal.mark(expectation(text)), { mode: 0o600 })
  }

  isExpected(text: string | undefined): boolean {
    return existsSync(this.#expected) && this.#seal.holds(expectation(text), readFileSync(this.#expected, 'utf8'))
  }

  /** Undefined: no file is a good state, too. Throws errors of the file system. */
  keep(text: string | undefined): void {
    if (text === undefined) {
      for (const file of [this.file, this.#mark]) rmSync(file, { force: true })
      return
    }
    const isKept = this.has(text)
    if (isKept && existsSync(this.#mark)) return
    mkdirSync(dirname(this.file), { recursive: true, mode: 0o700 })
    if (!isKept) writeFileSync(this.file, text, { mode: 0o600 })
    writeFileSync(this.#mark, this.#seal.mark(text), { mode: 0o600 })
  }
}

const expectation = (text: string | undefined) => (text === undefined ? 'no file' : `text: ${text}`)

/**
 * Compares the present file with the good one, each with the names of its blocks. A beginning of the good one that lacks the
 * end of its last line was cut by a full disk or a crash; with that end it may have been shortened by a person.
 */
export function measureLoss(
  now: { readonly text: string; readonly blocks: readonly string[] } | undefined,
  good: { readonly text: string; readonly blocks: readonly string[] },
): Loss {
  if (good.blocks.length === 0) return 'none'
  if (now === undefined || now.blocks.length === 0) return 'all'
  const rest = good.text.startsWith(now.text) ? good.text.slice(now.text.length) : ''
  if (rest.trim() !== '' && !now.text.endsWith('\n')) return 'all'
  return good.text.length >= SHORT_TEXT && now.text.length * 2 < good.text.length ? 'much' : 'none'
}
