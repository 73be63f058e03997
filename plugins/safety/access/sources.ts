/** Where rules come from: the settings of a platform, variables of the environment, and the codes that were approved. */
import { type PluginContext, Secrets } from 'svc/sdk'
import { Commands } from 'svc/sdk/host'
import { type Platform, type PlatformSettings, Platforms, platformSettingDefaults } from 'svc/sdk/platform'
import { createIdList, type IdList, idSet, type Rules } from './rules.ts'
import type { PairingStore } from './store.ts'

const USERS = 'GATEWAY_ALLOWED_USERS'
const EVERYONE = 'GATEWAY_ALLOW_ALL_USERS'
const TRUTHY = /^(1|true|yes|on)$/i
/** How an entry begins that holds for one platform: `telegram:42`. */
const PLATFORM = /^([a-z][a-z0-9_]*):(.+)$/s

type Context = Pick<PluginContext<never>, 'use' | 'all'>

/** The rules of a platform as they are now; undefined if the platform does not exist. */
export function readRules(ctx: Context, store: PairingStore, name: string): Rules | undefined {
  const platform = ctx.all(Platforms).get(name)
  if (!platform) return undefined
  const settings = getPlatformSettings(platform)
  const { users, chats, roles } = platform.access ?? {}
  return {
    platform: name,
    isEvents: platform.isEvents === true,
    isSilent: platform.isSilent === true,
    settings,
    users: [createIdList(name, 'allow_from', settings.allow_from), variable(ctx, users), sharedUsers(ctx, name)],
    chats: [createIdList(name, 'allow_chats', settings.allow_chats), variable(ctx, chats)],
    roles: [variable(ctx, roles)],
    everyone: everyone(ctx, platform),
    isPaired: (userId) => store.isPaired(name, userId),
    commandName: (typed) => commandName(ctx, typed),
  }
}

/** Policies that would let everybody in without saying that this is meant. */
export function openDoors(ctx: Context): string[] {
  return ctx
    .all(Platforms)
    .all()
    .flatMap((platform) => openPolicies(ctx, platform))
}

function openPolicies(ctx: Context, platform: Platform): string[] {
  const settings = getPlatformSettings(platform)
  const isMeant = settings.allow_all || everyone(ctx, platform).length > 0
  if (platform.isEvents || settings.enabled === false || isMeant) return []
  const block = `platforms.${platform.name}`
  return (['dm_policy', 'group_policy'] as const)
    .filter((key) => settings[key] === 'open')
    .map((key) => `${block}.${key} is open; when everybody is meant, set ${block}.allow_all to true`)
}

function getPlatformSettings(platform: Platform): PlatformSettings {
  return { ...platformSettingDefaults, ...platform.settings }
}

function everyone(ctx: Context, { access }: Platform): string[] {
  return [access?.everyone, EVERYONE].flatMap((name) =>
    name !== undefined && TRUTHY.test(ctx.use(Secrets).get(name)?.trim() ?? '') ? [name] : [],
  )
}

function variable(ctx: Context, name: string | undefined): IdList {
  return { source: name ?? '', ids: name === undefined ? idSet([]) : readIds(ctx, name) }
}

/** One id may be two people on two platforms, so an entry can name its platform. */
function sharedUsers(ctx: Context, platform: string): IdList {
  const ids = [...readIds(ctx, USERS)].flatMap((entry) => {
    const [, only, id] = PLATFORM.exec(entry) ?? []
    if (only === undefined || id === undefined) return [entry]
    return only === platform ? [id] : []
  })
  return { source: USERS, ids: idSet(ids) }
}

function readIds(ctx: Context, name: string): ReadonlySet<string> {
  return idSet((ctx.use(Secrets).get(name) ?? '').split(','))
}

/** Chats write names as their menus do: with a slash, in capitals, with underscores. */
function commandName(ctx: Context, typed: string): string {
  const name = typed.trim().replace(/^\//, '').toLowerCase()
  const forms = [name, name.replaceAll('_', '-')]
  const found = ctx
    .use(Commands)
    .on('gateway')
    .find((command) => forms.some((form) => form === command.name || command.aliases?.includes(form)))
  return found?.name ?? name
}
