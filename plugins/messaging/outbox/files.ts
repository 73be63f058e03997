/** Files that leave: copied to a folder of the outbox, durably, and kept until they were delivered. */
import { closeSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { errorMessage, type Random, SvcError } from 'svc/sdk'
import { findMediaType } from 'svc/sdk/kit/files'
import { classifyMediaType } from 'svc/sdk/media'
import type { OutboxFile } from 'svc/sdk/platform'
import type { KeptFile } from './store.ts'

/** No platform takes more. */
const MAX_BYTES = 100 * 2 ** 20
const MAX_FILES = 50
const MAX_NAME = 120
/** A copy without a message: svc stopped between the two, or another process is about to keep its message. */
const ORPHAN_MS = 86_400_000
const OTHER_TYPE = 'application/octet-stream'

export class OutboxFiles {
  readonly #folder: string
  readonly #random: () => Random

  constructor(folder: string, random: () => Random) {
    this.#folder = folder
    this.#random = random
  }

  /** Copies all or none; they are on disk when it returns. Throws `OUTBOX_FILE`. */
  keep(files: readonly OutboxFile[]): readonly KeptFile[] {
    if (files.length > MAX_FILES)
      throw new SvcError('OUTBOX_FILE', `${files.length} files are too many for a message. Send at most ${MAX_FILES}.`)
    const kept: KeptFile[] = []
    try {
      for (const file of files) kept.push(this.#copy(file))
      if (kept.length > 0) flush(this.#folder)
      return kept
    } catch (cause) {
      this.drop(kept)
      const message = `${safeName(files[kept.length]?.name ?? '')} cannot be sent: ${errorMessage(cause)}.`
      throw new SvcError('OUTBOX_FILE', message, { status: 400, cause })
    }
  }

  drop(files: readonly Pick<KeptFile, 'path'>[]): void {
    for (const { path } of files) rmSync(path, { force: true })
  }

  /** Removes old copies that no message has. */
  sweep(known: ReadonlySet<string>, now: number): void {
    for (const name of listFiles(this.#folder)) {
      const path = join(this.#folder, name)
      if (!known.has(path) && now - changedAt(path, now) > ORPHAN_MS) rmSync(path, { force: true })
    }
  }

  #copy({ bytes, ...facts }: OutboxFile): KeptFile {
    if (bytes.length > MAX_BYTES) throw new Error(`it has ${bytes.length} bytes, and at most ${MAX_BYTES} are sent`)
    if (bytes.length === 0) throw new Error('it is empty')
    const name = safeName(facts.name)
    const extension = extname(name).toLowerCase()
    const mediaType = facts.mediaType ?? findMediaType(name) ?? OTHER_TYPE
    const path = join(this.#folder, `${this.#random().uuid()}${/^\.\w{1,8}$/.test(extension) ? extension : ''}`)
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    writeFileSync(path, bytes, { mode: 0o600, flag: 'wx', flush: true })
    return {
      ...{ path, name, mediaType, kind: facts.kind ?? classifyMediaType(mediaType), size: bytes.length },
      ...(facts.isVoice && { isVoice: facts.isVoice }),
      ...(facts.caption !== undefined && { caption: facts.caption }),
      ...(facts.id !== undefined && { id: facts.id }),
    }
  }
}

/** A name without a path, on every system. */
function safeName(name: string): string {
  const last = name.split(/[/\\]/).at(-1) ?? ''
  const clean = last.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"<>|?*:]/gu, '').trim()
  const letters = [...clean]
  if (letters.length <= MAX_NAME) return clean || 'file'
  const extension = extname(clean).slice(0, 12)
  return `${letters.slice(0, MAX_NAME - extension.length).join('')}${extension}`
}

/** Some systems cannot flush a folder. */
function flush(folder: string): void {
  try {
    const handle = openSync(folder, 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch (error) {
    if (process.platform !== 'win32') throw error
  }
}

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    // Nothing was sent yet.
    return []
  }
}

function changedAt(path: string, now: number): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now
}
