/** What a new user mistypes, through the built program. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runBuilt } from '../support/built.ts'
import { temporaryFolder } from '../support/temporary.ts'

function svc(argv: readonly string[], config?: string) {
  const home = temporaryFolder()
  if (config !== undefined) writeFileSync(join(home, 'config.yaml'), config, { mode: 0o600 })
  return runBuilt(argv, { home })
}

test('a mistyped command is answered with whole sentences', () => {
  expect(svc(['chta'])).toMatchObject({
    code: 2,
    err: expect.stringMatching(/^svc: "chta" is not a command\. Did you mean: svc chat\? .*Try: svc --help\n$/),
  })
})

test('a profile that is not there is named with the command that makes it', () => {
  const { code, err } = svc(['-p', 'work', 'sessions'])
  expect(code).not.toBe(0)
  expect(err).toContain('There is no profile "work". To create it: svc -p default profile create work')
})

test('a block of the config with a value in place of settings is explained once, with the way to edit it', () => {
  const { code, err } = svc(['chat', '-q', 'hi'], 'model: custom\n')
  expect(code).not.toBe(0)
  expect(err).toContain('"model" is "custom", but must be a section with its settings indented below it')
  expect(err).toContain('svc config edit')
  expect(err).not.toMatch(/expected object|Invalid input/)
})

test('a message of one is not in the plural', () => {
  const { out } = svc(['usage'])
  expect(out).not.toMatch(/\b1 (calls|messages|tokens)\b/)
})
