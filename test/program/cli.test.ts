import type { CliArguments, CliCommand, CliContext, SvcError } from 'svc/sdk'
import { expect, test } from 'vitest'
import { columns, commandHelp, failure, runCommand } from '../../program/cli.ts'

/** Runs a command; what it was given, what was printed, the exit code or the error. */
async function type(command: CliCommand, ...argv: string[]) {
  const said = { out: '', err: '' }
  let input: CliArguments | undefined
  const io = {
    out: (text: string) => {
      said.out += text
    },
    err: (text: string) => {
      said.err += text
    },
  } as unknown as CliContext
  const spied = spyOn(command, (given) => {
    input = given
  })
  const outcome = await runCommand(spied, argv, io, `svc ${command.name}`).catch((error: unknown) => error as SvcError)
  return { ...said, input: input as CliArguments | undefined, outcome }
}

/** The same command with its levels; `run` tells what it was given and answers as before. */
function spyOn(command: CliCommand, heard: (input: CliArguments) => void): CliCommand {
  const { run, subcommands, ...rest } = command
  return {
    ...rest,
    ...(subcommands && { subcommands: subcommands.map((sub) => spyOn(sub, heard)) }),
    ...(run && {
      run: async (input, io) => {
        heard(input)
        return run(input, io)
      },
    }),
  }
}

const send: CliCommand = {
  name: 'send',
  description: 'Sends a message.',
  arguments: '<text>',
  options: [
    { flags: '-i, --id <id>', description: 'Whose' },
    { flags: '--phone <number>', description: 'Where to' },
    { flags: '-t, --tag <name...>', description: 'May be repeated' },
    { flags: '--json', description: 'As JSON' },
    { flags: '--dry-run', description: 'Only say' },
    { flags: '-p', description: 'Short only' },
  ],
  examples: ['send --id 0123 "hello"'],
  run: async () => undefined,
}

const board: CliCommand = {
  name: 'board',
  description: 'Boards.',
  subcommands: [
    { name: 'list', description: 'Lists.', run: async () => 0, examples: ['board list'] },
    {
      name: 'task',
      description: 'Tasks.',
      subcommands: [{ name: 'add', description: 'Adds.', arguments: '<title> [rest...]', run: async () => 1 }],
    },
  ],
}

test.for([
  ['--id', '0123'],
  ['--id', '1.10'],
  ['--id', '1e3'],
  ['--id', 'true'],
  ['--id', ''],
  ['--id', '-5'],
  ['--id', '--json'],
  ['--id', 'a=b'],
  ['--id', 'two words\nand a line'],
  ['--phone', '+4915112345'],
] as const)('%s %s stays the text that was typed', async ([option, value]) => {
  const key = option.slice(2)
  expect((await type(send, option, value, 'hi')).input?.options).toEqual({ [key]: value })
  expect((await type(send, `${option}=${value}`, 'hi')).input?.options).toEqual({ [key]: value })
})

test.for(['0123', '1.10', '007', '0x1f', '', '-', 'null', '[1]'])(
  'the argument %j stays the text it is',
  async (text) => {
    expect((await type(send, text)).input?.args).toEqual([text])
  },
)

test('flags are true, short names mean the same, and what was not typed is not there', async () => {
  const { input } = await type(send, 'hi', '--json', '-i', '5', '--dry-run')
  expect(input).toEqual({ args: ['hi'], options: { json: true, id: '5', dryRun: true } })
  expect((await type(send, '-p', 'hi')).input?.options).toEqual({ p: true })
})

test('an option that may be repeated is always a list, any other takes the last', async () => {
  expect((await type(send, '-t', '01', 'hi', '--tag', '02')).input?.options).toEqual({ tag: ['01', '02'] })
  expect((await type(send, '-t', '01', 'hi')).input?.options).toEqual({ tag: ['01'] })
  expect((await type(send, '--id', '1', 'hi', '--id', '2')).input?.options).toEqual({ id: '2' })
})

test('after -- everything is an argument, also what looks like an option', async () => {
  const rest = board.subcommands?.[1] as CliCommand
  const { input } = await type(rest, 'add', '--', '--title', '-x', '--', '5')
  expect(input).toEqual({ args: ['--title', '-x', '--', '5'], options: {} })
})

test('after -- even --help is an argument', async () => {
  expect((await type(send, '--', '--help')).input?.args).toEqual(['--help'])
})

test('an unknown option is refused with the nearest one, and the command does not run', async () => {
  const { input, outcome } = await type(send, 'hi', '--jsno')
  expect(outcome).toMatchObject({ code: 'CLI_USAGE', message: expect.stringContaining('Did you mean --json?') })
  expect(outcome).toMatchObject({ message: expect.stringContaining('Try: svc send --help') })
  expect(input).toBeUndefined()
  expect((await type(send, 'hi', '-z')).outcome).toMatchObject({ code: 'CLI_USAGE' })
})

