import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assessCommand } from '../../../plugins/command-risk/assess.ts'
import { normalise } from '../../../plugins/command-risk/normalise.ts'

const names = (command: string) =>
  normalise(command, { cwd: '/srv' }).commands.map(({ name, args }) => [name, ...args].join(' '))
function verdict(command: string): string {
  const { never, dangers } = assessCommand(command, { cwd: '/srv' })
  if (never !== undefined) return 'blocked'
  return dangers.length ? 'asked' : 'allowed'
}

test('quoting, variables, wrappers and encodings are undone', () => {
  expect(names(`\\r"m" -r\${IFS}src`)).toEqual(['rm -r src'])
  expect(names('a=r b=m; $a$b {x,y}.txt')).toEqual(['rm x.txt y.txt'])
  expect(names('sudo env A=1 /bin/ls -l')).toEqual(['ls -l'])
  expect(names('echo bHM= | base64 -d | sh')).toContain('ls')
})

/** Texts that a cleaner could take for a comment, a quotation or a document although the shell runs them. */
const hidden = [
  'ls \\\nrm -rf /\n# x \\\nrm -rf /',
  '# note \\\nrm -rf /',
  '\u200b#x; rm -rf /',
  'x\u00a0#; rm -rf /',
  'x\r#; rm -rf /',
  'echo \uff07; rm -rf / ; echo \uff07',
  '\u001b]; rm -rf / ;\u0007',
  '((ls); rm -rf /)',
  '((rm -rf /) )',
  'echo $((ls); rm -rf /)',
  '(( $(rm -rf /) ))',
  '${x:-"}"}; rm -rf /',
  'rm -rf /\n)',
  'cat <<E\n$(rm -rf /)\nE',
  'cat <<E\n"`rm -rf /`\nE',
  "cat <<'E'\n$(ls)\nE\nrm -rf /",
  'echo $((1<<2))\nrm -rf /',
]
test.for(hidden)('what only looks hidden is seen: %j', (command) => {
  expect(verdict(command)).toBe('blocked')
})

test('text for people is not taken for commands', () => {
  for (const command of ["cat <<'E'\n$(rm -rf /)\nE", 'echo "rm -rf /"', '# rm -rf /', "git commit -m 'rm -rf /'"])
    expect(verdict(command)).toBe('allowed')
})

const piece = fc.constantFrom(
  ...[
    'rm',
    ' ',
    '-rf',
    '/',
    '$',
    '{',
    '}',
    '(',
    ')',
    '$(',
    '`',
    '"',
    "'",
    '\\',
    '\n',
    ';',
    '|',
    '&',
    '<',
    '<<',
    '<<E',
    '>',
    '#',
  ],
  ...[
    '${a:-',
    '$((',
    '((',
    '[[',
    ']]',
    'case',
    'in',
    'esac',
    'eval ',
    'sh -c ',
    'a=$a$a',
    '{a,b}',
    '*',
    '?',
    'xargs ',
    '\u0000',
    '\uFF07',
    '\u001b[',
  ],
)

test('no text makes it throw', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(text, (command) => verdict(command) !== undefined),
    { numRuns: 500 },
  )
})

test('a long text costs in proportion to its length', () => {
  const lengths = [2000, 8000]
  const cost = (part: string, length: number) => {
    const command = part.repeat(Math.ceil(length / part.length))
    const start = process.cpuUsage().user
    verdict(command)
    return (process.cpuUsage().user - start) / 1000
  }
  const pieces = [
    '$(',
    '`',
    '${a:-',
    '(',
    '((',
    '{a,',
    '{a,b}',
    '"$(',
    '<<E\n',
    'a=$a$a;',
    "$'\\x",
    'sh -c "',
    'eval ',
    '/*',
    '\\',
    'x|',
  ]
  const slow = pieces.filter((part) => lengths.map((length) => cost(part, length)).some((ms) => ms > 2000))
  expect(slow).toEqual([])
})
