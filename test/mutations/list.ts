/** The mutations beside this file: one list for each part of the product. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A change of the sources that a test must notice. */
export interface Mutation {
  readonly name: string
  /** What users would meet, or why it cannot be noticed when it survives. */
  readonly breaks: string
  readonly file: string
  /** Occurs once in the file. */
  readonly from: string
  readonly to: string
  /** Files of tests, at least one of which fails. */
  readonly tests: readonly string[]
  /** No test is known that notices it. */
  readonly survives?: boolean
}

/** By the name of their list. */
export function mutations(): ReadonlyMap<string, readonly Mutation[]> {
  const lists = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.json'))
  const read = (name: string) => JSON.parse(readFileSync(join(import.meta.dirname, name), 'utf8')) as Mutation[]
  return new Map(lists.sort().map((name) => [name.slice(0, -'.json'.length), read(name)]))
}
