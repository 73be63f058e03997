/** `processes.json`: what runs, so that a later svc can say what became of it when this one is killed. */
import { mkdir, readFile, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { writeAtomically } from 'svc/sdk/kit/files'
import { isSameProcess, ownProcess } from 'svc/sdk/kit/process'
import { z } from 'zod'

const rowSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  command: z.string(),
  pid: z.number(),
  /** Its identity, see `ProcessMark`. */
  born: z.string(),
  startedAt: z.number(),
  /** The svc that keeps track of it. */
  owner: z.object({ pid: z.number(), born: z.string() }),
})
const fileSchema = z.object({ processes: z.array(rowSchema) })

/** One running process. */
export type Row = z.infer<typeof rowSchema>

/** The file, shared by all svc processes of a home; each keeps its own rows. */
export class Checkpoint {
  readonly #file: string
  readonly #warn: (text: string) => void
  #writing: Promise<void> = Promise.resolve()

  constructor(file: string, warn: (text: string) => void) {
    this.#file = file
    this.#warn = warn
  }

  /** Rows whose svc has exited. They have no owner until `write` adopts them. */
  async orphans(): Promise<Row[]> {
    const rows = await this.#read()
    return rows.filter(({ owner }) => !isAlive(owner))
  }

  /** Replaces the own rows, and those of svc processes that are gone. */
  write(own: readonly Omit<Row, 'owner'>[]): Promise<void> {
    this.#writing = this.#writing.then(() => this.#replace(own)).catch((error: unknown) => this.#warn(String(error)))
    return this.#writing
  }

  async #replace(own: readonly Omit<Row, 'owner'>[]): Promise<void> {
    const rows = await this.#read()
    const others = rows.filter(({ owner }) => owner.pid !== process.pid && isAlive(owner))
    if (own.length === 0 && others.length === 0) return rm(this.#file, { force: true })
    const owner = { pid: process.pid, born: ownProcess().identity }
    await mkdir(dirname(this.#file), { recursive: true })
    const text = JSON.stringify({ processes: [...others, ...own.map((row) => ({ ...row, owner }))] }, undefined, 2)
    return writeAtomically(this.#file, `${text}\n`)
  }

  async #read(): Promise<Row[]> {
    const text = await readFile(this.#file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      return undefined
    })
    if (text === undefined) return []
    try {
      return fileSchema.parse(JSON.parse(text)).processes
    } catch {
      this.#warn(`${this.#file} is damaged; processes that an earlier svc started are not known`)
      return []
    }
  }
}

/** Whether a recorded process still runs: never true of another one with its id, because it may be sent a signal. */
export function isAlive({ pid, born }: { readonly pid: number; readonly born: string }): boolean {
  return isSameProcess({ pid, identity: born })
}
