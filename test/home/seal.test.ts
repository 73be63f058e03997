import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Seal } from '../../home/seal.ts'
import { temporaryFolder } from '../support/temporary.ts'

test('a mark holds for its text, in every process with the key, and for nothing else', () => {
  const home = temporaryFolder()
  expect(new Seal(home).holds('text', 'anything')).toBe(false)
  const mark = new Seal(home).mark('text')
  expect(new Seal(home).holds('text', `${mark}\n`)).toBe(true)
  expect(new Seal(home).holds('texts', mark)).toBe(false)
  expect(new Seal(home).holds('text', '')).toBe(false)
  expect(new Seal(temporaryFolder()).holds('text', mark)).toBe(false)
})

test('the key is private and kept', () => {
  const home = temporaryFolder()
  const mark = new Seal(home).mark('text')
  const file = join(home, 'data/kernel/seal.key')
  expect(statSync(file).mode & 0o077).toBe(0)
  const key = readFileSync(file, 'utf8')
  expect(key).toMatch(/^[0-9a-f]{64}$/)
  expect(new Seal(home).mark('text')).toBe(mark)
  writeFileSync(file, 'ab'.repeat(32))
  expect(new Seal(home).holds('text', mark)).toBe(false)
})
