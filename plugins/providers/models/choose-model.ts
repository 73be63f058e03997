/** The decision: what was asked for, else what is configured, else what is found on this machine, else the demo. */
import { Clock, logFault, type PluginContext, SvcError } from 'svc/sdk'
import { type ModelChoice, type ModelInfo, type ModelProvider, Providers } from 'svc/sdk/provider'
import type { Config } from './config.ts'
import { demoNotes, foundNotes, missingNotes, modelList } from './newcomer-notes.ts'
import { askAll, type ProviderStatus } from './probe-providers.ts'

const DEMO = 'demo'
const AUTO = 'auto'

/** What of the plugin's context the decision needs. */
export type Deps = Pick<PluginContext<Config>, 'all' | 'config' | 'log' | 'use'> & {
  /** The models that a provider serves. */
  list(provider: string): Promise<readonly ModelInfo[]>
}

/** Asks the network only when provider or model are left open. Throws the codes of errors.ts. */
export async function chooseModel(
  deps: Deps,
  wanted: { readonly provider?: string; readonly model?: string; readonly withoutDemo?: boolean },
): Promise<ModelChoice> {
  const { config } = deps
  const name = wanted.provider || config.provider || AUTO
  const model = wanted.model || (name === config.provider ? config.default : '')
  if (name === AUTO)
    return config.base_url === '' ? chooseFound(deps, wanted, model) : findConfigured(deps, 'custom', model)
  return findConfigured(deps, name, model)
}

/** The models of `model.fallbacks` whose provider is there. */
export function fallbackModels({ all, config }: Pick<Deps, 'all' | 'config'>): ModelChoice[] {
  return config.fallbacks.flatMap(({ provider: name, model }) => {
    const provider = findProviderByName(all(Providers).all(), name)
    return provider ? [{ provider, model, source: 'configured', notes: [] } satisfies ModelChoice] : []
  })
}

async function findConfigured(deps: Deps, name: string, model: string): Promise<ModelChoice> {
  const provider = await findProvider(deps, name)
  return { provider, model: model || (await onlyModel(deps, provider)), source: 'configured', notes: [] }
}

/** By its name or another word for it. Throws `MODEL_PROVIDER_UNKNOWN` with what was perhaps meant. */
export async function findProvider(deps: Pick<Deps, 'all'>, name: string): Promise<ModelProvider> {
  return findProviderByName(deps.all(Providers).all(), name) ?? (await throwUnknown(deps, name))
}

function findProviderByName(providers: readonly ModelProvider[], name: string): ModelProvider | undefined {
  return providers.find((one) => one.name === name) ?? providers.find(({ aliases }) => aliases?.includes(name))
}

/** A key that lies in the environment is never used here: that would spend money without a decision of the user. */
async function chooseFound(
  deps: Deps,
  { withoutDemo = false }: { readonly withoutDemo?: boolean },
  model: string,
): Promise<ModelChoice> {
  const demo = deps.all(Providers).get(DEMO)
  const seen = await askAll(
    deps
      .all(Providers)
      .all()
      .filter((provider) => provider !== demo),
    deps.use(Clock),
    (name, error) => logFault(deps.log, `the provider ${name} failed`, error, deps.all(Providers).owner(name)),
  )
  for (const one of seen.filter(({ ready, local }) => ready && local)) {
    const served = await deps.list(one.provider.name)
    const info = model === '' ? served[0] : served.find(({ id }) => id === model)
    if (info) return { provider: one.provider, model: info.id, source: 'found', notes: foundNotes(one, info.id, seen) }
  }
  if (model !== '' && model !== DEMO) throw createUnservedError(model, seen)
  if (demo && (!withoutDemo || model === DEMO))
    return { provider: demo, model: DEMO, source: 'demo', notes: demoNotes(seen) }
  const trial = demo
    ? [
        'To try svc without a model, name the scripted demo: `--provider demo`, or `svc config set model.provider demo`.',
      ]
    : []
  throw new SvcError('MODEL_UNAVAILABLE', [...missingNotes(seen), ...trial].join('\n'))
}

async function onlyModel(deps: Deps, provider: ModelProvider): Promise<string> {
  const models = await deps.list(provider.name)
  const [first] = models
  if (first && models.length === 1) return first.id
  if (first)
    throw new SvcError(
      'MODEL_NOT_CHOSEN',
      `${provider.name} serves ${models.length} models: ${modelList(models)}. Choose one with \`svc config set model.default <model>\`.`,
    )
  const { ready, detail } = await provider.status()
  if (!ready) throw new SvcError('MODEL_UNAVAILABLE', `${provider.name} cannot be used: ${detail}.`)
  throw new SvcError(
    'MODEL_NOT_CHOSEN',
    `${provider.name} does not say which models it serves (${detail}). Name one with \`svc config set model.default <model>\`.`,
  )
}

async function throwUnknown(deps: Pick<Deps, 'all'>, name: string): Promise<never> {
  const { closest, distance } = await import('fastest-levenshtein')
  const names = deps
    .all(Providers)
    .all()
    .map((provider) => provider.name)
  const nearest = names.length > 0 ? closest(name, names) : ''
  const hint = distance(name, nearest) <= Math.max(2, name.length / 3) ? ` Did you mean ${nearest}?` : ''
  throw new SvcError(
    'MODEL_PROVIDER_UNKNOWN',
    `There is no model provider "${name}".${hint} There are: ${[AUTO, ...names].join(', ')}. Set one with \`svc config set model.provider <name>\`.`,
  )
}

function createUnservedError(model: string, seen: readonly ProviderStatus[]): SvcError {
  const remote = seen.filter(({ local, ready }) => ready && !local).map(({ provider }) => provider.name)
  const who = remote.length > 0 ? remote.join(', ') : 'svc model list has all'
  return new SvcError(
    'MODEL_UNAVAILABLE',
    `No server of this machine serves "${model}". Say who does with \`svc config set model.provider <name>\` (${who}).`,
  )
}
