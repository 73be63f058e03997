/** The record of a snapshot: one line of JSON in its commit message. */

/** Paths have one character for each byte. */
export interface SnapshotRecord {
  readonly version: 1
  readonly reason: string
  /** `rollback`: taken by a restoration, and what takes that back. */
  readonly kind: 'change' | 'rollback'
  /** Milliseconds since 1970. */
  readonly at: number
  readonly root: string
  /** The root is in another environment; it begins with the name of that. */
  readonly isElsewhere?: true
  readonly sessionId?: string
  readonly turnId?: string
  /** The permissions that new files did not get. */
  readonly umask: number
  /** Of files whose permissions differ from those of a new file. */
  readonly modes: Readonly<Record<string, number>>
  /** Folders with nothing in them. */
  readonly empty: readonly string[]
  /** Files and folders that were there but are not in the snapshot. */
  readonly left: readonly string[]
  /** Names that were left out. */
  readonly exclude: readonly string[]
}

/** A snapshot in the store. */
export interface Snapshot extends SnapshotRecord {
  readonly ref: string
  readonly id: string
  readonly tree: string
}

/** Commit messages are UTF-8: what is not ASCII is written as escapes. */
export function writeRecord(record: SnapshotRecord): string {
  return JSON.stringify(record).replace(/[\u007f-\uffff]/g, (sign) => {
    return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

/** Undefined for a commit that svc did not make. */
export function readRecord(text: string): SnapshotRecord | undefined {
  try {
    const record = JSON.parse(text) as SnapshotRecord | null
    return record?.version === 1 ? record : undefined
  } catch {
    // A later svc may write otherwise; what it made is left to it.
    return undefined
  }
}

/** How `for-each-ref` is to tell of a snapshot, and reading that. */
export const REF_FORMAT = '%(refname) %(objectname) %(tree) %(contents:subject)'
export function readRef(line: string): Snapshot | undefined {
  const [, ref, id, tree, text = ''] = /^(\S+) (\S+) (\S+) (.*)$/s.exec(line) ?? []
  const record = readRecord(text)
  return record && ref && id && tree ? { ...record, ref, id, tree } : undefined
}
