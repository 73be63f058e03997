/** Stories of who comes in, and the rule that no configuration lets a stranger in by accident. */
import fc from 'fast-check'
import { Secrets, SlashCommands } from 'svc/sdk'
import type { MessageOrigin, PlatformSettings } from 'svc/sdk/platform'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { judge } from '../../../../plugins/safety/access/rules.ts'
import { readRules } from '../../../../plugins/safety/access/sources.ts'
import type { PairingStore } from '../../../../plugins/safety/access/store.ts'
import { house, MESSAGE, person, street } from './houses.ts'

test('a platform that no one knows lets no one in', async () => {
  await using here = await street([house('chat')])
  const verdict = here.access.judge(person('other', '42'), MESSAGE)
  expect(verdict).toEqual({ allow: false, role: 'stranger', rule: 'there is no platform other' })
})

test('settings that are broken deny instead of throwing', async () => {
  const broken = house('chat', { allow_from: undefined as never })
  await using here = await street([broken])
  expect(here.access.judge(person('chat', '42'), MESSAGE)).toMatchObject({ allow: false, role: 'stranger' })
  expect(here.access.judge(undefined as never, MESSAGE).allow).toBe(false)
  expect(here.access.requestPairing(person('chat', '42'))).toBeUndefined()
})

test('variables of the environment name users, chats and roles, and the verdict says which one did', async () => {
  const access = { users: 'CHAT_ALLOWED_USERS', chats: 'CHAT_CHATS', roles: 'CHAT_ROLES', everyone: 'CHAT_ALL' }
  const env = { CHAT_ALLOWED_USERS: ' 42 , 43,', CHAT_CHATS: '-100', CHAT_ROLES: 'r1', CHAT_ALL: 'false' }
  await using here = await street([house('chat', {}, { access })], { env })
  const said = (userId: string, more: Partial<MessageOrigin> = {}) => {
    const { allow, rule } = here.access.judge(person('chat', userId, more), MESSAGE)
    return `${allow ? 'yes' : 'no'}: ${rule}`
  }
  expect(said('43')).toBe('yes: CHAT_ALLOWED_USERS names 43')
  expect(said('4')).toBe('no: no rule of chat names 4')
  expect(said('7', { chatId: '-100', chatKind: 'group' })).toBe('yes: CHAT_CHATS names the chat -100')
  expect(said('7', { chatId: '-100' })).toBe('no: no rule of chat names 7')
  expect(said('7', { roleIds: ['r0', 'r1'] })).toBe('yes: CHAT_ROLES names the role r1')
})

test('a list in the environment is a list: strangers are no longer offered to pair', async () => {
  const houses = [house('chat'), house('mail', {}, { isSilent: true })]
  await using open = await street(houses)
  expect(open.access.judge(person('chat', '7'), MESSAGE).reply).toBe('pair')
  expect(open.access.judge(person('mail', '7'), MESSAGE).reply).toBeUndefined()
  await using listed = await street(houses, { env: { GATEWAY_ALLOWED_USERS: '42' } })
  expect(listed.access.judge(person('chat', '7'), MESSAGE).reply).toBeUndefined()
})

test('an id that is shared by all platforms can be tied to one', async () => {
  const env = { GATEWAY_ALLOWED_USERS: 'chat:42, 77, @ada:example.org' }
  await using here = await street([house('chat'), house('mail')], { env })
  const isIn = (platform: string, userId: string) => here.access.judge(person(platform, userId), MESSAGE).allow
  expect([isIn('chat', '42'), isIn('mail', '42'), isIn('mail', 'chat:42')]).toEqual([true, false, false])
  expect([isIn('chat', '77'), isIn('mail', '77'), isIn('mail', '@ada:example.org')]).toEqual([true, true, true])
})

test('only a truthy value lets everybody in', async () => {
  for (const [value, isIn] of [
    ['true', true],
    ['1', true],
    [' YES ', true],
    ['0', false],
    ['nobody', false],
  ] as const) {
    await using here = await street([house('chat')], { env: { GATEWAY_ALLOW_ALL_USERS: value } })
    expect([value, here.access.judge(person('chat', '42'), MESSAGE).allow]).toEqual([value, isIn])
  }
})

