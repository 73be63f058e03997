import { readFileSync } from 'node:fs'
import { BeforeModelRequest, type Message } from 'svc/sdk'
import { fakeRequestInfo } from 'svc/sdk/testing'
import { describe, expect, test } from 'vitest'
import type { ReadData } from '../../../../plugins/tools/tool-files/read-file.ts'
import { type FileTools, fileTools, workspace } from './support.ts'

/** The model is asked with these tool results in the conversation. */
function request(files: FileTools, results: Readonly<Record<string, string>>, sessionId = 's') {
  const messages = Object.entries(results).map(([callId, text]): Message => ({ role: 'tool', callId, text }))
  return files.kernel.call(BeforeModelRequest, messages, fakeRequestInfo({ sessionId }))
}

describe('reading what is in the conversation already', () => {
  test('gives a word instead of the text, and later an error', async () => {
    using folder = workspace({ 'a.txt': 'one\ntwo\n' })
    await using files = await fileTools()
    const read = (callId: string, input: object = {}, sessionId = 's', more: object = {}) =>
      files.call<ReadData>('read_file', { path: 'a.txt', ...input }, folder.path, undefined, {
        callId,
        sessionId,
        ...more,
      })
    const first = await read('c1')
    await request(files, { c1: first.text })
    const again = await read('c2')
    expect(again.text).toBe('Unchanged: these lines of a.txt are above, as you read them before.')
    expect(again.data).toMatchObject({ unchanged: true, totalLines: 2 })
    expect(again.failed).toBeUndefined()
    expect((await read('c3', { offset: 2 })).text).toBe('2\ttwo')
    expect((await read('c4', {}, 'another')).text).toBe(first.text)
    expect((await read('c1.1', {}, 's', { parent: 'c1' })).text).toBe(first.text)
    await read('c5')
    await read('c6')
    const blocked = await read('c7')
    expect(blocked).toMatchObject({ failed: true, text: expect.stringContaining('Do not read them again') })
    folder.put('a.txt', 'one\n2\n')
    expect((await read('c8')).text).toBe('1\tone\n2\t2')
  })

  test('gives the text again when it is not: never sent, summed up, or shortened', async () => {
    using folder = workspace({ 'a.txt': 'one\ntwo\n' })
    await using files = await fileTools()
    const read = async (callId: string) =>
      (await files.call('read_file', { path: 'a.txt' }, folder.path, undefined, { callId })).text
    const text = await read('c1')
    expect(await read('c2')).toBe(text)
    await request(files, { c2: text })
    await request(files, { other: 'a summary' })
    expect(await read('c3')).toBe(text)
    await request(files, { c3: text.slice(0, 3) })
    expect(await read('c4')).toBe(text)
    await request(files, { c4: `${text}\n[a hint of the guard]` })
    expect(await read('c5')).toContain('Unchanged')
  })
})

describe('a file that someone else changed after the session saw it', () => {
  test('is not overwritten until it is read again', async () => {
    using folder = workspace({ 'a.txt': 'one\n' })
    await using files = await fileTools()
    const write = (content: string) => files.call('write_file', { path: 'a.txt', content }, folder.path)
    await files.call('read_file', { path: 'a.txt' }, folder.path)
    folder.put('a.txt', 'one\ntheirs\n')
    await expect(write('mine\n')).rejects.toMatchObject({
      code: 'FILE_CHANGED',
      message: expect.stringContaining('read it again'),
    })
    expect(readFileSync(folder.at('a.txt'), 'utf8')).toBe('one\ntheirs\n')
    await files.call('read_file', { path: 'a.txt' }, folder.path)
    await write('mine\ntheirs\n')
    expect(readFileSync(folder.at('a.txt'), 'utf8')).toBe('mine\ntheirs\n')
  })

  test('is no matter for a session that never saw it, or wrote it itself', async () => {
    using folder = workspace({ 'a.txt': 'one\n' })
    await using files = await fileTools()
    const write = (content: string, sessionId: string) =>
      files.call('write_file', { path: 'a.txt', content }, folder.path, undefined, { sessionId })
    await write('two\n', 's1')
    await write('three\n', 's1')
    await write('four\n', 's2')
    await expect(write('five\n', 's1')).rejects.toMatchObject({ code: 'FILE_CHANGED' })
  })
})

test('the same search with the same result is remarked upon the third time, and not when it finds something else', async () => {
  using folder = workspace({ 'a.txt': 'hit\n' })
  await using files = await fileTools()
  const search = async (pattern = 'hit') => (await files.call('search_files', { pattern }, folder.path)).text
  await search()
  expect(await search()).not.toContain('same')
  expect(await search()).toContain('[the same search gave the same result 3 times; try another]')
  folder.put('b.txt', 'hit\n')
  expect(await search()).not.toContain('same')
  await search('other')
  expect(await search()).not.toContain('same')
})
