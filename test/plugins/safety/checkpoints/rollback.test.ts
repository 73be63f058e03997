/** `/rollback`, typed into a conversation. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Sessions } from 'svc/sdk'
import { expect, test } from 'vitest'
import { writeFiles } from '../../../support/temporary.ts'
import { start } from './scene.ts'
import { listTree } from './support.ts'

test('a turn is undone: files, then the files and the conversation, and the undoing too', async () => {
  const { talk, dir, put, kernel } = await start()
  writeFiles(dir, { 'a.txt': 'mine\n' })
  await talk.type('hello', `do ${put('a.txt', 'agent\n')}\n${put('b.txt', 'new\n')}`)
  const list = await talk.type('/rollback')
  expect(list).toMatch(/^1\. \d+ s ago, before put: 2 files, \+2 -1$/m)
  expect(await talk.type('/rollback diff 1')).toMatch(/^```diff\ndiff --git a\/a.txt[\s\S]+-mine\n\+agent\n[\s\S]+```$/)

  expect(await talk.type('/rollback 1')).toBe(
    'Restored: `a.txt`.\n\nRemoved: `b.txt`.\n\n/rollback undo takes it back.',
  )
  expect(listTree(dir)).toEqual(['"a.txt" 644 mine\n'])
  await talk.type('/rollback undo')
  expect(listTree(dir)).toEqual(['"a.txt" 644 agent\n', '"b.txt" 644 new\n'])

  expect(await talk.type('/rollback 3 --chat')).toContain('5 messages were taken back; /redo brings them back.')
  expect(listTree(dir)).toEqual(['"a.txt" 644 mine\n'])
  const messages = () => kernel.use(Sessions).open(talk.conversation.sessionId).messages()
  expect(messages().map(({ text }) => text)).toEqual(['hello', 'All right.'])
  await talk.type('/redo')
  expect(messages()).toHaveLength(7)
})

test('a wrong number says what there is, nonsense how it is typed, and nothing is changed', async () => {
  const { talk, dir, put } = await start()
  expect(await talk.type('/rollback')).toContain('no snapshots of this folder yet')
  expect(await talk.type('/rollback 99')).toContain('There are none. /rollback lists them.')
  await talk.type(`do ${put('a.txt', '1')}`)
  expect(await talk.type('/rollback 99')).toContain('There is only 1.')
  expect(await talk.type('/rollback diff 99')).toContain('There is only 1.')
  expect(await talk.type('/rollback undo')).toContain('nothing to undo')
  expect(await talk.type('/rollback 1 ../x')).toContain('is not in')
  for (const line of ['/rollback what', '/rollback diff', '/rollback 1 a.txt --chat', '/rollback -5'])
    expect(await talk.type(line)).toContain('Type /rollback')
  expect(readFileSync(join(dir, 'a.txt'), 'utf8')).toBe('1')
})

test('a person is asked first; no means no, and words that skip the question are no part of a name', async () => {
  const { talk, dir, put } = await start({ person: { confirm: false, approve: 'once' } })
  await talk.type(`do ${put('a b.txt', '1')}\n${put('c.txt', '1')}`)
  expect(await talk.type('/rollback 1')).toBe('Nothing was changed.')
  expect(existsSync(join(dir, 'a b.txt'))).toBe(true)
  expect(await talk.type('/rollback 1 a b.txt --YES')).toContain('Removed: `a b.txt`')
  expect(existsSync(join(dir, 'c.txt'))).toBe(true)
})

test('where no one can be asked it says how to do it', async () => {
  const { talk, dir, put } = await start({ person: { approve: 'once' } })
  await talk.type(`do ${put('a.txt', '1')}`)
  expect(await talk.type('/rollback 1 a.txt')).toBe('This changes files. Add --yes to do it: /rollback 1 a.txt --yes')
  await talk.type('/rollback 1 now')
  expect(existsSync(join(dir, 'a.txt'))).toBe(false)
})

test('numbers are completed, with what they are', async () => {
  const { talk, put } = await start()
  await talk.type(`do ${put('a.txt', '1')}`, `do ${put('a.txt', '2')}`)
  const found = await talk.conversation.complete('/rollback ')
  expect(found.map(({ text }) => text)).toEqual(['1', '2', 'diff', 'undo'])
  expect(found[0]).toMatchObject({ from: 10, detail: expect.stringContaining('before put') })
  expect((await talk.conversation.complete('/rollback diff 2')).map(({ text }) => text)).toEqual(['2'])
  expect(await talk.conversation.complete('/rollback 1 x')).toEqual([])
})
