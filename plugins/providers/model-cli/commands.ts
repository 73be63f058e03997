/** `/model` and `/reasoning`: who answers in this conversation, and how hard it thinks. */
import {
  type CommandContext,
  type Completion,
  type Conversation,
  createTranslator,
  errorMessage,
  Models,
  type PluginContext,
  type SlashCommand,
  type Translate,
} from 'svc/sdk'
import { ConfigFile } from 'svc/sdk/host'
import type { ReasoningLevel } from 'svc/sdk/provider'
import { Display } from 'svc/sdk/terminal'
import { checkChosen } from './check-chosen.ts'

const LEVELS = ['none', 'low', 'medium', 'high', 'xhigh'] as const satisfies readonly ReasoningLevel[]
const MODEL_USAGE = '/model <model> [--provider <name>] [--global]'

export function modelSlashCommands(ctx: PluginContext<undefined>): SlashCommand[] {
  const t = createTranslator(ctx)
  return [
    {
      name: 'model',
      description: 'Show or change the model of this conversation',
      category: 'Configuration',
      argsHint: '[model] [--provider name] [--global]',
      run: async (args, at) => model(ctx, at, args, t),
      complete: async (args, at) => modelNames(ctx, at, args),
    },
    {
      name: 'connect',
      description: 'Connect a model: choose a provider, enter its key, pick a model',
      category: 'Configuration',
      argsHint: '[provider]',
      surfaces: ['cli'],
      run: async (args, at) => (await import('./connect.ts')).connect(ctx, args, at, t),
    },
    {
      name: 'reasoning',
      description: 'Set the reasoning effort, and show or hide the reasoning',
      category: 'Configuration',
      argsHint: '[level|show|hide|reset]',
      subcommands: [...LEVELS, 'show', 'hide', 'reset'],
      run: async (args, { conversation }) => reasoning(ctx, conversation, args.toLowerCase(), t),
    },
  ]
}

async function model(
  ctx: PluginContext<undefined>,
  at: CommandContext,
  args: string,
  t: Translate,
): Promise<string | undefined> {
  const words = args.split(/\s+/).filter(Boolean)
  const isGlobal = words.includes('--global')
  const flag = words.indexOf('--provider')
  const provider = flag < 0 ? undefined : words[flag + 1]
  const rest = words.filter((word, index) => !word.startsWith('--') && (flag < 0 || index !== flag + 1))
  if (rest.length > 1 || (flag >= 0 && !provider) || words.some((word) => /^--(?!global$|provider$)/.test(word)))
    return t('Type {usage}.', { usage: `\`${MODEL_USAGE}\`` })
  const [name] = rest
  if (name === undefined && provider === undefined) return chooseModel(ctx, at, t)
  return change(ctx, at.conversation, { ...(provider && { provider }), ...(name && { model: name }), isGlobal }, t)
}

/** A list where one can be shown; else who answers now. */
async function chooseModel(
  ctx: PluginContext<undefined>,
  at: CommandContext,
  t: Translate,
): Promise<string | undefined> {
  const { conversation } = at
  const now = await current(ctx, conversation)
  if (!at.person.isReachable)
    return t('{model} of {provider} answers. Another one: {usage}', { ...now, usage: `\`${MODEL_USAGE}\`` })
  const { pickModel } = await import('./menu.ts')
  const picked = await pickModel(ctx, at, now, t)
  return picked && change(ctx, conversation, { ...picked, isGlobal: false }, t)
}

async function change(
  ctx: PluginContext<undefined>,
  conversation: Conversation,
  { provider, model, isGlobal }: { readonly provider?: string; readonly model?: string; readonly isGlobal: boolean },
  t: Translate,
): Promise<string> {
  const kept = provider === undefined ? conversation.settings.provider : provider
  const choice = await ctx.use(Models).choose({ ...(kept && { provider: kept }), ...(model && { model }) })
  const chosen = { provider: choice.provider.name, model: choice.model }
  const names = { model: choice.model, provider: choice.provider.label }
  await checkChosen(ctx, conversation, chosen)
  const warning = (await isUnlisted(ctx, chosen)) ? ` ${t('{provider} does not list this model.', names)}` : ''
  if (!isGlobal) {
    conversation.change(chosen)
    return `${t('{model} of {provider} answers from now on, in this conversation.', names)}${warning}`
  }
  const edits = [
    { path: 'model.provider', value: chosen.provider },
    { path: 'model.default', value: chosen.model },
  ]
  await ctx.use(ConfigFile).write(edits, { author: 'model-cli', reason: '/model --global' })
  conversation.change({ provider: undefined, model: undefined })
  const said = t('{model} of {provider} answers from now on, everywhere. Take it back with svc config undo.', names)
  return `${said}${warning}`
}

/** Whether the server lists its models without this one: then the next message would fail. */
async function isUnlisted(
  ctx: PluginContext<undefined>,
  { provider, model }: { readonly provider: string; readonly model: string },
): Promise<boolean> {
  try {
    const models = await ctx.use(Models).list(provider)
    return models.length > 0 && !models.some(({ id }) => id === model)
  } catch (error) {
    ctx.log.debug('models could not be listed', { error })
    return false
  }
}

async function current(ctx: PluginContext<undefined>, { settings }: Conversation) {
  const { provider, model } = settings
  const choice = await ctx.use(Models).choose({ ...(provider && { provider }), ...(model && { model }) })
  return { model: choice.model, provider: choice.provider.name }
}

async function modelNames(
  ctx: PluginContext<undefined>,
  { conversation }: CommandContext,
  args: string,
): Promise<readonly Completion[]> {
  if (/\s/.test(args)) return []
  try {
    const { provider } = await current(ctx, conversation)
    const models = await ctx.use(Models).list(provider)
    return models
      .filter(({ id }) => id.toLowerCase().includes(args.toLowerCase()))
      .map(({ id, label }) => ({ text: id, from: 0, ...(label !== id && label !== undefined && { detail: label }) }))
  } catch (error) {
    ctx.log.debug('models could not be listed', { error })
    return []
  }
}

async function reasoning(
  ctx: PluginContext<undefined>,
  conversation: Conversation,
  word: string,
  t: Translate,
): Promise<string> {
  const display = ctx.find(Display)
  const level = LEVELS.find((each) => each === word)
  if (level) {
    conversation.change({ reasoning: level })
    return t('The model thinks at level {level} from now on, in this conversation.', { level })
  }
  if (word === 'reset') {
    conversation.change({ reasoning: undefined })
    return t('The reasoning effort is the one in config.yaml.')
  }
  const shown = /^(show|on)$/.test(word) || (/^(hide|off)$/.test(word) ? false : undefined)
  if (shown !== undefined && display) return showReasoning(display, shown, conversation.front.surface, t)
  const now = conversation.settings.reasoning ?? t('as config.yaml says')
  return t('Level: {now}. Others: {levels}; show and hide.', { now, levels: LEVELS.join(', ') })
}

/** For all conversations of this surface, also later ones. */
async function showReasoning(display: Display, shown: boolean, surface: string, t: Translate): Promise<string> {
  const said = shown ? t('Reasoning is shown.') : t('Reasoning is hidden.')
  try {
    await display.set('show_reasoning', shown, 'saved', surface)
    return said
  } catch (error) {
    await display.set('show_reasoning', shown, 'now')
    const values = { key: '`display.show_reasoning`', value: `\`${shown}\``, reason: errorMessage(error) }
    return t('{key} is {value} until svc ends. It could not be saved: {reason}', values)
  }
}
