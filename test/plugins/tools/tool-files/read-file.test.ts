import { execFileSync } from 'node:child_process'
import { closeSync, ftruncateSync, linkSync, openSync, symlinkSync, writeFileSync, writeSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ReadData } from '../../../../plugins/tools/tool-files/read-file.ts'
import { createPdf, createWordFile } from '../../../support/documents.ts'
import { fileTools, workspace } from './support.ts'

const KEY = `-----BEGIN OPENSSH PRIVATE KEY-----\n${'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAA\n'.repeat(5)}-----END OPENSSH PRIVATE KEY-----\n`

describe('a document', () => {
  test('is shown as its text, in windows like a text file, and known secrets in it are masked', async () => {
    using folder = workspace({
      'a.pdf': createPdf(['Invoice 4711', 'Total: 12.50']),
      'b.docx': createWordFile(['one', 'two', 'three']),
    })
    await using files = await fileTools()
    const { text, data } = await files.call<ReadData>('read_file', { path: 'a.pdf' }, folder.path)
    expect(text).toBe(
      '1\t[page 1]\n2\tInvoice 4711\n3\t\n4\t[page 2]\n5\tTotal: 12.50\n[the text of a PDF document, without its layout]',
    )
    expect(data).toMatchObject({ path: folder.at('a.pdf'), totalLines: 5 })
    const part = await files.call('read_file', { path: 'b.docx', offset: 2, limit: 1 }, folder.path)
    expect(part.text).toContain('2\ttwo\n[lines 2-2 of 3; continue with offset 3]')
  })

  test('that is damaged is named as what it is, with the reason', async () => {
    using folder = workspace({ 'a.docx': createWordFile(['x']).subarray(0, 50) })
    await using files = await fileTools()
    await expect(files.call('read_file', { path: 'a.docx' }, folder.path)).rejects.toMatchObject({
      code: 'FILE_BINARY',
      message: expect.stringMatching(/a\.docx is a zip archive .+ whose text cannot be read: ./),
    })
  })
})

