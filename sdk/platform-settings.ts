/** The keys that the config block of every platform has in addition to its own. */
import type { Schema, SchemaIssue, SchemaResult } from './schema.ts'

/** When a conversation is reset automatically. @since 0.1 */
export interface SessionReset {
  readonly mode: 'none' | 'daily' | 'idle' | 'both'
  /** The hour of the day, 0 to 23. */
  readonly at_hour: number
  readonly idle_minutes: number
}

/** The shared keys. @since 0.1 */
export interface PlatformSettings {
  /** Left out: connected when it is configured. */
  readonly enabled?: boolean
  /** Ids of users who may write, everywhere or in groups only; `*` is everybody. */
  readonly allow_from: readonly string[]
  readonly group_allow_from: readonly string[]
  /** Ids of groups, channels or rooms where everybody may write. */
  readonly allow_chats: readonly string[]
  /** Users who may run every command; without any, everybody who may write may. */
  readonly allow_admin_from: readonly string[]
  readonly group_allow_admin_from: readonly string[]
  /** Commands of the others, when there are admins. */
  readonly user_allowed_commands: readonly string[]
  readonly group_user_allowed_commands: readonly string[]
  /** `open` lets everybody in and needs `allow_all`. Left out: `pairing` without `allow_from`, else `allowlist`. */
  readonly dm_policy?: 'pairing' | 'allowlist' | 'open' | 'disabled'
  readonly group_policy: 'allowlist' | 'open' | 'disabled'
  /** Says that everybody may be let in. */
  readonly allow_all: boolean
  readonly allow_bots: 'none' | 'mentions' | 'all'
  /** In groups only what addresses the agent is answered. */
  readonly require_mention: boolean
  /** Also in threads in which it was addressed before, only what addresses the agent is answered. */
  readonly strict_mention: boolean
  /** What people who may write say in groups to others is given along with the next message to the agent, as data. */
  readonly observe_unmentioned: boolean
  /** So many messages before one that addresses the agent are read from the history of its group, where the platform can. */
  readonly history_backfill: number
  readonly free_response_chats: readonly string[]
  /** Regular expressions that count as addressing the agent. */
  readonly mention_patterns: readonly string[]
  readonly reply_to_mode: 'off' | 'first' | 'all'
  /** Chats that are not answered. */
  readonly ignored_chats: readonly string[]
  /** Where messages go when only the platform is named: a chat id, or `chat:thread`. */
  readonly home_channel: string
  /** Edits a message while it is written, where the platform can. */
  readonly streaming: boolean
  readonly typing_indicator: boolean
  /** Marks a message with an emoji while it is worked on and once it is done, where the platform can. */
  readonly reactions: boolean
  /** Whether everybody in a group has a conversation alone, and everybody in a thread. */
  readonly group_sessions_per_user: boolean
  readonly thread_sessions_per_user: boolean
  /** Takes files of every kind, not only of known ones. */
  readonly allow_any_attachment: boolean
  /** In bytes; 0: no limit. */
  readonly max_attachment_bytes: number
  /** Left out: `gateway.session_reset`. */
  readonly session_reset?: Partial<SessionReset>
  /** By chat id: another model, words of the owner behind the system prompt, and another value of `observe_unmentioned`. */
  readonly channels: Readonly<
    Record<
      string,
      {
        readonly provider?: string
        readonly model?: string
        readonly prompt?: string
        readonly observe_unmentioned?: boolean
      }
    >
  >
}

/** The defaults. @since 0.2 */
export const platformSettingDefaults: PlatformSettings = {
  allow_from: [],
  group_allow_from: [],
  allow_chats: [],
  allow_admin_from: [],
  group_allow_admin_from: [],
  user_allowed_commands: [],
  group_user_allowed_commands: [],
  group_policy: 'allowlist',
  allow_all: false,
  allow_bots: 'none',
  require_mention: true,
  strict_mention: false,
  observe_unmentioned: false,
  history_backfill: 0,
  free_response_chats: [],
  mention_patterns: [],
  reply_to_mode: 'first',
  ignored_chats: [],
  home_channel: '',
  streaming: true,
  typing_indicator: true,
  reactions: false,
  group_sessions_per_user: true,
  thread_sessions_per_user: false,
  allow_any_attachment: false,
  max_attachment_bytes: 33_554_432,
  channels: {},
}

