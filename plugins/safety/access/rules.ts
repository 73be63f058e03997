/** The rules: who may write, and which commands they may run. Pure, so that all of it can be tried out in a table. */
import type { InboundMessage, MessageOrigin, PlatformSettings } from 'svc/sdk/platform'
import type { AccessAction, AccessDecision } from 'svc/sdk/safety'

/** Ids that one place names: a key of the configuration, or a variable of the environment. */
export interface IdList {
  /** For people: `platforms.telegram.allow_from`. */
  readonly source: string
  readonly ids: ReadonlySet<string>
}

/** All rules for a person of one platform. */
export interface Rules {
  readonly platform: string
  readonly isEvents: boolean
  readonly isSilent: boolean
  readonly settings: PlatformSettings
  /** Users who are allowed in every chat of the platform. */
  readonly users: readonly IdList[]
  readonly chats: readonly IdList[]
  readonly roles: readonly IdList[]
  /** Variables that let everybody in. */
  readonly everyone: readonly string[]
  /** Looks on the disk, so it is asked last. */
  isPaired(userId: string): boolean
  /** The name of the command that has this name or alias. */
  commandName(name: string): string
}

type Admission = Pick<AccessDecision, 'allow' | 'rule' | 'reply'>

/** Commands that everybody may run who may write. */
const FOR_ALL: ReadonlySet<string> = new Set(['help', 'whoami'])

export function judge(sender: MessageOrigin, action: AccessAction, rules: Rules): AccessDecision {
  if (rules.isEvents) return eventVerdict(action, rules)
  const admission = admit(sender, rules)
  if (!admission.allow) return { ...admission, role: 'stranger' }
  const { admins, commands } = commandRules(sender, rules)
  if (admins.ids.size === 0) return { ...admission, role: 'user' }
  const named = findNamingRule(sender.userId, [admins])
  if (named) return { allow: true, role: 'admin', rule: named }
  if (action.kind === 'message') return { ...admission, role: 'user' }
  const name = rules.commandName(action.name)
  if (FOR_ALL.has(name)) return { allow: true, role: 'user', rule: `everybody who may write may run /${name}` }
  if ([...commands.ids].some((each) => each === '*' || rules.commandName(each) === name))
    return { allow: true, role: 'user', rule: `${commands.source} names /${name}` }
  const rule = `/${name} is for those whom ${admins.source} names, and ${commands.source} does not name it`
  return { allow: false, role: 'user', rule, reply: 'no-command' }
}

/** What a machine sends was let in by a signature or a token; it is never a person who gives orders. */
function eventVerdict(action: AccessAction, { platform }: Rules): AccessDecision {
  if (action.kind === 'message')
    return {
      allow: true,
      role: 'event',
      rule: `${platform} brings events of machines that were let in by their own proof`,
    }
  return { allow: false, role: 'event', rule: 'events run no commands' }
}

/** Whether any person may write here at all. */
function admit(sender: MessageOrigin, rules: Rules): Admission {
  const { settings } = rules
  const block = `platforms.${rules.platform}`
  const isAlone = isDirect(sender)
  const policy = isAlone ? directPolicy(rules) : settings.group_policy
  const key = isAlone ? `${block}.dm_policy` : `${block}.group_policy`
  if (sender.userId.trim() === '') return createDenial('the platform does not say who wrote')
  if (settings.ignored_chats.includes(sender.chatId)) return createDenial(`${block}.ignored_chats names the chat`)
  if (policy === 'disabled') return createDenial(`${key} is disabled`)
  if (isUnwantedBot(sender, settings.allow_bots)) return createDenial(`${block}.allow_bots is ${settings.allow_bots}`)
  const rule = reasonToAdmit(sender, rules)
  if (rule !== undefined) return { allow: true, rule }
  const isOpen = policy === 'open'
  if (isOpen && settings.allow_all) return { allow: true, rule: `${key} is open` }
  if (rules.isPaired(sender.userId)) return { allow: true, rule: 'paired with a code' }
  if (isOpen) return createDenial(`${key} is open, but ${block}.allow_all does not say that everybody is meant`)
  const isOffered = isAlone && policy === 'pairing' && !rules.isSilent && sender.isBot !== true
  return { ...createDenial(`no rule of ${rules.platform} names ${sender.userId}`), ...(isOffered && { reply: 'pair' }) }
}

function createDenial(rule: string): Admission {
  return { allow: false, rule }
}

/** The rule that names the sender, their role or their chat, or means everybody. */
function reasonToAdmit(sender: MessageOrigin, rules: Rules): string | undefined {
  const { settings } = rules
  const { admins } = commandRules(sender, rules)
  const [everyone] = rules.everyone
  const inGroups = createIdList(rules.platform, 'group_allow_from', settings.group_allow_from)
  const users = [...rules.users, ...(isDirect(sender) ? [] : [inGroups])]
  return (
    findNamingRule(sender.userId, users) ??
    // That everybody is an admin does not mean that everybody may come in.
    findNamingRule(sender.userId, [{ ...admins, ids: withoutId(admins.ids, '*') }]) ??
    (sender.roleIds ?? [])
      .map((role) => findNamingRule(role, rules.roles, 'the role '))
      .find((rule) => rule !== undefined) ??
    (isDirect(sender) ? undefined : findNamingRule(sender.chatId, rules.chats, 'the chat ')) ??
    (everyone === undefined ? undefined : `${everyone} lets everybody in`)
  )
}

/** The words for the rule by which one of the lists has the id. Ids are compared whole, as the platform writes them. */
function findNamingRule(id: string, lists: readonly IdList[], what = ''): string | undefined {
  if (id.trim() === '') return undefined
  const list = lists.find(({ ids }) => ids.has(id) || ids.has('*'))
  if (!list) return undefined
  return list.ids.has(id) ? `${list.source} names ${what}${id}` : `${list.source} names everybody with *`
}

function isUnwantedBot(sender: MessageOrigin, allowed: PlatformSettings['allow_bots']): boolean {
  if (sender.isBot !== true || allowed === 'all') return false
  return allowed !== 'mentions' || !(isDirect(sender) || (sender as Partial<InboundMessage>).isMention === true)
}

/** A list of people means that strangers are not offered to pair. */
function directPolicy({ settings, users }: Rules): NonNullable<PlatformSettings['dm_policy']> {
  return settings.dm_policy ?? (users.some(({ ids }) => ids.size > 0) ? 'allowlist' : 'pairing')
}

function commandRules(sender: MessageOrigin, { platform, settings }: Rules): { admins: IdList; commands: IdList } {
  const [admins, commands] = isDirect(sender)
    ? (['allow_admin_from', 'user_allowed_commands'] as const)
    : (['group_allow_admin_from', 'group_user_allowed_commands'] as const)
  return {
    admins: createIdList(platform, admins, settings[admins]),
    commands: createIdList(platform, commands, settings[commands]),
  }
}

function isDirect({ chatKind = 'dm' }: MessageOrigin): boolean {
  return chatKind === 'dm'
}

/** Blank entries are ignored. */
export function createIdList(platform: string, key: keyof PlatformSettings, ids: readonly unknown[]): IdList {
  return { source: `platforms.${platform}.${key}`, ids: idSet(ids) }
}

export function idSet(ids: readonly unknown[]): ReadonlySet<string> {
  return new Set(ids.map((id) => String(id).trim()).filter((id) => id !== ''))
}

function withoutId(ids: ReadonlySet<string>, one: string): ReadonlySet<string> {
  return new Set([...ids].filter((id) => id !== one))
}
