/**
 * Which notes of projects the user has agreed to: a file by its real path and the hash of its text. Kept in the folder
 * of this plugin with the text, so that a change can be shown.
 */
import { createHash } from 'node:crypto'
import { mkdir, readFile, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, relative, resolve, sep } from 'node:path'
import { writeAtomically } from 'svc/sdk/kit/files'

/** Characters of a text that are kept to show what has changed. */
const MAX_KEPT = 100_000

/** A file of notes as it is now. */
export interface NotesFile {
  /** The real one. */
  readonly path: string
  /** Relative to the working folder. */
  readonly shown: string
  readonly text: string
}

interface Agreed {
  readonly hash: string
  readonly text: string
}

/** Reads and changes the file of what was agreed to. */
export class TrustStore {
  readonly #file: string
  readonly #folder: string

  constructor(folder: string) {
    this.#folder = folder
    this.#file = join(folder, 'trust.json')
  }

  /** `trusted`, or the text that was agreed to before; undefined for a file that is new. */
  async find({ path, text }: NotesFile): Promise<'trusted' | { readonly before: string } | undefined> {
    const agreed = (await this.#read())[path]
    if (!agreed) return undefined
    return agreed.hash === hashText(text) ? 'trusted' : { before: agreed.text }
  }

  async agree(files: readonly NotesFile[]): Promise<void> {
    const all = { ...(await this.#read()) }
    for (const { path, text } of files) all[path] = { hash: hashText(text), text: text.slice(0, MAX_KEPT) }
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    await writeAtomically(this.#file, JSON.stringify(all))
  }

  /** What cannot be read was not agreed to. */
  async #read(): Promise<Readonly<Record<string, Agreed>>> {
    try {
      const value: unknown = JSON.parse(await readFile(this.#file, 'utf8'))
      const entries = Object.entries(typeof value === 'object' && value !== null ? value : {})
      return Object.fromEntries(entries.filter((entry): entry is [string, Agreed] => isAgreed(entry[1])))
    } catch (error) {
      if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return {}
      throw error
    }
  }
}

function isAgreed(value: unknown): value is Agreed {
  const { hash, text } = (value ?? {}) as { readonly [Key in keyof Agreed]?: unknown }
  return typeof hash === 'string' && typeof text === 'string'
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Whether a file is below one of the folders that the configuration names. */
export async function isBelow(path: string, folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) {
    const named = resolve(folder.replace(/^~(?=$|[/\\])/, homedir()))
    const inner = relative(await realpath(named).catch(() => named), path)
    if (inner !== '' && inner !== '..' && !inner.startsWith(`..${sep}`)) return true
  }
  return false
}
