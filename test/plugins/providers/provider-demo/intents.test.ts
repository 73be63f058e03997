import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readSteps } from '../../../../plugins/providers/provider-demo/intents.ts'
import { cpuMs } from '../../../support/cpu-time.ts'

/** The intents in short: `list .`, `read a.txt & read b.txt`, with `then` between steps. */
function short(text: string): string {
  const steps = readSteps(text).map((step) => step.map((intent) => Object.values(intent).join(' ')).join(' & '))
  return steps.join(' then ')
}

describe('a request is understood in many wordings:', () => {
  test.each([
    ['List the files in this folder', 'list .'],
    ['list files', 'list .'],
    ['ls', 'list .'],
    ['ls -la src', 'list src'],
    ['What files are in this directory?', 'list .'],
    ["What's in here?", 'list .'],
    ['which files are there', 'list .'],
    ['Can you please show me the files in src/ for me?', 'list src/'],
    ['what is in the folder docs', 'list docs'],
    ['list the contents of "my docs"', 'list my docs'],
    ['list all files recursively', 'list . 5'],
    ['list all .ts files in src', 'list src *.ts'],
    ['find *.md files', 'list . *.md'],
    ['find readme.md', 'list . readme.md'],

    ['read README.md', 'read README.md'],
    ['Please read README.md.', 'read README.md'],
    ['show me package.json', 'read package.json'],
    ['what is in package.json?', 'read package.json'],
    ['what does src/a.ts say?', 'read src/a.ts'],
    ['show the contents of src/index.ts', 'read src/index.ts'],
    ['cat ../x.txt', 'read ../x.txt'],
    ['read the file notes', 'read notes'],
    ['show the first 10 lines of a.log', 'read a.log 10'],
    ['read a.txt, b.txt, and "c d.txt"', 'read a.txt & read b.txt & read c d.txt'],

    ['find "TODO" in src', 'search TODO src'],
    ['search for hello world', 'search hello world .'],
    ['search src for foo(bar)', 'search foo\\(bar\\) src'],
    ['grep -rn "foo bar" src', 'search foo bar src'],
    ["find all occurrences of 'x' in .", 'search x .'],
    ['where is defineTool used?', 'search defineTool .'],
    ['which files contain zod?', 'search zod .'],

    ['run `ls -la`', 'run ls -la'],
    ['run ls; pwd', 'run ls; pwd'],
    ['execute "echo hi"', 'run echo hi'],
    ['Could you run the command npm test in the terminal?', 'run npm test'],
    ['$ git status', 'run git status'],
    ['`pwd`', 'run pwd'],

    ["write 'hello' to a.txt", 'write a.txt hello'],
    ['write buy milk and bread to todo.txt', 'write todo.txt buy milk and bread'],
    ['create notes.md with hello', 'write notes.md hello'],
    ['create a file called todo with the text: one\ntwo', 'write todo one\ntwo'],
    ['save "x then y" in z.txt', 'write z.txt x then y'],
    ['create an empty file foo.txt', "run touch -- 'foo.txt'"],

    ['what is 12*(3+4)', 'calculate 12*(3+4)'],
    ['How much is 10 divided by 4?', 'calculate 10 divided by 4'],
    ['5 + 3 =', 'calculate 5 + 3'],

    ['what can you do?', 'help'],
    ['how do I connect a real model?', 'help'],
    ['Hello!', 'greet'],
    ['are you an AI?', 'identify'],
    ['what time is it', 'date'],
    ['thanks!', 'thank'],
  ])('%s', (text, expected) => {
    expect(short(text)).toBe(expected)
  })
})

describe('several requests', () => {
  test.each([
    ["write 'hello' to a.txt then read a.txt", 'write a.txt hello then read a.txt'],
    ['List the files. Then read README.md.', 'list . then read README.md'],
    ['list the files and read a.txt', 'list . & read a.txt'],
    ['hey, list the files', 'list .'],
    ['list the files and tell me a joke', 'list . & unknown tell me a joke'],
    ["write 'list the files, then read a.txt' to plan.txt", 'write plan.txt list the files, then read a.txt'],
  ])('%s', (text, expected) => {
    expect(short(text)).toBe(expected)
  })
})

test.each(['tell me a joke', 'what is the meaning of life', 'run the tests', 'delete a.txt', 'read this', '', '🤷'])(
  '%j is not understood, and nothing is done on a guess',
  (text) => {
    expect(readSteps(text).flat()).toEqual([{ kind: 'unknown', text }])
  },
)

describe('no text', () => {
  test('is too odd', () => {
    const words = [
      'list',
      'files',
      ' in ',
      'read ',
      'run ',
      'write ',
      ' to ',
      'a.txt',
      "'",
      '"',
      '`',
      ' and ',
      'then ',
      '“',
      '.',
    ]
    const odd = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...words) }))
    fc.assert(
      fc.property(odd, (text) => {
        const steps = readSteps(text)
        expect(steps.flat().length).toBeGreaterThan(0)
      }),
      { numRuns: 300 },
    )
  })

  test.each(["'", '"', '`', '“', ' ', 'a ', ' and ', 'the ', '(', '\\', 'for ', ' in ', 'a.', '?', 'find all the '])(
    'made of %j alone takes long',
    (piece) => {
      const took = cpuMs(() => {
        for (const verb of ['', 'find ', 'write ', 'run ', 'list ', 'what is ']) {
          readSteps((verb + piece.repeat(2000)).slice(0, 2000))
          readSteps(verb + piece.repeat(1_000_000))
        }
      })
      expect(took).toBeLessThan(15_000)
    },
  )
})
