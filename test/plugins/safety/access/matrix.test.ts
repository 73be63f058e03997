/** Every command, everybody, everywhere: verdicts against a table that was written by hand. */
import type { ChatType, MessageOrigin, PlatformSettings } from 'svc/sdk/platform'
import type { AccessAction, AccessDecision } from 'svc/sdk/safety'
import { expect, test } from 'vitest'
import { manifests, read } from '../../../support/repository.ts'
import { house, MESSAGE, person, street } from './houses.ts'

const people = ['stranger', 'user', 'admin', 'paired', 'bot', 'nobody'] as const
type Person = (typeof people)[number]

/** What someone may do; of commands: none, `/help` and `/whoami`, these and the named one, or all. */
const rights = { '-': 'nothing', e: 'write', l: 'write, named commands', a: 'everything' } as const
type Right = keyof typeof rights

const lists: Partial<PlatformSettings> = {
  allow_from: ['user', 'bot'],
  allow_admin_from: ['admin'],
  group_allow_admin_from: ['admin'],
  user_allowed_commands: ['status'],
  group_user_allowed_commands: ['/Status'],
}

interface Row {
  readonly said: string
  readonly settings: Partial<PlatformSettings>
  /** In the order of `people`. */
  readonly dm: string
  readonly group: string
  /** Strangers who write alone are offered a code. */
  readonly offers?: true
}

/** By hand: this is the contract, the code has to come to the same. */
const table: Readonly<Record<string, Row>> = {
  untouched: { said: 'nothing is set', settings: {}, dm: '---a--', group: '---a--', offers: true },
  listed: { said: 'users and admins are named', settings: lists, dm: '-lal--', group: '-lal--' },
  pairing: {
    said: 'the same, `dm_policy: pairing`',
    settings: { ...lists, dm_policy: 'pairing' },
    dm: '-lal--',
    group: '-lal--',
    offers: true,
  },
  equals: {
    said: 'all are users, nobody is an admin',
    settings: { allow_from: ['user', 'admin', 'bot'] },
    dm: '-aaa--',
    group: '-aaa--',
  },
  grouponly: {
    said: 'users are named in `group_allow_from`',
    settings: { ...lists, allow_from: [], group_allow_from: ['user'] },
    dm: '--al--',
    group: '-lal--',
    offers: true,
  },
  ajar: {
    said: 'the policies are `open`, without `allow_all`',
    settings: { ...lists, dm_policy: 'open', group_policy: 'open' },
    dm: '-lal--',
    group: '-lal--',
  },
  open: {
    said: 'the policies are `open`, with `allow_all`',
    settings: { ...lists, dm_policy: 'open', group_policy: 'open', allow_all: true },
    dm: 'llal--',
    group: 'llal--',
  },
  unused: {
    said: '`allow_all` without `open`',
    settings: { ...lists, allow_all: true },
    dm: '-lal--',
    group: '-lal--',
  },
  everybody: { said: '`allow_from: ["*"]`', settings: { ...lists, allow_from: ['*'] }, dm: 'llal--', group: 'llal--' },
  alladmins: {
    said: '`allow_admin_from: ["*"]`',
    settings: { ...lists, allow_admin_from: ['*'], group_allow_admin_from: ['*'] },
    dm: '-a-a--',
    group: '-a-a--',
  },
  rooms: {
    said: '`allow_chats` names the group',
    settings: { ...lists, allow_from: [], allow_chats: ['the-chat'] },
    dm: '--al--',
    group: 'llal--',
    offers: true,
  },
  bots: { said: '`allow_bots: all`', settings: { ...lists, allow_bots: 'all' }, dm: '-lall-', group: '-lall-' },
  ignored: {
    said: 'the chat is ignored',
    settings: { ...lists, ignored_chats: ['the-chat'] },
    dm: '------',
    group: '------',
  },
  shut: {
    said: 'the policies are `disabled`',
    settings: { ...lists, dm_policy: 'disabled', group_policy: 'disabled' },
    dm: '------',
    group: '------',
  },
}
const places = ['dm', 'group', 'channel'] as const satisfies readonly ChatType[]

/** Of the manifests, so that a new command is in the matrix by itself. */
const commands = manifests()
  .flatMap(({ contributes }) => contributes?.['slash-commands'] ?? [])
  .concat('a-skill')

function sender(platform: string, who: Person, chatKind: ChatType): MessageOrigin {
  const userId = who === 'nobody' ? '' : who
  return person(platform, userId, { chatId: 'the-chat', chatKind, ...(who === 'bot' && { isBot: true }) })
}

/** The right that the code gives: of one message and of every command. */
function findRight(judge: (action: AccessAction) => AccessDecision): Right | string {
  const writes = judge(MESSAGE).allow
  const allowed = commands.filter((name) => judge({ kind: 'command', name }).allow)
  if (!writes) return allowed.length ? `no message, but ${allowed}` : '-'
  if (allowed.length === commands.length) return 'a'
  if (!allowed.length) return 'e'
  const isListed = [...allowed].sort().join() === 'help,status,whoami'
  return isListed ? 'l' : `commands: ${allowed}`
}

test('there are commands to try, and those that answer an approval are among them', () => {
  expect(commands).toEqual(expect.arrayContaining(['help', 'whoami', 'status', 'approve', 'deny', 'yolo', 'new']))
})

test('every command for everybody in every place comes out as the table says', async () => {
  // Let in while the platform was untouched.
  const houses = Object.keys(table).map((name) => house(name))
  await using here = await street(houses)
  const { access } = here
  for (const { name } of houses) access.approve(name, access.requestPairing(person(name, 'paired'))?.code ?? '')
  for (const each of houses) Object.assign(each.settings ?? {}, house(each.name, table[each.name]?.settings).settings)
  for (const [name, row] of Object.entries(table))
    for (const place of places) {
      const came = people.map((who) => findRight((action) => access.judge(sender(name, who, place), action)))
      expect({ name, place, came: came.join('') }).toEqual({
        name,
        place,
        came: row[place === 'dm' ? 'dm' : 'group'],
      })
      const { reply } = access.judge(sender(name, 'stranger', place), MESSAGE)
      expect({ name, place, reply }).toEqual({ name, place, reply: place === 'dm' && row.offers ? 'pair' : undefined })
    }
})

test('events of machines are messages and reach no command, whatever the settings say', async () => {
  const settings = { ...lists, allow_from: ['*'], allow_admin_from: ['*'], allow_all: true, dm_policy: 'open' } as const
  await using here = await street([
    house('hooks', settings, { isEvents: true }),
    house('plain', {}, { isEvents: true }),
  ])
  for (const platform of ['hooks', 'plain'])
    for (const place of places)
      for (const who of people) {
        const judge = (action: AccessAction) => here.access.judge(sender(platform, who, place), action)
        expect(findRight(judge)).toBe('e')
        expect(judge(MESSAGE).role).toBe('event')
      }
})

test('the table in the README is this one', () => {
  const header = `| Settings | Place | ${people.join(' | ')} |\n|${' --- |'.repeat(people.length + 2)}`
  const lines = Object.values(table).flatMap(({ said, dm, group }) =>
    dm === group ? [line(said, 'anywhere', dm)] : [line(said, 'alone', dm), line(said, 'in groups', group)],
  )
  const events = `| a platform of events | anywhere |${' write |'.repeat(people.length)}`
  expect(read('plugins/safety/access/README.md')).toContain([header, ...lines, events].join('\n'))
})

function line(said: string, place: string, row: string): string {
  return `| ${[said, place, ...[...row].map((right) => rights[right as Right])].join(' | ')} |`
}
