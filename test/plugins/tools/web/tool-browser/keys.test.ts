import { expect, test } from 'vitest'
import { parseKey } from '../../../../../plugins/tools/web/tool-browser/keys.ts'
import { readAddress } from '../../../../../plugins/tools/web/tool-browser/load.ts'

test.for([
  ['Enter', { key: 'Enter', text: '\r' }, 0],
  ['esc', { key: 'Escape' }, 0],
  ['a', { key: 'a', code: 'KeyA', text: 'a' }, 0],
  ['Shift+a', { key: 'A', code: 'KeyA', text: 'A' }, 8],
  ['Control+Shift+ArrowLeft', { key: 'ArrowLeft' }, 10],
  ['F5', { key: 'F5', windowsVirtualKeyCode: 116 }, 0],
  ['+', { key: '+', text: '+' }, 0],
  ['Control++', { key: '+' }, 2],
  [' ', { key: ' ', text: ' ' }, 0],
  ['ü', { key: 'ü', text: 'ü' }, 0],
] as const)('the key %j is what a keyboard would send', ([typed, key, modifiers]) => {
  const stroke = parseKey(typed)
  expect(stroke.key).toMatchObject(key)
  expect(stroke.modifiers).toBe(modifiers)
})

test('a key that is held with control types nothing', () => {
  expect(parseKey('ctrl+c').key.text).toBeUndefined()
})

test.for(['', 'Hyper+a', 'Entr', 'ab', 'Control+'])('there is no key %j', (typed) => {
  expect(() => parseKey(typed)).toThrowError(expect.objectContaining({ code: 'BROWSER_BAD_KEY' }))
})

test.for([
  ['example.org', 'https://example.org/'],
  [' http://example.org/a b ', 'http://example.org/a%20b'],
  ['localhost:8080/x', 'https://localhost:8080/x'],
] as const)('the address %j is completed', ([typed, address]) => {
  expect(readAddress(typed)).toBe(address)
})

test.for(['', 'file:///etc/passwd', 'view-source:http://a.b', 'data:text/html,x', 'http://', 'ftp://a.b/c'])(
  'the address %j is none for a page',
  (typed) => {
    expect(() => readAddress(typed)).toThrowError(expect.objectContaining({ code: 'BROWSER_BAD_URL' }))
  },
)
