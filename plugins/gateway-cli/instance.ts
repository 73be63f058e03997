/** One gateway for each home: a file that names the process which holds it. That of a process that died is taken over. */
import { constants, copyFileSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isRunning, markOf, type ProcessMark } from './process-mark.ts'

/** Who holds it. */
export interface Holder extends ProcessMark {
  /** What it watches over: the gateway itself. */
  readonly child?: ProcessMark
}

/** It is ours, or it is somebody's. `orphan` was watched over by a process that died. */
export type Taking =
  | { readonly instance: Instance; readonly orphan?: ProcessMark }
  | { readonly instance: undefined; readonly holder: Holder }

const ATTEMPTS = 20

/** Takes it, unless a process that runs has it. */
export function takeInstance(file: string): Taking {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const mine: Holder = markOf(process.pid) ?? { pid: process.pid, born: '' }
  let orphan: ProcessMark | undefined
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (place(file, mine)) return { instance: new Instance(file, mine), ...(isRunning(orphan) && orphan && { orphan }) }
    const holder = read(file)
    if (holder && isRunning(holder)) return { instance: undefined, holder }
    orphan = holder?.child ?? orphan
    takeAway(file, holder)
  }
  return { instance: undefined, holder: read(file) ?? { pid: 0, born: '' } }
}

/** The process that has it, when it runs. */
export function holderOf(file: string): Holder | undefined {
  const holder = read(file)
  return holder && isRunning(holder) ? holder : undefined
}

/** The file, while this process holds it. */
export class Instance {
  readonly #file: string
  readonly #mine: Holder

  constructor(file: string, mine: Holder) {
    this.#file = file
    this.#mine = mine
  }

  /** Writes down what is watched over, so that whoever comes after a crash can end it. */
  note(child: ProcessMark): void {
    const part = `${this.#file}.${process.pid}`
    writeFileSync(part, JSON.stringify({ ...this.#mine, child }), { mode: 0o600 })
    renameSync(part, this.#file)
  }

  release(): void {
    const holder = read(this.#file)
    if (holder?.pid === this.#mine.pid && holder.born === this.#mine.born) rmSync(this.#file, { force: true })
  }
}

/** A whole file appears in one step, or none. */
function place(file: string, holder: Holder): boolean {
  const part = `${file}.${process.pid}`
  writeFileSync(part, JSON.stringify(holder), { mode: 0o600 })
  try {
    linkSync(part, file)
    return true
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    // A file system without hard links.
    if (!['EPERM', 'ENOTSUP', 'ENOSYS', 'EMLINK'].includes(code)) throw error
    return copied(part, file)
  } finally {
    rmSync(part, { force: true })
  }
}

function copied(part: string, file: string): boolean {
  try {
    copyFileSync(part, file, constants.COPYFILE_EXCL)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

/** The marker, named after the dead holder, lets only one process at a time remove what it left. */
function takeAway(file: string, dead: Holder | undefined): void {
  const marker = `${file}.of-${dead?.pid ?? 'nobody'}`
  if (!place(marker, markOf(process.pid) ?? { pid: process.pid, born: '' })) {
    if (!isRunning(read(marker))) rmSync(marker, { force: true })
    return
  }
  const now = read(file)
  if (now?.pid === dead?.pid && now?.born === dead?.born) rmSync(file, { force: true })
  rmSync(marker, { force: true })
}

function read(file: string): Holder | undefined {
  try {
    const holder = JSON.parse(readFileSync(file, 'utf8')) as Holder | null
    return typeof holder?.pid === 'number' ? holder : undefined
  } catch {
    // It is not there, or it is no holder's: both mean that nobody has it.
    return undefined
  }
}
