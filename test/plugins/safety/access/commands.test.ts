/** The gate before commands, and `/whoami`. */
import { BeforeSlashCommand, type CommandSurface, type Conversation, type SlashCommand } from 'svc/sdk'
import { Commands, unreachablePerson } from 'svc/sdk/host'
import type { MessageOrigin } from 'svc/sdk/platform'
import { expect, test } from 'vitest'
import { house, person, type Street, street } from './houses.ts'

const command: SlashCommand = { name: 'stop', description: 'Stops', category: 'Session', run: async () => undefined }

function place(surface: CommandSurface, by?: MessageOrigin) {
  const conversation = {} as Conversation
  const signal = AbortSignal.timeout(60_000)
  return { sessionId: 's', surface, cwd: '/', signal, conversation, person: unreachablePerson, ...(by && { by }) }
}

async function verdict(here: Street, surface: CommandSurface, by?: MessageOrigin) {
  return here.kernel.call(BeforeSlashCommand, { command, args: '', at: place(surface, by) })
}

const settings = { allow_from: ['42'], allow_admin_from: ['1'] }

test('a command in a chat is for those who may run it, and a terminal is its owner’s', async () => {
  await using here = await street([house('chat', settings)])
  expect(await verdict(here, 'cli')).toBeUndefined()
  expect(await verdict(here, 'gateway', person('chat', '1'))).toBeUndefined()
  expect(await verdict(here, 'gateway', person('chat', '42'))).toMatchObject({
    decision: 'deny',
    by: ['access'],
    reason:
      '/stop is for those whom platforms.chat.allow_admin_from names, and platforms.chat.user_allowed_commands does not name it',
  })
  expect(await verdict(here, 'gateway', person('chat', '7'))).toMatchObject({ decision: 'deny' })
})

test('a command of no one is denied in a chat, and someone who is named is judged on every surface', async () => {
  await using here = await street([house('chat', settings)])
  expect(await verdict(here, 'gateway')).toMatchObject({
    decision: 'deny',
    by: ['access'],
    reason: 'it is not known who typed it',
  })
  expect(await verdict(here, 'cli', person('chat', '42'))).toMatchObject({ decision: 'deny' })
})

test('/whoami says the id, the platform, the role and the rule', async () => {
  await using here = await street([house('chat', settings)])
  const parsed = here.kernel.use(Commands).parse('/whoami', 'gateway')
  if (!parsed || 'unknown' in parsed) throw new Error('there is a command /whoami')
  const said = (by?: MessageOrigin) => parsed.command.run('', place('gateway', by))
  expect(await said(person('chat', '1'))).toBe(
    'Id: `1`\nPlatform: chat\nRole: admin (platforms.chat.allow_admin_from names 1)',
  )
  expect(await said(person('chat', '42'))).toContain('Role: user (platforms.chat.allow_from names 42)')
  expect(await said()).toBe('No person is named here.')
  const atTerminal = here.kernel.use(Commands).parse('/whoami', 'cli')
  if (!atTerminal || 'unknown' in atTerminal) throw new Error('there is no command /whoami at the terminal')
  expect(await atTerminal.command.run('', place('cli'))).toBe('You are the owner: this terminal may run every command.')
})
