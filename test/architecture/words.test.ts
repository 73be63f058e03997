/** Words that CONTRIBUTING replaces, in identifiers. */
import { expect, test } from 'vitest'
import { read, sourcesBelow } from '../support/repository.ts'

/** What is not written, and what is written in its place. */
const REPLACED: readonly (readonly [pattern: RegExp, instead: string])[] = [[/\bMOST_[A-Z0-9_]+/g, 'MAX_…']]

const files = sourcesBelow('kernel', 'sdk', 'plugins', 'test', 'examples').filter(
  (file) => file !== 'test/architecture/words.test.ts',
)

test.for(REPLACED)('no identifier matches %s; write %s', ([pattern]) => {
  const found = files.flatMap((file) => [...read(file).matchAll(pattern)].map(([name]) => `${file}: ${name}`))
  expect(found).toEqual([])
})
