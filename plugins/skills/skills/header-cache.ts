/** Headers of skills by the state of their file, kept on disk: a start looks at files and reads none that is known. */
import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errorMessage, type Logger } from 'svc/sdk'
import { writeAtomically } from 'svc/sdk/kit/files'
import type { SkillHeader } from 'svc/sdk/skills'
import type { FoundSkill } from './discover.ts'
import { readText } from './folder.ts'
import { parseSkill } from './header.ts'

/** To be raised with every change of `SkillHeader` or of how it is read. */
const VERSION = 3

interface Known {
  readonly mtimeMs: number
  readonly size: number
  readonly header?: SkillHeader
  /** Why there is none. */
  readonly problem?: string
}

export class HeaderCache {
  readonly #file: string
  readonly #log: Logger
  #known: Map<string, Known> | undefined
  #isChanged = false

  constructor(file: string, log: Logger) {
    this.#file = file
    this.#log = log
  }

  /** The header, or why it cannot be used. */
  async read(skill: FoundSkill): Promise<{ readonly header?: SkillHeader; readonly problem?: string }> {
    this.#known ??= await this.#load()
    const { file, mtimeMs, size } = skill
    const known = this.#known.get(file)
    if (known && known.mtimeMs === mtimeMs && known.size === size) return known
    const fresh = { mtimeMs, size, ...(await this.#parse(skill)) }
    this.#known.set(file, fresh)
    this.#isChanged = true
    return fresh
  }

  async #parse({ folder, name }: FoundSkill): Promise<{ readonly header?: SkillHeader; readonly problem?: string }> {
    try {
      return { header: (await parseSkill(await readText(folder, 'SKILL.md'), name)).header }
    } catch (error) {
      return { problem: errorMessage(error) }
    }
  }

  /** Writes what was learned, and forgets files that are not among these. */
  async save(files: ReadonlySet<string>): Promise<void> {
    const known = this.#known
    if (!known) return
    for (const file of known.keys())
      if (!files.has(file)) {
        known.delete(file)
        this.#isChanged = true
      }
    if (!this.#isChanged) return
    this.#isChanged = false
    try {
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 })
      await writeAtomically(this.#file, JSON.stringify({ version: VERSION, known: [...known] }))
    } catch (error) {
      // On a disk that cannot be written the next start reads the files once more.
      this.#log.warn('the headers of skills cannot be kept', { error })
    }
  }

  async #load(): Promise<Map<string, Known>> {
    try {
      const value: unknown = JSON.parse(await readFile(this.#file, 'utf8'))
      const { version, known } = (value ?? {}) as { readonly version?: unknown; readonly known?: unknown }
      if (version === VERSION && Array.isArray(known)) return new Map(known as [string, Known][])
    } catch (error) {
      if (!(error instanceof SyntaxError) && (error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.#log.warn('the headers of skills cannot be read', { error })
    }
    return new Map()
  }
}