describe('a text file', () => {
  test('is shown with the numbers of its lines', async () => {
    using folder = workspace({ 'a.txt': 'one\n\ntwo\n' })
    await using files = await fileTools()
    const { text, data } = await files.call<ReadData>('read_file', { path: 'a.txt' }, folder.path)
    expect(text).toBe('1\tone\n2\t\n3\ttwo')
    expect(data).toEqual({ path: folder.at('a.txt'), firstLine: 1, lastLine: 3, totalLines: 3 })
  })

  test('is shown in part when a part is asked for, and where to go on is said', async () => {
    using folder = workspace({ 'a.txt': Array.from({ length: 1200 }, (_, at) => `line ${at + 1}\n`).join('') })
    await using files = await fileTools()
    const first = await files.call('read_file', { path: 'a.txt' }, folder.path)
    expect(first.text).toMatch(/^1\tline 1\n[\s\S]*\n500\tline 500\n\[lines 1-500 of 1200; continue with offset 501\]$/)
    const last = await files.call('read_file', { path: 'a.txt', offset: 1199, limit: 50 }, folder.path)
    expect(last.text).toBe('1199\tline 1199\n1200\tline 1200')
    const beyond = await files.call('read_file', { path: 'a.txt', offset: 5000 }, folder.path)
    expect(beyond.text).toBe('(the file has 1200 lines; line 5000 is past its end)')
    const zero = await files.call<ReadData>('read_file', { path: 'a.txt', offset: 0, limit: 1 }, folder.path)
    expect(zero.data.firstLine).toBe(1)
  })

  test('comes back whole from its windows, whatever is in it', async () => {
    using folder = workspace()
    await using files = await fileTools()
    const line = fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => text.replace(/[\0\r\n\uFEFF]/g, ''))
    const scenario = fc.tuple(fc.array(line, { minLength: 1, maxLength: 30 }), fc.integer({ min: 1, max: 7 }))
    await fc.assert(
      fc.asyncProperty(scenario, async ([lines, limit]) => {
        folder.put('any.txt', `${lines.join('\n')}\n`)
        const seen: string[] = []
        for (let offset = 1; offset <= lines.length; offset += limit) {
          const { text } = await files.call('read_file', { path: 'any.txt', offset, limit }, folder.path)
          const shown = text.split('\n').filter((row) => /^\d+\t/.test(row))
          seen.push(...shown.map((row) => row.replace(/^\d+\t/, '')))
        }
        expect(seen).toEqual(lines)
      }),
      { numRuns: 50 },
    )
  })

  test('may be empty, end without a line end, or have its own ends', async () => {
    using folder = workspace({ empty: '', open: 'no end', windows: 'a\r\nb\r\n' })
    await using files = await fileTools()
    expect((await files.call('read_file', { path: 'empty' }, folder.path)).text).toBe('(empty file)')
    expect((await files.call('read_file', { path: 'open' }, folder.path)).text).toBe('1\tno end')
    const windows = await files.call('read_file', { path: 'windows' }, folder.path)
    expect(windows.text).toBe('1\ta\n2\tb\n[lines end with CRLF]')
  })

  test('may be UTF-16, and may hold bytes that are no text, which is said', async () => {
    using folder = workspace({
      'utf16.txt': Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('grüße\nzwei', 'utf16le')]),
      'latin1.txt': Buffer.from('gr\u00fc\u00dfe', 'latin1'),
    })
    await using files = await fileTools()
    expect((await files.call('read_file', { path: 'utf16.txt' }, folder.path)).text).toBe('1\tgrüße\n2\tzwei')
    const latin = await files.call('read_file', { path: 'latin1.txt' }, folder.path)
    expect(latin.text).toContain('[some bytes are not valid text')
  })

  test('has its long lines cut, and is cut itself before it fills the conversation', async () => {
    using folder = workspace({ long: `${'x'.repeat(5000)}\nend`, wide: `${'y'.repeat(1999)}\n`.repeat(100) })
    await using files = await fileTools()
    const long = await files.call('read_file', { path: 'long' }, folder.path)
    expect(long.text).toBe(`1\t${'x'.repeat(2000)}[... 3000 more characters]\n2\tend`)
    const wide = await files.call<ReadData>('read_file', { path: 'wide' }, folder.path)
    expect(wide.text.length).toBeLessThanOrEqual(100_000)
    expect(wide.text.slice(-60)).toContain('[lines 1-49 of 100; continue with offset 50]')
  })

  test('of 100 MB is read no further than it must be', async () => {
    using folder = workspace()
    const file = openSync(folder.at('huge'), 'w')
    writeSync(file, 'first\nsecond\n')
    writeSync(file, `${'z'.repeat(99)}\n`.repeat(100_000), 13)
    // The rest is a hole, which would be binary: anyone who reads on finds out.
    ftruncateSync(file, 100_000_000)
    closeSync(file)
    await using files = await fileTools()
    const { text, data } = await files.call<ReadData>('read_file', { path: 'huge', limit: 2 }, folder.path)
    expect(text).toBe('1\tfirst\n2\tsecond\n[lines 1-2 of many; continue with offset 3]')
    expect(data.totalLines).toBeUndefined()
  })
})

