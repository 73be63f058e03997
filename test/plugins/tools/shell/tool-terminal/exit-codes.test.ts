import { expect, test } from 'vitest'
import { exitMeaning } from '../../../../../plugins/tools/shell/tool-terminal/exit-codes.ts'

test.each([
  ['grep -r TODO src', 'no line matched'],
  ['cat a.txt | grep "x|y; z"', 'no line matched'],
  ['cd src && LANG=C /usr/bin/diff a b', 'the files differ'],
  ['! [ -f x ]', 'the condition is false'],
  ["echo 'a && b'; rg x", 'no line matched'],
])('1 after `%s` is an answer and not a failure', (command, text) => {
  expect(exitMeaning(command, 1)).toEqual({ text, harmless: true })
})

test.each(['npm test', 'grep x y | wc -l', 'make grep', 'echo "grep" | false', ''])(
  '1 after `%s` is a failure',
  (command) => {
    expect(exitMeaning(command, 1)).toBeUndefined()
  },
)

test('2 after grep is a failure like any other', () => {
  expect(exitMeaning('grep x missing', 2)).toBeUndefined()
})

test('codes of the shell itself are explained but stay failures', () => {
  expect(exitMeaning('nonsense', 127)).toEqual({ text: 'command not found', harmless: false })
  expect(exitMeaning('./big', 137)?.text).toContain('memory')
})
