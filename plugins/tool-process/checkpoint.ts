/** `processes.json`: what runs, so that a later svc can say what became of it when this one is killed. */
import { execFile } from 'node:child_process'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { platform } from 'node:process'
import { promisify } from 'node:util'
import { z } from 'zod'

const rowSchema = z.object({
  id: z.string(),
  sessionId: z.string(),
  command: z.string(),
  pid: z.number(),
  /** When the system says that it was started: two processes of one id differ in it. */
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

  /** Rows whose svc is gone. They are nobody's until `write` puts them among the own ones. */
  async orphans(): Promise<Row[]> {
    const rows = await this.#read()
    const orphaned = await Promise.all(rows.map(async ({ owner }) => !(await isAlive(owner))))
    return rows.filter((_, at) => orphaned[at])
  }

  /** Replaces the own rows, and those of svc processes that are gone. */
  write(own: readonly Omit<Row, 'owner'>[]): Promise<void> {
    this.#writing = this.#writing.then(() => this.#replace(own)).catch((error: unknown) => this.#warn(String(error)))
    return this.#writing
  }

  async #replace(own: readonly Omit<Row, 'owner'>[]): Promise<void> {
    const rows = await this.#read()
    const kept = await Promise.all(rows.map(({ owner }) => owner.pid !== process.pid && isAlive(owner)))
    const others = rows.filter((_, at) => kept[at])
    if (own.length === 0 && others.length === 0) return rm(this.#file, { force: true })
    const owner = { pid: process.pid, born: (await bornAt(process.pid)) ?? '' }
    const temporary = `${this.#file}.${process.pid}`
    await mkdir(dirname(this.#file), { recursive: true })
    const text = JSON.stringify({ processes: [...others, ...own.map((row) => ({ ...row, owner }))] }, undefined, 2)
    await writeFile(temporary, `${text}\n`, { mode: 0o600 })
    return rename(temporary, this.#file)
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

/** Whether the process of this id is still the one that was meant. */
export async function isAlive({ pid, born }: { readonly pid: number; readonly born: string }): Promise<boolean> {
  return born !== '' && (await bornAt(pid)) === born
}

/** When a process was started, in the system's own words; undefined when there is none. */
export async function bornAt(pid: number): Promise<string | undefined> {
  if (platform !== 'linux') {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)]).catch(() => ({
      stdout: '',
    }))
    return stdout.trim() || undefined
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined)
  // Field 22 of proc(5), counted from the state, which follows the name in parentheses.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields === undefined || fields[0] === 'Z' ? undefined : fields[19]
}
