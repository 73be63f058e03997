import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { TerminalScreen } from 'svc/sdk/terminal'
import { expect, test } from 'vitest'
import { png } from '../../../support/pictures.ts'
import { temporaryFolder } from '../../../support/temporary.ts'
import { layout, stage } from './composer-stage.ts'

test('what is typed stands behind the prompt, and Enter hands it over', () => {
  const { composer, type, key, seen } = stage()
  expect(key('enter')).toEqual(['ignored'])
  type('Grüße 👋')
  expect(seen()).toEqual({ rows: ['> Grüße 👋'], cursor: { row: 0, column: 10 } })
  expect(key('enter')).toEqual(['submit'])
  expect(composer.take()).toEqual({ text: 'Grüße 👋', images: [] })
  expect([composer.empty, seen().rows]).toEqual([true, ['> ']])
})

test.each(['M-enter', 'S-enter', 'C-j'])('%s begins a new line instead of sending', (name) => {
  const { composer, type, key, seen } = stage()
  type('one')
  expect(key(name)).toEqual(['taken'])
  type('two')
  expect(seen().rows).toEqual(['> one', '  two'])
  expect(composer.take().text).toBe('one\ntwo')
})

test('a backslash before Enter becomes a new line', () => {
  const { composer, type, key } = stage()
  type('one\\')
  expect(key('enter')).toEqual(['taken'])
  type('two')
  expect(key('enter')).toEqual(['submit'])
  expect(composer.take().text).toBe('one\ntwo')
})

test('the text grows to eight rows and then scrolls with the cursor', () => {
  const { composer, key, seen } = stage()
  composer.insert(Array.from({ length: 12 }, (_, index) => `line ${index}`).join('\n'))
  expect(seen()).toMatchObject({ rows: { length: 8 }, cursor: { row: 7, column: 9 } })
  expect(seen().rows[0]).toBe('  line 4')
  key(...Array.from({ length: 11 }, () => 'up'))
  expect(seen()).toMatchObject({ cursor: { row: 0, column: 8 } })
  expect(seen().rows[0]).toBe('> line 0')
})

test('there is a place for the cursor in every room, however small', () => {
  const { composer, type } = stage({ items: [{ text: '/help', from: 0, detail: 'Shows help' }] })
  type('/he漢 word 👩‍👩‍👧')
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 12 }), (width, rows) => {
      const { lines, cursor } = composer.lines({ width, rows, prompt: [{ text: '❯ ' }], placeholder: 'Ask anything' })
      expect(lines.length).toBeLessThanOrEqual(rows)
      for (const line of lines) expect(layout.lineWidth(line)).toBeLessThanOrEqual(width)
      expect(cursor.row).toBeLessThan(lines.length)
      expect(cursor.column).toBeLessThan(width)
    }),
  )
})

test('a long paste is one unit on the screen and whole when it is taken', async () => {
  const { composer, type, key, paste, seen, home } = stage()
  const text = Array.from({ length: 120 }, (_, index) => `row ${index}`).join('\n')
  type('Look: ')
  paste(text)
  expect(seen().rows).toEqual(['> Look: [Pasted text #1: 120 lines]'])
  key('backspace')
  expect(seen().rows).toEqual(['> Look: '])
  key('C-_')
  expect(composer.take().text).toBe(`Look: ${text}`)
  await composer.close()
  const [file = ''] = readdirSync(join(home, 'pastes'))
  expect(readFileSync(join(home, 'pastes', file), 'utf8')).toBe(text)
  expect(statSync(join(home, 'pastes', file)).mode & 0o777).toBe(0o600)
})

test('a paste of five million characters is folded, and keys stay cheap', () => {
  const { composer, type, key, paste, seen } = stage()
  const text = 'a long line without any end '.repeat(180_000)
  paste(text)
  type('?')
  key('left', 'left', 'right', 'right', 'backspace')
  expect(seen().rows).toEqual(['> [Pasted text #1: 1 line]'])
  expect(composer.take().text).toBe(text)
})

