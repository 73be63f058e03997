import { type CommandSurface, type SlashCommand, SlashCommands } from 'svc/sdk'
import { CommandProviders, Commands } from 'svc/sdk/host'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { Points } from '../../kernel/points.ts'
import { CommandTable } from '../../program/commands.ts'
import { createOwner } from '../support/owners.ts'

function command(name: string, more: Partial<SlashCommand> = {}): SlashCommand {
  return { name, description: `does ${name}`, category: 'Session', run: async () => undefined, ...more }
}

function createTable(...commands: SlashCommand[]): CommandTable {
  const points = new Points()
  for (const each of commands) points.add(SlashCommands, each, createOwner('plugin'))
  return new CommandTable(
    points.view(SlashCommands, createOwner('viewer')),
    points.view(CommandProviders, createOwner('viewer')),
  )
}

const table = createTable(
  command('new', { aliases: ['reset', 'clear'] }),
  command('model', { argsHint: '[name]', category: 'Settings' }),
  command('quit', { surfaces: ['cli'] }),
  command('approve', { surfaces: ['gateway'] }),
)

test('a line is a command with its arguments, whatever blanks and letters it is typed with', () => {
  for (const line of ['/model gpt 5', '  /MODEL   gpt 5  ', '/model\tgpt 5', '/model\ngpt 5'])
    expect(table.parse(line, 'cli')).toMatchObject({ command: { name: 'model' }, args: 'gpt 5' })
  expect(table.parse('/new', 'cli')).toMatchObject({ command: { name: 'new' }, args: '' })
})

test('arguments keep their lines and inner blanks', () => {
  expect(table.parse('/model a  b\n  c', 'cli')).toMatchObject({ args: 'a  b\n  c' })
})

test('a command answers to its aliases', () => {
  expect(table.parse('/clear', 'gateway')).toMatchObject({ command: { name: 'new' } })
})

test.for(['hello', '', '/', '//', '/usr/bin/env', '/etc/hosts is odd', '/ model', '1/2', 'see /model', '/-x', '/3d'])(
  'ordinary text is no command: %j',
  (line) => {
    expect(table.parse(line, 'cli')).toBeUndefined()
  },
)

test('a mistyped command is said to be unknown, with the nearest name when there is one', () => {
  expect(table.parse('/modle x', 'cli')).toEqual({ unknown: 'modle', nearest: 'model' })
  expect(table.parse('/rest', 'cli')).toEqual({ unknown: 'rest', nearest: 'reset' })
  expect(table.parse('/absolutely', 'cli')).toEqual({ unknown: 'absolutely' })
})

test('a command exists only where it is meant to be typed', () => {
  expect(table.parse('/quit', 'gateway')).toMatchObject({ unknown: 'quit' })
  expect(table.parse('/approve', 'cli')).toMatchObject({ unknown: 'approve' })
  const names = (surface: CommandSurface) => table.on(surface).map(({ name }) => name)
  expect(names('cli')).toEqual(['new', 'model', 'quit'])
  expect(names('gateway')).toEqual(['new', 'model', 'approve'])
})

test('completion offers names and aliases that begin with what was typed, with or without the slash', () => {
  expect(table.complete('/re', 'cli')).toEqual(['/reset'])
  expect(table.complete('N', 'cli')).toEqual(['/new'])
  expect(table.complete('/', 'cli')).toEqual(['/clear', '/model', '/new', '/quit', '/reset'])
  expect(table.complete('/x', 'cli')).toEqual([])
})

test('a beginning that only one command has is enough; an underscore is as good as a hyphen', () => {
  const some = createTable(command('reload-skills'), command('reload-tools'), command('status'))
  expect(some.parse('/stat now', 'cli')).toMatchObject({ command: { name: 'status' }, args: 'now' })
  expect(some.parse('/reload_skills', 'cli')).toMatchObject({ command: { name: 'reload-skills' } })
  expect(some.parse('/reload', 'cli')).toMatchObject({ unknown: 'reload' })
})

test('commands of sources come and go, and never stand in for one that a plugin owns', () => {
  const points = new Points()
  points.add(SlashCommands, command('new'), createOwner('plugin'))
  let skills = [command('new', { description: 'not this' }), command('poem')]
  points.add(CommandProviders, { name: 'skills', commands: () => skills }, createOwner('skills'))
  const viewer = createOwner('viewer')
  const some = new CommandTable(points.view(SlashCommands, viewer), points.view(CommandProviders, viewer))
  expect(some.on('cli').map(({ description }) => description)).toEqual(['does new', 'does poem'])
  expect(some.parse('/poem', 'cli')).toMatchObject({ command: { name: 'poem' } })
  skills = []
  expect(some.parse('/poem', 'cli')).toMatchObject({ unknown: 'poem' })
})

test('the menu of a chat platform has names that it takes, as many as it takes', () => {
  const some = createTable(
    command('reload-skills', { subcommands: ['now'] }),
    command('a-name-that-is-much-too-long-for-a-menu'),
    command('quit', { surfaces: ['cli'] }),
    command('new', { description: 'x'.repeat(300) }),
    command('last'),
  )
  const limits = { count: 2, nameLength: 32, descriptionLength: 256, hyphens: false }
  expect(some.menu('gateway', limits)).toEqual([
    { name: 'reload_skills', description: 'does reload-skills', subcommands: ['now'] },
    { name: 'new', description: 'x'.repeat(256), subcommands: [] },
  ])
  expect(some.parse(`/${some.menu('gateway', limits)[0]?.name}`, 'gateway')).toMatchObject({
    command: { name: 'reload-skills' },
  })
})

test('a name that two plugins want is an error that names both', () => {
  const points = new Points()
  points.add(SlashCommands, command('new'), createOwner('first'))
  expect(() => points.add(SlashCommands, command('other', { aliases: ['new'] }), createOwner('second'))).toThrow(
    /new.*first/,
  )
})

test('a plugin whose command takes the name of another is not loaded, and both are named', async () => {
  await using kernel = await testKernel({
    with: [
      { name: 'first', setup: (ctx) => void ctx.add(SlashCommands, command('new')) },
      { name: 'second', setup: (ctx) => void ctx.add(SlashCommands, command('fresh', { aliases: ['new'] })) },
    ],
  })
  expect(kernel.plugins.info('second')?.reason).toContain('second adds "new" to slash-commands, but first already did')
  expect(kernel.use(Commands).parse('/fresh', 'cli')).toMatchObject({ unknown: 'fresh' })
  await kernel.plugins.disable('first')
  expect(kernel.use(Commands).on('cli')).toEqual([])
})
