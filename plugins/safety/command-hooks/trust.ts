/** Which hooks of projects a person agreed to, by project and content. One file of the plugin, which tools cannot write. */
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeAtomicallySync } from 'svc/sdk/kit/files'
import { z } from 'zod'

const stored = z.record(z.string(), z.string())

export type TrustState = 'trusted' | 'changed' | 'untrusted'

export class TrustedProjects {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  /** Read each time: another process may have asked the person. A file that cannot be read trusts nothing. */
  stateOf({ project, hash }: { readonly project: string; readonly hash: string }): TrustState {
    const agreed = this.#read()[project]
    if (agreed === undefined) return 'untrusted'
    return agreed === hash ? 'trusted' : 'changed'
  }

  /** Throws the error of the system when it cannot be written. */
  agree({ project, hash }: { readonly project: string; readonly hash: string }): void {
    this.#write({ ...this.#read(), [project]: hash })
  }

  /** Whether there was anything to forget. */
  forget(project: string): boolean {
    const { [project]: agreed, ...rest } = this.#read()
    if (agreed !== undefined) this.#write(rest)
    return agreed !== undefined
  }

  #read(): Readonly<Record<string, string>> {
    try {
      return stored.parse(JSON.parse(readFileSync(this.#file, 'utf8')))
    } catch {
      return {}
    }
  }

  #write(all: Readonly<Record<string, string>>): void {
    mkdirSync(dirname(this.#file), { recursive: true })
    writeAtomicallySync(this.#file, `${JSON.stringify(all, undefined, 2)}\n`)
  }
}
