/** `/connect`: leads a person from no model to one that answers. What a service refused is not kept. */
import type { CommandContext, PluginContext, Translate } from 'svc/sdk'
import { ConfigFile } from 'svc/sdk/host'
import { type ModelProvider, Providers } from 'svc/sdk/provider'
import { checkChosen } from './check-chosen.ts'
import { AUTHOR, type Connection, type Dialogue } from './dialogue.ts'
import { type ProviderStatus, probeProvider } from './providers.ts'

const DEMO = 'demo'
const CUSTOM = 'custom'
/** What was said at the end; undefined when the person left it. */
export async function connect(
  ctx: PluginContext<undefined>,
  wanted: string,
  at: CommandContext,
  t: Translate,
): Promise<string | undefined> {
  const { front } = at.conversation
  const { choose, ask } = front
  if (!choose || !ask) return t('Type {usage} in a shell.', { usage: '`svc model set <provider> <model>`' })
  const dialogue: Dialogue = { ctx, at, t, asking: { choose: choose.bind(front), ask: ask.bind(front) } }
  const provider = ctx.all(Providers).get(wanted) ?? (await pickProvider(dialogue))
  if (!provider) return undefined
  const connection = await connectionTo(provider, wanted, dialogue)
  if (!connection) return undefined
  if ('problem' in connection) return connection.problem
  const { label, model, edits, warning } = connection
  const choice = [
    { path: 'model.provider', value: provider.name },
    { path: 'model.default', value: model },
  ]
  await checkChosen(ctx, at.conversation, { provider: provider.name, model })
  await ctx.use(ConfigFile).write([...choice, ...edits], AUTHOR)
  at.conversation.change({ provider: undefined, model: undefined })
  const said = t('{model} of {provider} answers from now on, everywhere. Take it back with svc config undo.', {
    model,
    provider: label,
  })
  return warning === undefined ? said : `${said}\n\n${warning}`
}

async function connectionTo(provider: ModelProvider, wanted: string, dialogue: Dialogue): Promise<Connection> {
  if (provider.name === CUSTOM) {
    const { connectServer } = await import('./connect-server.ts')
    return connectServer(dialogue, wanted === CUSTOM && (await provider.status()).ready)
  }
  const { connectService } = await import('./connect-service.ts')
  return connectService(dialogue, provider)
}

/** Those that can be used at once come first, then any other server, then those that want a key. */
async function pickProvider({ ctx, at, asking, t }: Dialogue): Promise<ModelProvider | undefined> {
  const providers = ctx
    .all(Providers)
    .all()
    .filter(({ name }) => name !== DEMO)
  const seen = await Promise.all(providers.map((provider) => probeProvider(ctx, provider)))
  const rank = ({ provider, ready, local }: ProviderStatus) =>
    ready ? 0 : provider.name === CUSTOM ? 1 : local ? 3 : 2
  const sorted = seen.toSorted((one, two) => rank(one) - rank(two))
  const items = sorted.map(({ provider, detail }) => ({
    id: provider.name,
    label: provider.name === CUSTOM ? t('Another server (OpenAI-compatible)') : provider.label,
    detail,
  }))
  const id = await asking.choose({ title: t('Connect a model'), items }, at.signal)
  return providers.find(({ name }) => name === id)
}
