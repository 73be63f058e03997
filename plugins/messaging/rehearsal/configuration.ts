/** Static checks of a platform's configuration. */
import type { DryRunStep } from 'svc/sdk/platform'
import { type PlatformSettings, platformSettingDefaults } from 'svc/sdk/platform'

type Step = Omit<DryRunStep, 'result'> & { readonly result?: DryRunStep['result'] }

/** What looks wrong in the block of a platform; one step that says so when nothing does. */
export function configurationSteps(platform: string, block: unknown): readonly DryRunStep[] {
  const written = typeof block === 'object' && block !== null ? (block as Partial<PlatformSettings>) : {}
  const settings = { ...platformSettingDefaults, ...written }
  const path = (key: string) => `platforms.${platform}.${key}`
  const found = [
    ...createAccessSteps(settings, path),
    ...names(settings, path),
    ...groups(settings, path),
    ...createOtherSteps(settings, path),
  ].map((step) => ({ result: 'warning', ...step }) as DryRunStep)
  const none: DryRunStep = { name: 'configuration', result: 'ok', detail: 'nothing in it looks wrong' }
  return found.length > 0 ? found : [none]
}

type Path = (key: string) => string

/** Who gets in. */
function createAccessSteps(settings: PlatformSettings, path: Path): readonly Step[] {
  const steps: Step[] = []
  const open = [settings.dm_policy, settings.group_policy].includes('open')
  if (open && !settings.allow_all)
    steps.push({
      name: 'open door',
      result: 'failed',
      detail: 'A policy is open, but nothing says that everybody is meant; the gateway will not start.',
      advice: `Set ${path('allow_all')}: true, or another policy.`,
    })
  if (settings.allow_all || settings.allow_from.includes('*'))
    steps.push({
      name: 'open door',
      detail: 'Everybody can use the agent, its tools and your money.',
      advice: `Name who may write in ${path('allow_from')}.`,
    })
  if (settings.enabled === false)
    steps.push({ name: 'switched off', detail: 'The platform is switched off.', advice: `Remove ${path('enabled')}.` })
  if (settings.dm_policy === 'allowlist' && settings.allow_from.length === 0)
    steps.push({
      name: 'closed door',
      detail: 'Only listed people may write alone with the agent, and the list is empty.',
      advice: `Add ids to ${path('allow_from')}, or use the policy pairing.`,
    })
  return steps
}

/** Values that are not ids. */
function names(settings: PlatformSettings, path: Path): readonly Step[] {
  const lists = ['allow_from', 'group_allow_from', 'allow_chats', 'allow_admin_from', 'group_allow_admin_from'] as const
  const odd = lists.flatMap((key) =>
    settings[key]
      .map(String)
      .filter(isNoId)
      .map((id) => ({ key, id })),
  )
  return odd.map(({ key, id }) => ({
    name: 'a name instead of an id',
    detail: `${path(key)} has "${id}", which looks like a name. Names can be taken by others, so only ids count.`,
    advice: 'Let the person write /whoami: it says the id.',
  }))
}

const isNoId = (id: string) => id !== '*' && (/\s/.test(id.trim()) || /^@(?![^:]*:)/.test(id) || id.trim() === '')

/** Groups. */
function groups(settings: PlatformSettings, path: Path): readonly Step[] {
  const steps: Step[] = []
  const isLoud = !settings.require_mention && settings.group_policy !== 'disabled'
  if (isLoud)
    steps.push({
      name: 'answers everything',
      detail: 'In groups every message is answered, also those that are not for the agent.',
      advice: `Leave ${path('require_mention')} on, and list chats in ${path('free_response_chats')}.`,
    })
  for (const pattern of settings.mention_patterns)
    if (!isPattern(String(pattern)))
      steps.push({
        name: 'a pattern that cannot be read',
        result: 'failed',
        detail: `${path('mention_patterns')} has "${pattern}", which is no regular expression.`,
        advice: 'Mend or remove it: it fits nothing.',
      })
  const admins = settings.allow_admin_from.map(String)
  const outside = admins.filter((id) => !settings.allow_from.map(String).includes(id))
  if (settings.dm_policy === 'allowlist' && outside.length > 0)
    steps.push({
      name: 'an admin who may not write',
      detail: `${outside.join(', ')} may run every command but is not in ${path('allow_from')}.`,
      advice: `Add them to ${path('allow_from')}, too.`,
    })
  return steps
}

function createOtherSteps(settings: PlatformSettings, path: Path): readonly Step[] {
  const steps: Step[] = []
  if (!settings.home_channel)
    steps.push({
      name: 'home chat',
      result: 'ok',
      detail: 'Not set. It is needed only for messages that name the platform and no chat.',
      advice: `Type /sethome in a chat, or set ${path('home_channel')}.`,
    })
  if (settings.max_attachment_bytes === 0)
    steps.push({
      name: 'files of any size',
      detail: 'Files have no limit of their own; only gateway.max_inbound_media_bytes holds.',
      advice: `Set ${path('max_attachment_bytes')}.`,
    })
  if (settings.allow_bots === 'all')
    steps.push({
      name: 'answers other programs',
      detail: 'Two programs that answer each other never stop.',
      advice: `Use "mentions" for ${path('allow_bots')}.`,
    })
  return steps
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, 'iu')
    return true
  } catch {
    return false
  }
}
