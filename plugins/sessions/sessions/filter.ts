/** Which sessions a filter names: what SQLite can tell, and the title, whose letters it does not know all cases of. */
import type { SessionFilter } from 'svc/sdk/sessions'
import type { SqlValue } from 'svc/sdk/storage'
import { createMatcher } from './query.ts'

/** Conditions on `s`, the table of sessions. */
export interface FilterSql {
  /** Joined by AND; `true` when there are none. */
  readonly where: string
  readonly values: readonly SqlValue[]
}

const conditions = {
  surface: 's.surface = ?',
  cwd: 's.cwd = ?',
  usedBefore: 's.updated_at < ?',
  usedAfter: 's.updated_at >= ?',
} as const

export function filterSql(filter: SessionFilter): FilterSql {
  const keys = Object.keys(conditions) as (keyof typeof conditions)[]
  const used = keys.flatMap((key) => (filter[key] === undefined ? [] : [{ sql: conditions[key], value: filter[key] }]))
  const where = ['true', ...used.map(({ sql }) => sql), ...(filter.branches === false ? ['s.parent IS NULL'] : [])]
  return { where: where.join(' AND '), values: used.map(({ value }) => value) }
}

/** Whether a session of this title is meant. */
export function titleTest({ title: wanted }: SessionFilter): (title: string | undefined) => boolean {
  if (!wanted) return () => true
  const matcher = createMatcher([wanted])
  return (title) => title !== undefined && matcher.test(title)
}