test('lines in the middle and past the end of a large file are found by their numbers', async () => {
  const count = 400_000
  using folder = workspace({ large: Array.from({ length: count }, (_, at) => `grüße ${at + 1}`).join('\n') })
  await using files = await fileTools()
  const read = (offset: number) => files.call<ReadData>('read_file', { path: 'large', offset, limit: 2 }, folder.path)
  expect((await read(300_000)).text).toMatch(/^300000\tgrüße 300000\n300001\tgrüße 300001\n\[lines 300000-300001 of /)
  const last = await read(count)
  expect(last.text).toBe(`${count}\tgrüße ${count}`)
  expect(last.data.totalLines).toBe(count)
  expect((await read(count + 5)).text).toBe(`(the file has ${count} lines; line ${count + 5} is past its end)`)
})

describe('what is not a text file', () => {
  test('is refused by what it is', async () => {
    using folder = workspace({
      'a.png': Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'),
      'b.bin': Buffer.alloc(20),
      'c.pdf': '%PDF-1.7\n',
    })
    await using files = await fileTools()
    for (const [path, said] of Object.entries({ 'a.png': 'a PNG image', 'b.bin': 'binary data', 'c.pdf': 'a PDF' })) {
      const reading = files.call('read_file', { path }, folder.path)
      await expect(reading).rejects.toMatchObject({ code: 'FILE_BINARY', message: expect.stringContaining(said) })
    }
  })

  test('is refused without being waited for: folders, devices, pipes, sockets', async () => {
    using folder = workspace({ 'sub/x': '' })
    execFileSync('mkfifo', [folder.at('pipe')])
    const server = createServer().listen(folder.at('socket'))
    await using files = await fileTools()
    try {
      const codes = { sub: 'FILE_IS_FOLDER', pipe: 'FILE_NOT_REGULAR', socket: 'FILE_NOT_REGULAR' }
      for (const [path, code] of [...Object.entries(codes), ['/dev/zero', 'FILE_NOT_REGULAR']]) {
        await expect(files.call('read_file', { path }, folder.path), path).rejects.toMatchObject({ code })
      }
    } finally {
      server.close()
    }
  })

  test('is answered with names that were perhaps meant', async () => {
    using folder = workspace({ 'README.md': '', 'src/index.ts': '', 'Screenshot\u202f1.png': '' })
    await using files = await fileTools()
    const missing = async (path: string) => {
      const error = await files.call('read_file', { path }, folder.path).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'FILE_NOT_FOUND' })
      return (error as Error).message
    }
    expect(await missing('readme.md')).toContain(`Similar: ${folder.at('README.md')}.`)
    expect(await missing('README')).toContain(folder.at('README.md'))
    expect(await missing('scr/index.ts')).toContain(`Similar: ${folder.at('src')}.`)
    expect(await missing('Screenshot 1.png')).toContain('Similar: ')
    expect(await missing('zebra')).toContain('nothing similar')
    expect(await missing('README.md/x').catch(() => 'FILE_NOT_A_FOLDER')).toBe('FILE_NOT_A_FOLDER')
  })
})

describe('secrets', () => {
  test('are refused, also through a link or another spelling', async () => {
    using folder = workspace({ key: KEY, id_rsa: 'x', 'cert.pem': `-----BEGIN CERTIFICATE-----\nabc\n${KEY}` })
    await using files = await fileTools()
    const env = join(files.kernel.home, '.env')
    writeFileSync(env, 'A_TOKEN=1\n')
    symlinkSync(env, folder.at('link'))
    for (const path of [
      'key',
      'id_rsa',
      'cert.pem',
      'link',
      env,
      join(files.kernel.home, 'x/../.env'),
      '/proc/self/environ',
    ]) {
      await expect(files.call('read_file', { path }, folder.path), path).rejects.toMatchObject({
        code: 'FILE_PROTECTED',
      })
    }
  })

  test('are masked in other files, and a mere mention of a key is no key', async () => {
    using folder = workspace({ 'a.txt': 'key: canary-secret\n', 'doc.md': 'begins with -----BEGIN PRIVATE KEY-----\n' })
    linkSync(folder.at('a.txt'), folder.at('b.txt'))
    await using files = await fileTools('canary-secret')
    expect((await files.call('read_file', { path: 'b.txt' }, folder.path)).text).toBe('1\tkey: ***')
    expect((await files.call('read_file', { path: 'doc.md' }, folder.path)).text).toContain('begins with')
  })
})
