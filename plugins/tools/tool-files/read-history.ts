/** What sessions know of files: which state they saw, and what of it still stands in the conversation. In memory only. */

import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { Message } from 'svc/sdk'
import { setBounded } from 'svc/sdk/kit/state'

const MAX_SESSIONS = 200
const MAX_FILES = 2000
const MAX_READS = 500
/** From this repetition on a search is remarked upon. */
const SEARCH_REPEATS = 3

/** Two equal stamps: the file was not written in between. */
export type Stamp = string

export function createStamp({ ino, size, mtimeNs }: Pick<BigIntStats, 'ino' | 'size' | 'mtimeNs'>): Stamp {
  return `${ino}:${size}:${mtimeNs}`
}

/** A text that a session was given. */
interface GivenText {
  readonly callId: string
  readonly digest: string
  readonly length: number
  /** It was in the messages of the last request to the model. */
  visible: boolean
  repeats: number
}

interface Knowledge {
  readonly stamps: Map<string, Stamp>
  readonly reads: Map<string, GivenText>
  search: { readonly key: string; readonly digest: string; count: number } | undefined
}

/** Bounded: what was not used for longest is forgotten first, which costs a repetition and nothing else. */
export class ReadHistory {
  readonly #sessions = new Map<string, Knowledge>()

  /** The session has seen, or made, this state of a file. */
  saw(session: string, path: string, stamp: Stamp | undefined): void {
    const { stamps } = this.#of(session)
    if (stamp === undefined) stamps.delete(path)
    else setBounded(stamps, path, stamp, MAX_FILES)
  }

  /** Whether another program has written the file since the session last read it; false if it never did. */
  isStale(session: string, path: string, stamp: Stamp): boolean {
    const seen = this.#sessions.get(session)?.stamps.get(path)
    return seen !== undefined && seen !== stamp
  }

  /**
   * The session reads; `key` names file and lines. How often the very same text was asked for while it stands in the
   * conversation: 0 means that it must be given.
   */
  read(session: string, key: string, callId: string, text: string): number {
    const { reads } = this.#of(session)
    const digest = digestText(text)
    const known = reads.get(key)
    if (known?.visible && known.digest === digest) return ++known.repeats
    setBounded(reads, key, { callId, digest, length: text.length, visible: false, repeats: 0 }, MAX_READS)
    return 0
  }

  /** The messages that the model is about to see: what is not among them, shortened or summed up, it no longer has. */
  look(session: string, messages: readonly Message[]): void {
    const reads = this.#sessions.get(session)?.reads
    if (!reads?.size) return
    const texts = new Map<string, string>()
    for (const message of messages) if (message.role === 'tool') texts.set(message.callId, message.text)
    for (const [key, given] of reads) {
      const text = texts.get(given.callId)
      const stands = text !== undefined && text.length >= given.length
      if (stands && (given.visible || digestText(text.slice(0, given.length)) === given.digest)) given.visible = true
      else reads.delete(key)
    }
  }

  /** How often in a row the session has made this search with this result, when that is often; else undefined. */
  searched(session: string, key: string, result: string): number | undefined {
    const knowledge = this.#of(session)
    const digest = digestText(result)
    const same = knowledge.search?.key === key && knowledge.search.digest === digest
    const count = same ? (knowledge.search?.count ?? 0) + 1 : 1
    knowledge.search = { key, digest, count }
    return count >= SEARCH_REPEATS ? count : undefined
  }

  #of(session: string): Knowledge {
    const known = this.#sessions.get(session) ?? { stamps: new Map(), reads: new Map(), search: undefined }
    setBounded(this.#sessions, session, known, MAX_SESSIONS)
    return known
  }
}

function digestText(text: string): string {
  return createHash('sha1').update(text).digest('base64')
}