test('another program is let in where it addresses the agent, when that is allowed and it is named', async () => {
  const settings = { allow_bots: 'mentions', allow_from: ['robot'] } as const
  await using here = await street([house('chat', settings)])
  const inGroup = { chatKind: 'group', isBot: true } as const
  const isIn = (sender: object) => here.access.judge(sender as MessageOrigin, MESSAGE).allow
  expect(isIn(person('chat', 'robot', inGroup))).toBe(false)
  expect(isIn({ ...person('chat', 'robot', inGroup), isMention: true })).toBe(true)
  expect(isIn({ ...person('chat', 'robot2', inGroup), isMention: true })).toBe(false)
})

test('policies that are open by accident are named before anything is connected', async () => {
  const open = { dm_policy: 'open', group_policy: 'open' } as const
  const houses = [
    house('chat', open),
    house('meant', { ...open, allow_all: true }),
    house('off', { ...open, enabled: false }),
    house('hooks', open, { isEvents: true }),
    house('said', open, { access: { everyone: 'SAID_ALLOW_ALL_USERS' } }),
    house('half', { group_policy: 'open' }),
  ]
  await using here = await street(houses, { env: { SAID_ALLOW_ALL_USERS: 'true' } })
  expect(here.access.openDoors()).toEqual([
    'platforms.chat.dm_policy is open; when everybody is meant, set platforms.chat.allow_all to true',
    'platforms.chat.group_policy is open; when everybody is meant, set platforms.chat.allow_all to true',
    'platforms.half.group_policy is open; when everybody is meant, set platforms.half.allow_all to true',
  ])
})

test('a command is the same under its alias, with a slash and as the menu of a platform writes it', async () => {
  const settings = { allow_from: ['42'], allow_admin_from: ['1'], user_allowed_commands: ['/Bg', 'reload_all'] }
  const command = { description: '', category: 'Info', run: async () => undefined }
  await using kernel = await testKernel({
    plugins: ['access'],
    with: [
      {
        name: 'commands',
        contributes: { 'slash-commands': ['background', 'reload-all', 'stop'] },
        setup(ctx) {
          ctx.add(SlashCommands, { ...command, name: 'background', aliases: ['bg'] })
          ctx.add(SlashCommands, { ...command, name: 'reload-all' })
          ctx.add(SlashCommands, { ...command, name: 'stop', aliases: ['halt'] })
        },
      },
    ],
  })
  const all = { get: () => house('chat', settings), all: () => [], owner: () => undefined, onChange: () => () => {} }
  const rules = readRules({ use: kernel.use, all: () => all as never }, nobody, 'chat')
  if (!rules) throw new Error('the platform has rules')
  const may = (name: string) => judge(person('chat', '42'), { kind: 'command', name }, rules).allow
  expect(['background', 'bg', 'BG', '/bg', 'reload-all', 'reload_all'].filter((name) => !may(name))).toEqual([])
  expect(['stop', 'halt', 'background2', 'back'].filter(may)).toEqual([])
})

/** No one was let in with a code. */
const nobody = { isPaired: () => false } as unknown as PairingStore

