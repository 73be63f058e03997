/** What of config.yaml is for another machine. */
import { expect, test } from 'vitest'
import { makePortable } from '../../../../plugins/operations/transfer/portable-config.ts'

const exists = (path: string) => path.startsWith('/home/ada')
const mask = (text: string) => text.replaceAll('known-secret', '***')
const carry = (text: string) => makePortable(text, { exists, mask })

test('settings that name files of the machine are left out with their lists, and comments of others stay', () => {
  const carried = carry(`# mine
terminal:
  cwd: /home/ada/work # here
  timeout: 9
skills:
  external_dirs:
    - /home/ada/skills
    - ~/more
webhook:
  path: /hooks
`)
  expect(carried?.leftOut).toEqual([
    { path: 'terminal.cwd', why: 'path' },
    { path: 'skills.external_dirs', why: 'path' },
  ])
  expect(carried?.text).toBe('# mine\nterminal:\n  timeout: 9\nskills: {}\nwebhook:\n  path: /hooks\n')
})

test('keys are left out wherever they stand, and references to variables stay', () => {
  const carried = carry(`model:
  api_key: sk-inline-1
  base_url: http://known-secret.example.com
providers:
  a: { token: "\${A_TOKEN}" }
custom:
  - name: one
    api_key: sk-inline-2
# old api_key: sk-inline-3
display:
  max_tokens: 5
`)
  expect(carried?.leftOut.map(({ path }) => path)).toEqual(['model.api_key', 'model.base_url', 'custom'])
  expect(carried?.text).not.toMatch(/sk-inline|known-secret/)
  expect(carried?.text).toContain('A_TOKEN')
  expect(carried?.text).toContain('max_tokens: 5')
})

test('with secrets keys stay, and paths do not', () => {
  const text = 'model:\n  api_key: sk-inline-1\n  cache: /home/ada/x\n'
  const carried = makePortable(text, { exists, mask: undefined })
  expect(carried).toEqual({ text: 'model:\n  api_key: sk-inline-1\n', leftOut: [{ path: 'model.cache', why: 'path' }] })
})

test('a text that is unchanged keeps its bytes; one that is no YAML is not carried', () => {
  const text = 'a:    1   # odd\n\n\nb: [ 1,2 ]\n'
  expect(carry(text)?.text).toBe(text)
  expect(carry('a: [\n')).toBeUndefined()
  expect(carry('a: &x\n  api_key: 12\nb:\n  token: &y known-secret\nc: *y\n')).toBeUndefined()
})
