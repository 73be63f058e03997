/** Ends loops with programs that hide what they are: RFC 3834, section 2, wants a limit for each correspondent. */
import { createHash } from 'node:crypto'
import type { StoredFile } from './mailbox.ts'

/** What came last from a correspondent, and how often in a row. */
export interface Round {
  /** The Message-ID: it identifies a mail that is read again. */
  readonly id: string
  /** A digest of what it says. */
  readonly words: string
  readonly repeats: number
  readonly at: number
}

/** What a mail says, as a digest in which dates, counters and the layout play no part. */
export function digestWords(words: string, files: readonly Pick<StoredFile, 'name' | 'size'>[]): string {
  const said = words.toLowerCase().replace(/\d+/g, '#').replace(/\s+/g, ' ').trim()
  const listed = files.map(({ name, size }) => `${name}/${size}`).join('\n')
  return createHash('sha256').update(`${said}\n\n${listed}`).digest('hex').slice(0, 32)
}

/**
 * Whether an address has written more often than `most` within the time, whatever it said and in whichever threads: `earlier` is
 * how often before.
 */
export function isTooOften(earlier: number, most: number): boolean {
  return most > 0 && earlier >= most
}

/** The next round. Words that differ, and a pause, begin to count again. */
export function nextRound(before: Round | undefined, mail: Omit<Round, 'repeats'>, pauseMs: number): Round {
  if (before?.id === mail.id) return before
  const isRepeated = before?.words === mail.words && mail.at - before.at <= pauseMs
  return { ...mail, repeats: isRepeated ? before.repeats + 1 : 1 }
}
