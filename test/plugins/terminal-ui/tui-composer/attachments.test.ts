import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Attachments, droppedPaths, formatMention } from '../../../../plugins/terminal-ui/tui-composer/attachments.ts'
import { jpeg, png } from '../../../support/pictures.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { media, t } from './composer-stage.ts'

function setUp(clipboard: () => Promise<Uint8Array> = async () => png(3, 4)) {
  const failures: string[] = []
  const cwd = temporaryFolder()
  const attachments = new Attachments({
    cwd,
    signal: new AbortController().signal,
    media: async () => media,
    clipboard,
    t,
    changed: () => undefined,
    failed: (error) => failures.push((error as Error).message),
  })
  const shown = () => attachments.line.map(({ text }) => text).join('')
  return { attachments, failures, cwd, shown }
}

test('pictures are what their bytes are, and are handed over in order', async () => {
  const { attachments, cwd, shown } = setUp()
  writeFileSync(join(cwd, 'photo.png'), jpeg(30, 20))
  await attachments.add('photo.png')
  await attachments.add('clipboard')
  expect(shown()).toBe('[Image #1: 30x20 jpg] [Image #2: 3x4 png]')
  expect(attachments.take().map(({ mediaType }) => mediaType)).toEqual(['image/jpeg', 'image/png'])
  expect([attachments.isEmpty, shown()]).toEqual([true, ''])
})

test('what is no picture, and the eleventh, are refused with a reason', async () => {
  const { attachments, failures, cwd, shown } = setUp()
  writeFileSync(join(cwd, 'a.png'), 'text')
  await attachments.add('a.png')
  for (let count = 0; count < 11; count++) await attachments.add('clipboard')
  expect(failures).toEqual([expect.stringContaining('a.png is text'), expect.stringContaining('10 images')])
  expect(shown()).toContain('#10:')
  expect(shown()).not.toContain('#11:')
})

test('an empty clipboard leaves no badge behind', async () => {
  const { attachments, failures } = setUp(async () => {
    throw new Error('There is no picture in the clipboard.')
  })
  const adding = attachments.add('clipboard')
  expect(attachments.isReading).toBe(true)
  await adding
  expect([attachments.isEmpty, failures]).toEqual([true, ['There is no picture in the clipboard.']])
})

describe('dropped files', () => {
  const folder = () => {
    const dir = temporaryFolder()
    for (const name of ['plain.txt', 'two words.txt', "it's.txt"]) writeFileSync(join(dir, name), '')
    return dir
  }

  test('are known in every way a terminal writes them', () => {
    const dir = folder()
    const [plain, two] = [join(dir, 'plain.txt'), join(dir, 'two words.txt')]
    for (const text of [
      `${plain} ${two.replaceAll(' ', '\\ ')}`,
      `'${plain}' '${two}'`,
      `"${plain}"\n"${two}"\n`,
      `${pathToFileURL(plain)}\n${pathToFileURL(two)}\n`,
    ])
      expect(droppedPaths(text, undefined)).toEqual([plain, two])
    expect(droppedPaths(two, undefined)).toEqual([two])
    expect(droppedPaths('~/plain.txt', dir)).toEqual([plain])
  })

  test('are nothing but files that exist', () => {
    const dir = folder()
    const plain = join(dir, 'plain.txt')
    for (const text of ['hello', '/', `${plain} is a file`, '/help', '/no/such/file', 'file://%zz', `"${plain}`, ''])
      expect(droppedPaths(text, dir)).toBeUndefined()
  })

  test('are found whatever their names hold', () => {
    const dir = temporaryFolder()
    const name = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(...'ab ()&\'"$;äß漢#') })
    fc.assert(
      fc.property(
        name.filter((each) => each.trim() === each),
        (each) => {
          const path = join(dir, each)
          writeFileSync(path, '')
          const escaped = path.replace(/[\s()&'"$;#]/g, (letter) => `\\${letter}`)
          expect(droppedPaths(escaped, undefined)).toEqual([path])
          expect(droppedPaths(pathToFileURL(path).href, undefined)).toEqual([path])
        },
      ),
      { numRuns: 40 },
    )
  })

  test('are mentioned relative to the folder they are in', () => {
    const dir = folder()
    mkdirSync(join(dir, 'src'))
    expect(formatMention(join(dir, 'src'), dir)).toBe('@src')
    expect(formatMention(join(dir, 'two words.txt'), dir)).toBe('@"two words.txt"')
    expect(formatMention('/etc/hosts', dir)).toBe('@/etc/hosts')
    expect(formatMention(dir, dir)).toBe(`@${dir}`)
  })
})