test('a short paste is text, with its line breaks, and sends nothing', () => {
  const { composer, paste, seen } = stage()
  expect(paste('one\ntwo\n')).toBe('taken')
  expect(seen().rows).toEqual(['> one', '  two', '  '])
  expect(composer.take().text).toBe('one\ntwo\n')
})

test('up and down go through what was sent, and the draft comes back', async () => {
  const { composer, type, key, seen } = stage()
  for (const text of ['first', 'second\nwith two lines', 'third']) {
    composer.insert(text)
    composer.take()
  }
  type('draft')
  key('C-a')
  expect(key('up')).toEqual(['taken'])
  expect(seen().rows).toEqual(['> third'])
  key('up')
  expect(seen().rows).toEqual(['> second', '  with two lines'])
  expect(key('up', 'up', 'up')).toEqual(['taken', 'taken', 'ignored'])
  expect(seen().rows).toEqual(['> first'])
  expect(key('down', 'down', 'down', 'down')).toEqual(['taken', 'taken', 'taken', 'ignored'])
  expect(seen()).toEqual({ rows: ['> draft'], cursor: { row: 0, column: 2 } })
})

test('up shows what begins like the draft only', () => {
  const { composer, type, key, seen } = stage()
  for (const text of ['/model demo', 'hello', '/model other']) {
    composer.insert(text)
    composer.take()
  }
  type('/mod')
  key('escape', 'up', 'up', 'up')
  expect(seen().rows).toEqual(['> /model demo'])
})

test('C-r finds as one types, continues with C-r, and Escape brings the draft back', () => {
  const { composer, type, key, seen } = stage()
  for (const text of ['deploy to staging', 'run the tests', 'deploy to production']) {
    composer.insert(text)
    composer.take()
  }
  type('draft')
  key('C-r')
  type('Deploy')
  expect(seen().rows).toEqual(['Search in history: Deploy', '> deploy to production'])
  key('C-r')
  expect(seen().rows).toEqual(['Search in history: Deploy', '> deploy to staging'])
  type('!')
  expect(seen().rows[0]).toBe('Not in history: Deploy!')
  key('escape')
  expect(seen().rows).toEqual(['> draft'])
  key('C-r')
  type('tests')
  expect(key('enter')).toEqual(['taken'])
  expect(seen().rows).toEqual(['> run the tests'])
})

test('a search from a recalled entry on brings that one back, and the arrows begin again', () => {
  const { composer, type, key, seen } = stage()
  for (const text of ['one', 'two', 'three']) {
    composer.insert(text)
    composer.take()
  }
  key('up', 'up', 'C-r')
  type('one')
  key('escape')
  expect(seen().rows).toEqual(['> two'])
  key('C-a', 'up')
  expect(seen().rows).toEqual(['> three'])
  key('C-r')
  expect([composer.empty, key('C-c')]).toEqual([false, ['ignored']])
})

test('blanks alone are not sent', () => {
  const { type, key } = stage()
  type('  ')
  key('M-enter')
  expect(key('enter')).toEqual(['ignored'])
})

test('a recalled message has its pastes, also in the next process', async () => {
  const { composer, paste, type, home } = stage()
  type('see ')
  paste('1\n2\n3\n4\n5\n6')
  composer.take()
  await composer.close()
  const next = stage({ home })
  await next.composer.close()
  next.key('up')
  expect(next.seen().rows).toEqual(['> see [Pasted text #1: 6 lines]'])
  next.paste('7\n8\n9\n10\n11')
  expect(next.seen().rows).toEqual(['> see [Pasted text #1: 6 lines][Pasted text #2: 5 lines]'])
  expect(next.composer.take().text).toBe('see 1\n2\n3\n4\n5\n67\n8\n9\n10\n11')
})

