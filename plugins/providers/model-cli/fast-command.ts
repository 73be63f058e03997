/** `/fast`: whether the service answers this conversation faster, for a higher price. */
import {
  Config,
  type Conversation,
  createTranslator,
  Models,
  type PluginContext,
  type SlashCommand,
  type Translate,
} from 'svc/sdk'
import type { ModelPrice } from 'svc/sdk/provider'
import type { ServiceTier } from 'svc/sdk/sessions'

export function createFastCommand(ctx: PluginContext<undefined>): SlashCommand {
  const t = createTranslator(ctx)
  return {
    name: 'fast',
    description: 'Ask for faster answers in this conversation, which cost more',
    category: 'Configuration',
    argsHint: '[on|off|status]',
    subcommands: ['on', 'off', 'status'],
    async run(args, { conversation }) {
      const word = args.trim().toLowerCase()
      if (/^(on|fast)$/.test(word)) return turnOn(ctx, conversation, t)
      if (/^(off|normal)$/.test(word)) {
        // Also where config.yaml says otherwise.
        conversation.change({ serviceTier: 'default' })
        return t('The usual tier answers from now on, in this conversation.')
      }
      if (word !== '' && word !== 'status') return t('Type {usage}.', { usage: '`/fast [on|off|status]`' })
      return describe(ctx, conversation, t)
    },
  }
}

interface Found {
  readonly model: string
  readonly provider: string
  readonly tiers: readonly ServiceTier[]
  readonly price: ModelPrice | undefined
}

async function turnOn(ctx: PluginContext<undefined>, conversation: Conversation, t: Translate): Promise<string> {
  const found = await find(ctx, conversation)
  if (!found.tiers.includes('priority'))
    return t('{model} of {provider} has no faster tier. Nothing was changed.', names(found))
  conversation.change({ serviceTier: 'priority' })
  const said = t('{model} of {provider} answers in its faster tier from now on, in this conversation.', names(found))
  return `${said} ${describePrice(found, t)}`
}

async function describe(ctx: PluginContext<undefined>, conversation: Conversation, t: Translate): Promise<string> {
  const found = await find(ctx, conversation)
  const configured = ctx.use(Config).get('agent.service_tier')
  const tier = conversation.settings.serviceTier ?? (configured === 'fast' ? 'priority' : configured) ?? 'default'
  const now = t('Tier: {tier}.', { tier: String(tier) })
  if (found.tiers.length === 0)
    return `${now} ${t('{model} of {provider} has no other tier: it is asked as usual.', names(found))}`
  return found.tiers.includes('priority') ? `${now} ${describePrice(found, t)}` : now
}

/** No bill without a warning. */
function describePrice({ price }: Found, t: Translate): string {
  const fast = price?.tiers?.priority
  if (!price || !fast)
    return t('The faster tier costs more; how much is not known here, so its calls are shown without their cost.')
  return t(
    'The faster tier costs more: ${input} and ${output} for a million tokens read and written, not ${usualInput} and ${usualOutput}.',
    {
      input: fast.input,
      output: fast.output,
      usualInput: price.input,
      usualOutput: price.output,
    },
  )
}

function names({ model, provider }: Found): { readonly model: string; readonly provider: string } {
  return { model, provider }
}

async function find(ctx: PluginContext<undefined>, { settings }: Conversation): Promise<Found> {
  const { provider, model } = settings
  const models = ctx.use(Models)
  const choice = await models.choose({ ...(provider && { provider }), ...(model && { model }) })
  const { price } = models.describe({ provider: choice.provider.name, model: choice.model })
  const tiers = choice.provider.tiers?.(choice.model) ?? []
  return { model: choice.model, provider: choice.provider.label, tiers, price }
}
