/** What a person at a terminal may expect of an error. */
import { expect } from 'vitest'
import type { BuiltRun } from './built.ts'
import { whyNoSentence } from './scene.ts'

/** No stack, no jargon; anyone who reads it can do something. */
export function expectClear({ code, out, err }: BuiltRun): void {
  expect([0, 1, 2], err).toContain(code)
  expect(err).not.toMatch(/\n\s+at |node:internal|Unhandled|\[object/)
  if (code !== 0) expect(err.trim(), out).not.toBe('')
  if (code !== 0) expect(whyNoSentence(err.trim().split('\n')[0] ?? '')).toBeUndefined()
}
