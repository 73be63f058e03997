import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assessCommand } from '../../../../plugins/safety/command-risk/assess.ts'
import { MAX_COMMANDS, normalise, workFor } from '../../../../plugins/safety/command-risk/normalise.ts'

const names = (command: string) =>
  normalise(command, { cwd: '/srv' })
    .commands.filter(({ name }) => name !== '')
    .map(({ name, args }) => [name, ...args].join(' '))
async function verdict(command: string): Promise<string> {
  const { never, dangers } = await assessCommand(command, { cwd: '/srv' })
  if (never !== undefined) return 'blocked'
  return dangers.length ? 'asked' : 'allowed'
}

test('quoting, variables, wrappers and encodings are undone', async () => {
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
test.for(hidden)('what only looks hidden is seen: %j', async (command) => {
  expect(await verdict(command)).toBe('blocked')
})

test('text for people is not taken for commands', async () => {
  for (const command of ["cat <<'E'\n$(rm -rf /)\nE", 'echo "rm -rf /"', '# rm -rf /', "git commit -m 'rm -rf /'"])
    expect(await verdict(command)).toBe('allowed')
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
    ' # ',
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

test('no text makes it throw', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('')),
  )
  await fc.assert(
    fc.asyncProperty(text, async (command) => (await verdict(command)) !== undefined),
    { numRuns: 500 },
  )
})

/** Pieces that nest, repeat or grow, and what they may grow from. */
const pieces = [
  ...[
    '$(',
    '`',
    '${a:-',
    '(',
    '((',
    '{a,',
    '{a,b}',
    '"$(',
    '<<E\n',
    "$'\\x",
    'sh -c "',
    'eval ',
    '/*',
    '\\',
    'x|',
    'x ',
  ],
  ...['a=$a$a;', 'a=x$a;echo $a;', '${a}$(b)', 'eval $a;a=$a$a;', 'a=$a$a$a$a;eval $a;', 'a=aaaaaaaaaaaaaaaa$a;$a;'],
  ...['x {a,b}{c,d}{e,f}{g,h}{i,j};', 'for a in {a,b,c,d};', 'set -- "$@" "$@" x;', 'a=${a//x/$a$a};', 'IFS=x;$a;'],
  ...['PAGER=$PAGER$PAGER;', 'git rebase -x "', "printf '%s%s' $a $a|", 'a\u200b', '#x\n'],
]
const beginnings = ['', 'a=rm;', `a="${'x '.repeat(30)}";`, `a=${'y'.repeat(400)};`]

test.for(pieces)('32,000 characters of %j take a bounded number of steps', (piece) => {
  for (const beginning of beginnings) {
    const command = beginning + piece.repeat(Math.ceil(32_000 / piece.length))
    const script = normalise(command, { cwd: '/srv' })
    // It is read twice: as it stands, and cleaned.
    expect(script.work).toBeLessThanOrEqual(2 * workFor(command.length))
    expect(script.commands.length).toBeLessThanOrEqual(2 * MAX_COMMANDS)
  }
})

test('what takes too many steps counts as dangerous', async () => {
  const command = `a=x;${'a=$a$a;'.repeat(4000)}`
  const { dangers } = await assessCommand(command, { cwd: '/srv' })
  expect(dangers.map(({ name }) => name)).toContain('tangled')
})

test('replacing one sign by a long text does not fill the memory', async () => {
  const long = 'x'.repeat(30_000)
  expect(await verdict(`a=${long}; b=\${a//x/$a}; $b`)).toBe('asked')
})

/** Without other signs, then without lines that continue in the next one. */
const plainLines = (text: string) => text.replace(/[^\n -~]/g, '').replace(/\\+\n/g, '\n')

test('comments are left out of what a reviewer is shown, and nothing else is', async () => {
  const { uncommented } = normalise('ls "# a" # b\necho x#y # c', { cwd: '/srv' })
  expect(uncommented).toBe('ls "# a" \necho x#y ')
  expect(normalise('ls', { cwd: '/srv' }).uncommented).toBeUndefined()
  // Other signs than these have a text read twice, comments of the second reading included.
  const text = fc.array(piece, { maxLength: 40 }).map((parts) => plainLines(parts.join('')))
  fc.assert(
    fc.property(text, (command) => {
      const whole = normalise(command, { cwd: '/srv' })
      const rest = normalise(whole.uncommented ?? command, { cwd: '/srv' })
      expect(rest.commands.map(({ name }) => name)).toEqual(whole.commands.map(({ name }) => name))
    }),
    { numRuns: 300 },
  )
})

test('a script that is written and run at once is read, whatever it is called', async () => {
  expect(await verdict("echo 'rm -rf /' > x.sh; sh x.sh")).toBe('blocked')
  expect(await verdict("cat > /tmp/x <<'E'\nrm -rf /\nE\n/tmp/x")).toBe('blocked')
  expect(await verdict("echo 'rm -r src' > x; echo ls >> x; . ./x")).toBe('asked')
  expect(await verdict("echo ls > find; find . -exec rm -rf / ';'")).toBe('blocked')
  expect(await verdict("echo 'rm -rf /' > notes.sh; sh other.sh")).toBe('allowed')
})
