import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Pastes, type PastesDeps } from '../../../../plugins/terminal-ui/tui-composer/pastes.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { media, t } from './composer-stage.ts'

function setUp(change: Partial<PastesDeps> = {}) {
  const failures: string[] = []
  const pastesFolder = join(temporaryFolder(), 'pastes')
  const failed = (error: unknown) => failures.push((error as Error).message)
  return {
    pastes: new Pastes({ pastesFolder, media: async () => media, t, failed, ...change }),
    failures,
    pastesFolder,
  }
}

const getLabel = (part: unknown) => (typeof part === 'string' ? part : (part as { label: string }).label)

test('five lines or two thousand characters are folded, less is not', () => {
  const { pastes } = setUp()
  expect(pastes.ofPaste('1\n2\n3\n4\n')).toBe('1\n2\n3\n4\n')
  expect(getLabel(pastes.ofPaste('1\n2\n3\n4\n5'))).toBe('[Pasted text #1: 5 lines]')
  expect(pastes.ofPaste('x'.repeat(1999))).toHaveLength(1999)
  expect(getLabel(pastes.ofPaste('x'.repeat(2000)))).toBe('[Pasted text #2: 1 line]')
  expect(getLabel(pastes.ofPaste('1\r\n2\r\n3\r\n4\r\n5\r\n'))).toBe('[Pasted text #3: 5 lines]')
})

test('text that is no paste is folded only when it would make every key slow', () => {
  const { pastes } = setUp()
  expect(pastes.ofText('line\n'.repeat(100))).toHaveLength(500)
  expect(getLabel(pastes.ofText('line\n'.repeat(5000)))).toBe('[Pasted text #1: 5000 lines]')
})

test('an entry of the history finds its pastes again, and has their labels when the files are gone', async () => {
  const { pastes, pastesFolder } = setUp()
  const fold = pastes.ofPaste('1\n2\n3\n4\n5')
  if (typeof fold === 'string') throw new Error('It was not folded.')
  const shown = `a ${fold.label} b`
  const entry = await pastes.entry(shown, [fold])
  expect(pastes.parts(entry)).toEqual(['a ', fold, ' b'])
  rmSync(pastesFolder, { recursive: true })
  expect(pastes.parts(entry)).toEqual([shown])
})

test('a paste that cannot be kept is folded all the same, and that is told', async () => {
  const { pastes, failures } = setUp({
    media: async () => {
      throw new Error('The disk is full.')
    },
  })
  const fold = pastes.ofPaste('x'.repeat(5000))
  expect(fold).toMatchObject({ text: 'x'.repeat(5000) })
  expect(await pastes.entry('text', [fold as never])).toEqual({ text: 'text' })
  expect(failures).toEqual(['The disk is full.'])
})
