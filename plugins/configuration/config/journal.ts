/** The journal of changes: one file a change, newest first, so many as are worth keeping. */
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorMessage, type Logger, type Random } from 'svc/sdk'
import type { ConfigChange } from 'svc/sdk/host'
import { removeFile, writeText } from './atomic-write.ts'
import { seal, sealingKey, unseal } from './encrypt.ts'

/** Changes that are kept. */
const MAX_KEPT_CHANGES = 100

/** One file before and after a change; undefined stands for no file. */
export interface FileChange {
  readonly before?: string
  readonly after?: string
}

/** What a change did to which of the two files. */
export interface Texts {
  readonly config?: FileChange
  readonly env?: FileChange
}

/** A change as it is kept. */
export interface JournalEntry extends ConfigChange {
  /** The change that this one took back. */
  readonly undoes?: number
}

type Stored = JournalEntry & { readonly sealed: string }

/** Where the journal is kept and with what. */
export interface JournalGround {
  readonly dir: string
  readonly random: Random
  readonly log: Logger
}

/** The journal of one home. Its caller holds the lock while it writes. */
export class Journal {
  #ground: JournalGround

  constructor(ground: JournalGround) {
    this.#ground = ground
  }

  /** Keeps a change before it is made, and forgets the oldest. */
  async add(entry: Omit<JournalEntry, 'id'>, texts: Texts): Promise<JournalEntry> {
    const ids = await this.#ids()
    const kept: JournalEntry = { id: (ids[0] ?? 0) + 1, ...entry }
    const stored: Stored = { ...kept, sealed: seal(texts, await this.#key(), this.#ground.random) }
    await writeText(this.#file(kept.id), `${JSON.stringify(stored, undefined, 2)}\n`, { mode: 0o600 })
    for (const id of ids.slice(MAX_KEPT_CHANGES - 1)) await removeFile(this.#file(id))
    return kept
  }

  /** Forgets a change that could not be made. */
  async remove(id: number): Promise<void> {
    await removeFile(this.#file(id))
  }

  /** Newest first. A damaged record is left out and said in the log. */
  async list(): Promise<JournalEntry[]> {
    const stored = await Promise.all((await this.#ids()).map((id) => this.#read(id)))
    return stored.flatMap((found) => {
      if (!found) return []
      const { sealed: _, ...entry } = found
      return [entry]
    })
  }

  /** The texts of a change. Throws `CONFIG_UNDO_UNKNOWN` when they cannot be had. */
  async texts(id: number): Promise<Texts> {
    const stored = await this.#read(id)
    return unseal(stored?.sealed ?? '', await this.#key()) as Texts
  }

  async #read(id: number): Promise<Stored | undefined> {
    try {
      return JSON.parse(await readFile(this.#file(id), 'utf8')) as Stored
    } catch (error) {
      this.#ground.log.warn(`change ${id} of the configuration cannot be read: ${errorMessage(error)}`, { error })
      return undefined
    }
  }

  async #ids(): Promise<number[]> {
    const dir = this.#folder()
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const ids = (await readdir(dir)).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
    return ids.map(Number).toSorted((a, b) => b - a)
  }

  #folder(): string {
    return join(this.#ground.dir, 'changes')
  }

  #file(id: number): string {
    return join(this.#folder(), `${String(id).padStart(6, '0')}.json`)
  }

  #key(): Promise<Buffer> {
    return sealingKey(join(this.#ground.dir, 'undo.key'), this.#ground.random)
  }
}
