import { KeyBindings, parseKeyName } from 'svc/sdk/terminal'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

test.each([
  ['C-g', 'C-g'],
  ['ctrl+g', 'C-g'],
  ['Ctrl-G', 'C-g'],
  ['Shift+Alt+Up', 'M-S-up'],
  ['alt+return', 'M-enter'],
  ['ctrl++', 'C-+'],
  ['C--', 'C--'],
  ['F12', 'f12'],
  ['esc', 'escape'],
  ['ctlr+g', undefined],
  ['f99', undefined],
  ['ctrl+', undefined],
  ['', undefined],
])('the key %s is %s', (text, name) => {
  expect(parseKeyName(text)).toBe(name)
})

test('a key is bound by either name, once; a wrong one is refused with the names there are', async () => {
  await using kernel = await testKernel({
    with: [
      {
        name: 'keys',
        contributes: { 'key-bindings': ['ctrl+g'] },
        setup(ctx) {
          const add = (key: string) => ctx.add(KeyBindings, { key, description: 'Do it', run: () => {} })
          add('ctrl+g')
          expect(() => add('C-g')).toThrow('twice')
          expect(() => add('ctlr+g')).toThrow('Write ctrl+, alt+ or shift+ before a character or one of: enter, escape')
          expect(() => add('g')).toThrow('people type as text')
        },
      },
    ],
  })
  expect(kernel.problems()).toEqual([])
  expect(kernel.all(KeyBindings).get('C-g')).toMatchObject({ key: 'ctrl+g' })
})