const ids = fc.constantFrom('42', '4', '421', 'Ada', 'ada', ' 42', '@42', '42\n', '', ' ', 'x:42', 'chat:42')
const idLists = fc.array(ids, { maxLength: 3 })
const settings = fc.record(
  {
    allow_from: idLists,
    group_allow_from: idLists,
    allow_chats: idLists,
    allow_admin_from: fc.array(fc.oneof(ids, fc.constant('*')), { maxLength: 2 }),
    group_allow_admin_from: fc.array(fc.oneof(ids, fc.constant('*')), { maxLength: 2 }),
    user_allowed_commands: fc.constantFrom([], ['*'], ['status']),
    dm_policy: fc.constantFrom('pairing', 'allowlist', 'open', 'disabled'),
    group_policy: fc.constantFrom('allowlist', 'open', 'disabled'),
    allow_all: fc.boolean(),
    allow_bots: fc.constantFrom('none', 'mentions', 'all'),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Partial<PlatformSettings>>
const senders = fc.record(
  {
    platform: fc.constant('chat'),
    userId: ids,
    chatId: fc.constantFrom('42', '-100', 'Ada'),
    chatKind: fc.constantFrom('dm', 'group', 'channel'),
    roleIds: fc.array(ids, { maxLength: 2 }),
    isBot: fc.boolean(),
    userName: ids,
    chatName: ids,
    isMention: fc.boolean(),
  },
  { requiredKeys: ['platform', 'userId', 'chatId'] },
) as fc.Arbitrary<MessageOrigin>
const variables = fc.record({
  CHAT_USERS: idLists.map(String),
  CHAT_CHATS: idLists.map(String),
  CHAT_ROLES: idLists.map(String),
  GATEWAY_ALLOWED_USERS: idLists.map(String),
  CHAT_ALL: fc.constantFrom('', 'no', 'true'),
})

test('no configuration lets a stranger in unless a rule names them or says that everybody is meant', async () => {
  await using kernel = await testKernel({ plugins: ['access'] })
  const access = { users: 'CHAT_USERS', chats: 'CHAT_CHATS', roles: 'CHAT_ROLES', everyone: 'CHAT_ALL' }
  fc.assert(
    fc.property(settings, variables, senders, (given, env, sender) => {
      const platform = house('chat', given, { access })
      const secrets = { get: (name: string) => (env as Readonly<Record<string, string>>)[name] }
      const point = { get: () => platform, all: () => [platform], owner: () => undefined, onChange: () => () => {} }
      const use = (token: { readonly id: string }) => (token.id === Secrets.id ? secrets : kernel.use(token as never))
      const rules = readRules({ use: use as never, all: () => point as never }, nobody, 'chat')
      if (!rules) throw new Error('the platform has rules')
      const message = judge(sender, MESSAGE, rules)
      const command = judge(sender, { kind: 'command', name: 'stop' }, rules)
      if (message.allow) expect(isMeant(sender, given, env)).toBe(true)
      // Who may not write may not command either, and only an admin commands where there are admins.
      if (command.allow) expect(message.allow).toBe(true)
      if (!message.allow) expect(message.role).toBe('stranger')
    }),
    { numRuns: 3000 },
  )
})

/** Written from the contract, without a look at the code: is there any reason at all to let the sender in? */
function isMeant(
  sender: MessageOrigin,
  given: Partial<PlatformSettings>,
  env: Readonly<Record<string, string>>,
): boolean {
  const has = (list: readonly string[] | string | undefined, id: string) =>
    (typeof list === 'string' ? list.split(',') : (list ?? [])).some((each) => each.trim() === id && id !== '')
  const { userId, chatId, chatKind = 'dm', roleIds = [], isBot = false } = sender
  const isDm = chatKind === 'dm'
  const policy = isDm ? given.dm_policy : given.group_policy
  if (policy === 'disabled' || userId.trim() === '') return false
  if (isBot && (given.allow_bots ?? 'none') === 'none') return false
  const named = [given.allow_from, env['CHAT_USERS'], isDm ? given.allow_admin_from : given.group_allow_admin_from]
  if (!isDm) named.push(given.group_allow_from)
  return (
    named.some((list) => has(list, userId)) ||
    has(env['GATEWAY_ALLOWED_USERS'], userId) ||
    has(env['GATEWAY_ALLOWED_USERS'], `chat:${userId}`) ||
    roleIds.some((role) => has(env['CHAT_ROLES'], role)) ||
    (!isDm && (has(given.allow_chats, chatId) || has(env['CHAT_CHATS'], chatId))) ||
    (policy === 'open' && given.allow_all === true) ||
    env['CHAT_ALL'] === 'true'
  )
}
