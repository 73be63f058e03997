/** A shell command in a conversation. */
import { type CliCommand, type CommandContext, confirmCommand, SvcError } from 'svc/sdk'
import { runInConversation, splitWords, takeConfirmation } from 'svc/sdk/kit/commands'
import { fakePerson } from 'svc/sdk/testing'
import { expect, test } from 'vitest'

const bees: CliCommand = {
  name: 'bees',
  description: 'Keeps bees',
  subcommands: [
    {
      name: 'move',
      description: 'Moves a hive',
      arguments: '<hive> [place...]',
      options: [
        { flags: '--at <time>', description: 'When' },
        { flags: '--with <tool...>', description: 'Tools' },
        { flags: '--now', description: 'At once' },
      ],
      run: ({ args, options }) => JSON.stringify({ args, options }),
    },
    {
      name: 'burn',
      description: 'Burns a hive',
      run: async ({ options }, io) => {
        io.out('north\n')
        if (!(await confirmCommand(io, 'Burn it?', options))) return 1
        io.out('It burns.\n')
        return 0
      },
    },
    {
      name: 'lose',
      description: 'Fails',
      run: () => {
        throw new SvcError('BEES_GONE', 'They are gone.')
      },
    },
    { name: 'watch', description: 'Never ends', run: () => 0 },
  ],
}

function say(line: string, person = fakePerson()): Promise<string> {
  const at = { cwd: '/', signal: AbortSignal.timeout(10_000), person } as Partial<CommandContext> as CommandContext
  return runInConversation(bees, line, at, {
    ...{ only: ['move', 'burn', 'lose'], initial: 'move', aliases: { shift: 'move' } },
    prepare: (_, { args, options }) => ({ args, options: { by: 'ada', ...options } }),
  })
}

test('a line is read as a shell would read it', async () => {
  expect(splitWords(`a "b c" 'd "e' f`)).toEqual(['a', 'b c', 'd "e', 'f'])
  expect(JSON.parse(await say('shift north "the hill" --at 9 --with hook --with smoke --now'))).toEqual({
    args: ['north', 'the hill'],
    options: { by: 'ada', at: '9', with: ['hook', 'smoke'], now: true },
  })
  expect(await say('move')).toBe('move takes <hive> [place...].')
  expect(await say('move a --nonsense')).toBe('move has no option --nonsense.')
  expect(await say('move a --at')).toBe('--at takes a value.')
})

test('what it does not have is told with what it has, and an error is a text', async () => {
  for (const name of ['watch', 'constructor', 'fly'])
    expect(await say(name)).toBe('/bees knows: move, burn, lose. The rest is in a shell: svc bees --help')
  expect(await say('lose')).toBe('They are gone.')
})

test('a yes is asked of the person, with what was printed before; without a person it is refused', async () => {
  const willing = fakePerson({ confirm: true })
  expect(await say('burn', willing)).toBe('It burns.')
  expect(willing.asked).toEqual(['north\n\nBurn it?'])
  expect(await say('burn', fakePerson({ confirm: false }))).toBe('Nothing was changed.')
  expect(await say('burn')).toMatch(/^```\nnorth\nBurn it\?[\s\S]*--yes/)
})

test('a word that confirms is taken out of the arguments wherever it stands; other words stay as they were typed', () => {
  expect(takeConfirmation('3 NOW my file')).toEqual({ isConfirmed: true, rest: '3 my file' })
  expect(takeConfirmation('-y')).toEqual({ isConfirmed: true, rest: '' })
  expect(takeConfirmation('prune --yes 5')).toEqual({ isConfirmed: true, rest: 'prune 5' })
  expect(takeConfirmation(' know  nowhere --yesterday ')).toEqual({
    isConfirmed: false,
    rest: 'know  nowhere --yesterday',
  })
})
