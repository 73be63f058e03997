/** Changes of skills that wait for a person: a file each, on disk before the model hears of it. */
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, type Random, SvcError } from 'svc/sdk'
import { writeAtomically } from 'svc/sdk/kit/files'
import { withFileLock } from 'svc/sdk/kit/process'
import { z } from 'zod'
import { manageInput } from '../manage-input.ts'

/** More than so many are not kept: the user has to decide first. */
export const MAX_STAGED = 50
const NAME = /^[0-9a-f]{8}\.json$/

const stagedWrite = z.object({
  id: z.string(),
  at: z.number(),
  sessionId: z.string(),
  input: manageInput,
  /** A phrase: `change SKILL.md of the skill release-notes`. */
  what: z.string(),
  diff: z.string(),
  /** What the scan found. */
  findings: z.array(z.string()),
  /** What the model had read of others. */
  origins: z.array(z.string()),
})
export type StagedWrite = z.infer<typeof stagedWrite>

export class StagedWrites {
  readonly #dir: string
  readonly #clock: () => Clock
  readonly #random: () => Random

  constructor(dir: string, clock: () => Clock, random: () => Random) {
    this.#dir = dir
    this.#clock = clock
    this.#random = random
  }

  /** The oldest first. `problems`: files that cannot be read, which stay. */
  async list(): Promise<{ readonly writes: readonly StagedWrite[]; readonly problems: readonly string[] }> {
    const names = await readdir(this.#dir).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    const writes: StagedWrite[] = []
    const problems: string[] = []
    for (const name of names.filter((each) => NAME.test(each))) {
      const found = await this.#read(name)
      if (found === 'gone') continue
      if (found) writes.push(found)
      else problems.push(join(this.#dir, name))
    }
    return { writes: writes.sort((one, two) => one.at - two.at), problems }
  }

  async #read(name: string): Promise<StagedWrite | 'gone' | undefined> {
    try {
      return stagedWrite.safeParse(JSON.parse(await readFile(join(this.#dir, name), 'utf8'))).data
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'gone'
      if (error instanceof SyntaxError) return undefined
      throw error
    }
  }

  /** Throws `SKILL_NOT_FOUND`. */
  async find(id: string): Promise<StagedWrite> {
    const found = (await this.list()).writes.find((each) => each.id === id)
    if (found) return found
    throw new SvcError('SKILL_NOT_FOUND', `No change ${id} is waiting. svc skills pending lists them.`)
  }

  /** On disk when it returns. The same change once more is the one that waits already. Throws `SKILL_REFUSED`. */
  add(write: Omit<StagedWrite, 'id' | 'at'>): Promise<StagedWrite> {
    return this.exclusively(async () => {
      const { writes, problems } = await this.list()
      const same = writes.find(({ input }) => JSON.stringify(input) === JSON.stringify(manageInput.parse(write.input)))
      if (same) return same
      if (writes.length + problems.length >= MAX_STAGED)
        throw new SvcError(
          'SKILL_REFUSED',
          `Not done: ${MAX_STAGED} changes wait for the user already. Do not try it again.`,
        )
      const staged = { id: this.#random().hex(4), at: this.#clock().now(), ...write }
      await this.save(staged)
      return staged
    })
  }

  async save(staged: StagedWrite): Promise<void> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 })
    await writeAtomically(join(this.#dir, `${staged.id}.json`), `${JSON.stringify(staged)}\n`)
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.#dir, `${id}.json`), { force: true })
  }

  /** One change of what waits at a time, over all processes. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const onTimeout = () =>
      new SvcError('SKILL_REFUSED', 'Not done: another process is deciding about changes of skills.')
    return withFileLock(
      { file: join(this.#dir, 'lock'), clock: this.#clock(), random: this.#random(), onTimeout },
      work,
    )
  }
}
