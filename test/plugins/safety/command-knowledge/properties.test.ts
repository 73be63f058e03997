import { afterAll, describe, expect, test } from 'vitest'
import { cpuMs } from '../../../support/cpu-time.ts'
import { corpus, makeProject, readIn } from './project.ts'

const { project, remove } = makeProject()
afterAll(remove)
const read = readIn(project)
const known = corpus('everyday').filter((command) => read(command).understood)
/** One command, whose first word is its program. */
const simple = known.filter((command) => /^[\w./-]+( [\w./=:,@-]+)*$/.test(command))

function expectAsked(commands: readonly string[], change: (command: string) => string): void {
  const understood = commands.map(change).filter((command) => read(command).understood)
  expect(understood).toEqual([])
}

describe('what is understood is not any more', () => {
  test('when an unknown program is added', () => {
    for (const joint of [' ; ', ' && ', ' | ', '\n', ' & '])
      expectAsked(simple, (command) => `${command}${joint}frobnicate`)
    expectAsked(known, (command) => `frobnicate; ${command}`)
    expectAsked(simple, (command) => `${command} $(frobnicate)`)
    expectAsked(simple, (command) => `${command} "\`frobnicate\`"`)
    expectAsked(simple, (command) => `${command} < <(frobnicate)`)
  })

  test('when it is wrapped in an unknown runner, a function or a program that is made up', () => {
    expectAsked(simple, (command) => `frobnicate ${command}`)
    expectAsked(simple, (command) => `f() { ${command}; }; f`)
    expectAsked(simple, (command) => `$X ${command}`)
    expectAsked(simple, (command) => `eval ${command}`)
    expectAsked(simple, (command) => `sudo ${command}`)
    expectAsked(simple, (command) => `timeout 5 frobnicate ${command}`)
  })

  test('when its program has another name', () => {
    expectAsked(
      simple.filter((command) => !command.includes('/')),
      (command) => command.replace(/^\S+/, (name) => `${name}zz`),
    )
    expectAsked(
      simple.filter((command) => !/^\S*\//.test(command)),
      (command) => command.replace(/^\S+/, './$&'),
    )
    expectAsked(simple, (command) => command.replace(/^\S+/, '/tmp/$&'))
  })

  test('when a variable that programs act on is set', () => {
    for (const name of ['PATH', 'LD_PRELOAD', 'NODE_OPTIONS', 'GIT_SSH', 'BASH_ENV', 'PYTHONSTARTUP', 'IFS'])
      expectAsked(simple, (command) => `${name}=./x ${command}`)
  })

  test('when its output goes to where other programs read', () => {
    for (const target of [
      '../y',
      '/etc/y',
      '~/y',
      '.git/config',
      '.git/hooks/pre-commit',
      '.env',
      'deep/linked/y',
      '.husky/x',
    ])
      expectAsked(simple, (command) => `${command} > ${target}`)
  })
})

test('an unknown option is not understood, whichever program it is given to', () => {
  const programs =
    'ls cat grep rg sed sort find tar cp mv rm mkdir touch git curl wget jq eslint tsc vitest jest pytest ruff mypy cargo go make gcc node python bash docker kubectl psql sqlite3 xargs awk head wc diff unzip'.split(
      ' ',
    )
  expect(programs.filter((name) => read(`${name} --frobnicate-it`).understood)).toEqual([])
})

test.each([
  '../x',
  'src/../../x',
  'deep/linked/passwd',
  'deep/*/passwd',
  '/root/x',
  '~/x',
  '$HOME/x',
  '"$HOME"/x',
  '..',
  '{src,..}/x',
  '../*',
])('a path that leaves the project is not understood: %s', (path) => {
  for (const program of [
    'cat',
    'head -1',
    'grep -n x',
    'wc -l',
    'cp src/app.ts',
    'touch',
    'rm -f',
    'sed -n 1p',
    'sort',
    'tee',
  ])
    expect(read(`${program} ${path}`).understood, `${program} ${path}`).toBe(false)
})

test('a folder is followed through the structure of the text', () => {
  expect(read('mkdir -p fresh && cd fresh && cat ../README.md').understood).toBe(true)
  expect(read('mkdir -p fresh; cd fresh; cat ../README.md').understood).toBe(false)
  expect(read('(cd src); cat ../README.md').understood).toBe(false)
  expect(read('cd src && cat ../README.md').understood).toBe(true)
  expect(read('cd nowhere || cat ../x').understood).toBe(false)
  expect(read('false && cd src; cat ../x').understood).toBe(false)
  expect(read('if test -d src; then cd src; fi; cat ../README.md').understood).toBe(false)
  expect(read('for d in src ..; do cat $d/x; done').understood).toBe(false)
  expect(read('echo x | while read f; do cat $f; done').understood).toBe(false)
})

test('a text that is very long or very deep is not understood and takes little time', () => {
  const texts = [
    'ls '.repeat(20_000),
    '$('.repeat(5_000),
    '{a,b}'.repeat(40),
    'cat **/**/**/**/*',
    '(('.repeat(500),
    'for i in {1..999}; do for j in {1..999}; do ls; done; done',
    `ls ${'*a'.repeat(30)}`,
  ]
  const took = cpuMs(() => {
    for (const text of texts) expect(read(text).understood, text.slice(0, 20)).toBe(false)
  })
  expect(took).toBeLessThan(3000)
})
