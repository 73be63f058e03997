/** Stands in for what must not come to exist in a project while something confined runs there. */
import { mkdirSync, readlinkSync, renameSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type Guarded, isPlaceholder } from './guarded.ts'
import { Leases } from './leases.ts'
import { readStats } from './machine.ts'

/** Files of a project, with the number of programs that use them. */
interface Held {
  programs: number
  readonly texts: Map<string, string | undefined>
}

/** Counted, since several programs run in one project; the last one to end takes it away. */
export class Placeholders {
  readonly #projects = new Map<string, Held>()
  readonly #warn: (text: string) => void
  readonly #leases: Leases

  constructor(warn: (text: string) => void, temporary: string) {
    this.#warn = warn
    this.#leases = new Leases(temporary)
  }

  /** Puts them there; returns what takes them away. What cannot be made here cannot be made by the program either. */
  hold(project: string, { absent, links }: Guarded): { readonly held: readonly string[]; release: () => void } {
    const all = this.#projects.get(project) ?? { programs: 0, texts: new Map() }
    if (all.programs === 0) this.#leases.take(project)
    all.programs++
    this.#projects.set(project, all)
    // One that another program uses, or that a killed svc left behind, is as good.
    const held = absent.filter(({ path, text }) => create(path, text) || isPlaceholder(path, text))
    for (const { path, text } of held) all.texts.set(path, text)
    const targets = links.map((path) => [path, readlinkSync(path)] as const)
    let isReleased = false
    const release = () => {
      if (isReleased) return
      isReleased = true
      all.programs--
      if (all.programs === 0) this.#leave(project, all)
      for (const [path, target] of targets) this.#restore(path, target)
    }
    return { held: held.map(({ path }) => path), release }
  }

  /** Taking a placeholder away while another svc works there would take it from its programs, too. */
  #leave(project: string, { texts }: Held): void {
    this.#projects.delete(project)
    if (!this.#leases.giveBack(project)) return
    for (const [path, text] of texts) if (isPlaceholder(path, text)) this.#drop(path, text)
  }

  #drop(path: string, text: string | undefined): void {
    try {
      if (text === undefined) rmdirSync(path)
      else rmSync(path)
    } catch (error) {
      // An unconfined program has put something into it: then it stays.
      if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error
    }
  }

  /** Nothing can be put over a link: one that was replaced meanwhile is put back. */
  #restore(path: string, target: string): void {
    if (linkAt(path) === target) return
    const aside = freeName(path)
    if (readStats(path) !== undefined) renameSync(path, aside)
    symlinkSync(target, path)
    this.#warn(
      `a confined program replaced the link ${path}; it leads to ${target} again, what stood there is ${aside}`,
    )
  }
}

function freeName(path: string, count = 1): string {
  const name = `${path}.confined-${count}`
  return readStats(name) === undefined ? name : freeName(path, count + 1)
}

function create(path: string, text: string | undefined): boolean {
  try {
    if (text === undefined) mkdirSync(path)
    else writeFileSync(path, text, { flag: 'wx' })
    return true
  } catch {
    return false
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