test('an option without its value is refused', async () => {
  expect((await type(send, 'hi', '--id')).outcome).toMatchObject({ code: 'CLI_USAGE', message: /--id needs a value/ })
})

test('a flag that is given a value is refused rather than guessed at', async () => {
  expect((await type(send, 'hi', '--json=no')).outcome).toMatchObject({ code: 'CLI_USAGE' })
})

test('too few and too many arguments are refused', async () => {
  expect((await type(send)).outcome).toMatchObject({ code: 'CLI_USAGE' })
  const { outcome } = await type(send, 'one', 'two')
  expect(outcome).toMatchObject({ code: 'CLI_USAGE', message: expect.stringContaining('two') })
})

test('required, optional and remaining arguments all arrive in one list', async () => {
  const add = board.subcommands?.[1] as CliCommand
  expect((await type(add, 'add', 'title', '1', '02', '003')).input?.args).toEqual(['title', '1', '02', '003'])
})

test('an unknown subcommand is refused with the nearest one at each level', async () => {
  const first = (await type(board, 'lsit')).outcome
  expect(first).toMatchObject({ message: expect.stringContaining('Did you mean "svc board list"?') })
  const second = (await type(board, 'task', 'ad')).outcome
  expect(second).toMatchObject({ message: expect.stringContaining('Did you mean "svc board task add"?') })
  expect((await type(board, 'completely-else')).outcome).toMatchObject({ code: 'CLI_USAGE' })
})

test('a group typed alone shows what it has and counts as wrong usage', async () => {
  const { outcome, err, out } = await type(board)
  expect({ outcome, out }).toEqual({ outcome: 2, out: '' })
  expect(err).toContain('task')
})

test.for([['--help'], ['-h'], ['task', '--help'], ['task', 'add', '--help'], ['task', 'add', 'x', '-h']])(
  'help is there at every level: %j',
  async (argv) => {
    const { outcome, out, input } = await type(board, ...argv)
    expect(outcome).toBe(0)
    expect(out).toContain(`svc board${argv.includes('task') ? ' task' : ''}${argv.includes('add') ? ' add' : ''}`)
    expect(input).toBeUndefined()
  },
)

test('help shows usage, subcommands with their arguments, options and examples', () => {
  const help = commandHelp(send, 'svc send')
  expect(help).toContain('Usage\n  svc send <text> [options]\n')
  expect(help).toMatch(/-t, --tag <name\.\.\.> +May be repeated/)
  expect(help).toContain('Examples\n  svc send --id 0123 "hello"\n')
  expect(commandHelp(board, 'svc board')).toMatch(/Commands\n {2}list +Lists\.\n {2}task +Tasks\./)
})

test('a value may look like a call for help when it is written with =', async () => {
  expect((await type(send, '--id=--help', 'hi')).input?.options).toEqual({ id: '--help' })
  expect((await type(send, '--id', '--help', 'hi')).out).toContain('Usage')
})

test('the exit code is what the command says, and 0 when it says nothing', async () => {
  expect((await type(send, 'hi')).outcome).toBe(0)
  expect((await type(board, 'task', 'add', 'x')).outcome).toBe(1)
})

test('a command that has both subcommands and arguments takes a first word that is no subcommand', async () => {
  const both: CliCommand = { ...board, arguments: '[name]', run: async () => 0 }
  expect((await type(both, 'mine')).input?.args).toEqual(['mine'])
  expect((await type(both, 'list')).outcome).toBe(0)
})

test('an error with a code is one line and 1, wrong usage is 2, Ctrl-C is 130', () => {
  const error = (code: string) => Object.assign(new Error('It is so.'), { name: 'SvcError', code })
  expect(failure(error('SESSION_NOT_FOUND'))).toEqual({ text: 'svc: It is so. (SESSION_NOT_FOUND)\n', code: 1 })
  expect(failure(error('CLI_USAGE'))).toMatchObject({ code: 2 })
  expect(failure(new DOMException('interrupted', 'AbortError'))).toMatchObject({ code: 130 })
})

test('an error of the program itself asks for a report and shows where it happened', () => {
  const { text, code } = failure(new TypeError('x is not a function'))
  expect(code).toBe(1)
  expect(text).toMatch(/unexpected error \(INTERNAL\)[\s\S]*TypeError: x is not a function\n\s+at /)
  expect(failure('a text')).toMatchObject({ code: 1, text: expect.stringContaining('a text') })
})

test('columns stand in line, and a long left one does not push the others away', () => {
  expect(columns([['a', 'one'], ['bbb', 'two'], ['c']])).toBe('  a    one\n  bbb  two\n  c')
  const [long = '', short = ''] = columns([
    ['x'.repeat(50), 'one'],
    ['y', 'two'],
  ]).split('\n')
  expect(long).toBe(`  ${'x'.repeat(50)}  one`)
  expect(short.indexOf('two')).toBe(38)
})