/** JSON Schema of one key. */
type Kind = Readonly<Record<string, unknown>>
const ids = (description: string): Kind => ({ type: 'array', items: { type: ['string', 'number'] }, description })
const flag = (description: string): Kind => ({ type: 'boolean', description })
const text = (description: string): Kind => ({ type: 'string', description })
const word = (description: string, ...values: string[]): Kind => ({ type: 'string', enum: values, description })

const kinds: Readonly<Record<keyof PlatformSettings, Kind>> = {
  enabled: flag('Whether it is connected; left out: when it is configured.'),
  allow_from: ids('Ids of users who may write; `*` is everybody.'),
  group_allow_from: ids('Ids of users who may write in groups.'),
  allow_chats: ids('Ids of groups, channels or rooms in which everybody may write.'),
  allow_admin_from: ids('Users who may run every command. Without any, everybody who may write may.'),
  group_allow_admin_from: ids('The same in groups.'),
  user_allowed_commands: ids('Commands of all others, when there are admins.'),
  group_user_allowed_commands: ids('The same in groups.'),
  dm_policy: word('Who may write alone with the agent.', 'pairing', 'allowlist', 'open', 'disabled'),
  group_policy: word('Who may write in groups.', 'allowlist', 'open', 'disabled'),
  allow_all: flag('Says that `open` is meant: everybody may use the agent, its tools and your money.'),
  allow_bots: word('Whether other programs are answered.', 'none', 'mentions', 'all'),
  require_mention: flag('In groups only what addresses the agent is answered.'),
  strict_mention: flag('Also in threads in which it was addressed before, only what addresses the agent is answered.'),
  observe_unmentioned: flag('Gives the agent along with a message what was said in the group before and not to it.'),
  history_backfill: {
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description:
      'Messages of a group that are read from its history when the agent is addressed, where the platform can.',
  },
  free_response_chats: ids('Chats in which nothing has to address it.'),
  mention_patterns: ids('Regular expressions that count as addressing the agent.'),
  reply_to_mode: word('Which messages of an answer are marked as a reply.', 'off', 'first', 'all'),
  ignored_chats: ids('Chats that are not answered.'),
  home_channel: { type: ['string', 'number'], description: 'The chat for messages that name only the platform.' },
  streaming: flag('Edits a message while it is written, where the platform can.'),
  typing_indicator: flag('Shows that an answer is being written.'),
  reactions: flag('Marks messages with an emoji: while they are worked on, when done, when failed.'),
  group_sessions_per_user: flag('Everybody in a group has a conversation alone.'),
  thread_sessions_per_user: flag('Everybody in a thread has a conversation alone.'),
  allow_any_attachment: flag('Takes files of every kind, not only of known ones.'),
  max_attachment_bytes: { type: 'integer', minimum: 0, description: 'Largest file that is taken; 0: no limit.' },
  session_reset: {
    type: 'object',
    properties: {
      mode: word('Never, once a day, after a pause, or both.', 'none', 'daily', 'idle', 'both'),
      at_hour: { type: ['integer', 'null'], minimum: 0, maximum: 23, description: 'The hour of the day for `daily`.' },
      idle_minutes: { type: 'integer', minimum: 1, description: 'The pause for `idle`.' },
    },
    description: 'When a conversation is reset automatically. Left out: the value of gateway.session_reset.',
  },
  channels: {
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: {
        provider: text('The provider of this chat.'),
        model: text('Its model.'),
        prompt: text('Words of yours behind the system prompt.'),
        observe_unmentioned: flag('Another value of `observe_unmentioned` for this chat.'),
      },
    },
    description: 'By chat id: another provider or model, a system prompt, and whether the chat is observed.',
  },
}

/**
 * The schema of a platform's whole block: its own keys, checked by `own`, and the shared ones, with `defaults` in the place
 * of those of all platforms. The value has both.
 * @since 0.2
 */
