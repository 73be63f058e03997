/** Which svc processes of this user work in a project: a file for each process, in a folder for each project. */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isPidInUse } from 'svc/sdk/kit/process'

/** Kept beside temporary files, since two svc may have different homes and work in one project. */
export class Leases {
  readonly #folder: string

  constructor(temporary: string) {
    this.#folder = join(temporary, `svc-confinement-${process.getuid?.() ?? 0}`)
  }

  take(project: string): void {
    const folder = this.#of(project)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, String(process.pid)), project)
  }

  /** Returns whether no other process works in it. */
  giveBack(project: string): boolean {
    const folder = this.#of(project)
    rmSync(join(folder, String(process.pid)), { force: true })
    const others = readdirSync(folder).filter((pid) => isPidInUse(Number(pid)))
    if (others.length > 0) return false
    rmSync(folder, { recursive: true, force: true })
    return true
  }

  #of(project: string): string {
    return join(this.#folder, createHash('sha256').update(project).digest('hex').slice(0, 32))
  }
}