test('a dropped picture becomes a badge, and its number goes away with one backspace', async () => {
  const { composer, paste, key, seen, until, home } = stage()
  const file = join(home, 'a picture.png')
  writeFileSync(file, png(640, 480))
  paste(`'${file}' `)
  expect(seen().rows).toEqual(['[Image #1: …]', '> '])
  expect(key('enter')).toEqual(['taken'])
  await until(() => seen().rows[0] === '[Image #1: 640x480 png]')
  paste(file.replaceAll(' ', '\\ '))
  await until(() => seen().rows[0] === '[Image #1: 640x480 png] [Image #2: 640x480 png]')
  key('backspace')
  expect(seen().rows).toEqual(['[Image #1: 640x480 png]', '> '])
  expect(key('enter')).toEqual(['submit'])
  const { text, images } = composer.take()
  expect({ text, images }).toEqual({
    text: '',
    images: [{ mediaType: 'image/png', data: png(640, 480).toString('base64') }],
  })
})

test('a dropped file is mentioned, one that is part of a command is not', () => {
  const { composer, paste, type, home } = stage()
  mkdirSync(join(home, 'src'))
  writeFileSync(join(home, 'src', 'two words.ts'), 'x')
  type('Read')
  paste(`file://${home}/src/two%20words.ts\n`)
  expect(composer.take().text).toBe('Read @"src/two words.ts" ')
  type('/save ')
  paste(home)
  expect(composer.take().text).toBe(`/save ${home}`)
})

test('Tab takes a completion, and Enter sends a command that is whole, or becomes so', async () => {
  const items = [
    { text: '/help', from: 0 },
    { text: '/history', from: 0, detail: 'What was said' },
  ]
  const { composer, type, key, seen, clock, asked } = stage({ items })
  type('/h')
  await clock.advance(59)
  expect(asked).toEqual([])
  await clock.advance(1)
  expect([asked, seen().rows]).toEqual([['/h'], [' /help'.padEnd(60), ' /history  What was said', '> /h']])
  expect(key('down', 'enter')).toEqual(['taken', 'submit'])
  expect(composer.take().text).toBe('/history ')
  type('/help')
  await clock.advance(60)
  expect(key('enter')).toEqual(['submit'])
})

test('Escape closes the menu first and is for others then', async () => {
  const { type, key, clock, seen } = stage({ items: [{ text: '@src/', from: 0, open: true }] })
  type('@s')
  await clock.advance(60)
  expect(seen().rows).toEqual([' @src/'.padEnd(60), '> @src/'])
  expect(key('escape', 'escape')).toEqual(['taken', 'ignored'])
  expect(seen().rows).toEqual(['> @s'])
})

test('the editor of the user gets the text and gives back another one, or leaves the draft alone', async () => {
  const folder = temporaryFolder()
  const editor = (name: string, script: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`)
    chmodSync(join(folder, name), 0o755)
    return join(folder, name)
  }
  let chosen = editor('good', 'printf "%s, changed\\n" "$(cat "$1")" > "$1"')
  let lent = 0
  const screen = {
    lend: async (work: () => Promise<unknown>) => {
      lent += 1
      return work()
    },
  } as unknown as TerminalScreen
  const { composer, failures, seen } = stage({ environment: (name) => (name === 'VISUAL' ? chosen : undefined) })
  composer.insert('draft')
  await composer.openEditor(screen)
  expect([seen().rows, lent, failures]).toEqual([['> draft, changed'], 1, []])
  chosen = editor('bad', 'echo nothing > "$1"; exit 3')
  await composer.openEditor(screen)
  expect([seen().rows, failures.join()]).toEqual([['> draft, changed'], expect.stringContaining('ended with 3')])
})

test('keys of others are left to them', () => {
  const { key, type } = stage()
  const others = ['C-c', 'C-d', 'C-g', 'C-l', 'C-q', 'C-z', 'escape', 'pageup', 'f1', 'up', 'down', 'tab', 'backspace']
  expect(key(...others).slice(0, -1)).toEqual(others.slice(0, -1).map(() => 'ignored'))
  type('ab')
  expect(key('left', 'C-d')).toEqual(['taken', 'taken'])
})