export function platformConfigSchema<Own extends object>(
  own: Schema<Own>,
  defaults: Partial<PlatformSettings> = {},
): Schema<Own & PlatformSettings> {
  const base = { ...platformSettingDefaults, ...defaults }
  return {
    '~standard': {
      version: 1,
      vendor: 'svc',
      validate: async (value) => merge(await own['~standard'].validate(ownPart(value)), sharedPart(value), base),
      jsonSchema: { input: (options) => withShared(own['~standard'].jsonSchema?.input(options), base) },
    },
  }
}

function ownPart(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value ?? {}
  return Object.fromEntries(Object.entries(value).filter(([key]) => !(key in kinds)))
}

function sharedPart(value: unknown): readonly (readonly [string, unknown])[] {
  const all = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return all.filter(([key, each]) => key in kinds && each !== null && each !== undefined)
}

function merge<Own extends object>(
  own: SchemaResult<Own>,
  given: readonly (readonly [string, unknown])[],
  base: PlatformSettings,
): SchemaResult<Own & PlatformSettings> {
  const issues: SchemaIssue[] = [...(own.issues ?? [])]
  const shared = Object.fromEntries(
    given.map(([key, value]) => [key, read(value, kinds[key as keyof PlatformSettings], [key], issues)]),
  )
  if (own.issues || issues.length > 0) return { issues }
  return { value: { ...base, ...shared, ...own.value } as Own & PlatformSettings }
}

/** Numbers stand for texts where ids are wanted: YAML reads them so. */
function read(value: unknown, kind: Kind, path: readonly string[], issues: SchemaIssue[]): unknown {
  const types = [kind['type']].flat()
  if (types[0] === 'array') {
    const list = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : [value]
    return list.map((each, at) => read(each, kind['items'] as Kind, [...path, String(at)], issues))
  }
  const wrong = problem(value, kind, types)
  if (wrong) issues.push({ message: wrong, path })
  else if (types[0] === 'object') return readInside(value as object, kind, path, issues)
  if (types.includes('string') && typeof value === 'number') return String(value)
  return typeof value === 'string' ? value.trim() : value
}

/** Checks each key of an object by its own kind, or by the common kind. A key without a kind is a typo. */
function readInside(value: object, kind: Kind, path: readonly string[], issues: SchemaIssue[]): unknown {
  const known = (kind['properties'] ?? {}) as Readonly<Record<string, Kind>>
  const entries = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    const of = Object.hasOwn(known, key) ? known[key] : (kind['additionalProperties'] as Kind | undefined)
    if (!of)
      issues.push({ message: `"${key}" is not a key; expected ${Object.keys(known).join(', ')}`, path: [...path, key] })
    // An empty value is as good as none, as it is for the keys of the block itself.
    if (!of || inner === undefined || (inner === null && ![of['type']].flat().includes('null'))) return []
    return [[key, read(inner, of, [...path, key], issues)]]
  })
  return Object.fromEntries(entries)
}

function problem(value: unknown, kind: Kind, types: readonly unknown[]): string | undefined {
  const is = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  const fits = types.includes(is) || (is === 'number' && types.includes('integer') && Number.isInteger(value))
  if (!fits) return `Expected ${types.join(' or ')}, received ${is}`
  const values = kind['enum'] as readonly unknown[] | undefined
  if (values && !values.includes(value)) return `Expected one of ${values.join(', ')}`
  const { minimum = -Infinity, maximum = Infinity } = kind as { minimum?: number; maximum?: number }
  if (typeof value !== 'number' || (value >= minimum && value <= maximum)) return undefined
  return value < minimum ? `Expected at least ${minimum}` : `Expected at most ${maximum}`
}

function withShared(own: Record<string, unknown> | undefined, base: PlatformSettings): Record<string, unknown> {
  const shared = Object.entries(kinds).map(([key, kind]) => {
    const standard = base[key as keyof PlatformSettings]
    return [key, standard === undefined ? kind : { ...kind, default: standard }]
  })
  const properties = { ...(own?.['properties'] as object | undefined), ...Object.fromEntries(shared) }
  return { ...own, type: 'object', properties }
}
