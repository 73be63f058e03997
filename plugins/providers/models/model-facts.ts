/** What is known of a model: the user's word, else that of its server, else the table that comes with svc. */
import type { ModelInfo, ModelPrice } from 'svc/sdk/provider'
import type { FactsConfig } from './facts-config.ts'
import type { Listed } from './model-lists.ts'
import { findTableRow } from './parse-table.ts'

type Address = { readonly provider: string; readonly model: string }
type Facts = Omit<ModelInfo, 'id'>

/**
 * Never asks the network; the table is parsed at the first call. `listed` is what the server said when it was asked:
 * while that is fresh it stands above the table, later it fills what the table does not know.
 */
export function describeModel(
  address: Address,
  config: Pick<FactsConfig, 'provider' | 'default'> & Partial<FactsConfig>,
  listed?: Listed,
): ModelInfo {
  const row = findTableRow(address)
  const said = listed ? omitUndefined(addDate(listed, address)) : {}
  const known: Facts = listed?.fresh ? { ...row, ...said } : { ...said, ...row }
  return { ...known, ...describeConfigured(address, config, known.price), id: address.model }
}

/** Prices of a list are those of the day on which it was read. */
function addDate({ model, at }: Listed, { provider }: Address): ModelInfo {
  const asOf = new Date(at).toISOString().slice(0, 10)
  return model.price ? { ...model, price: { source: `the list of ${provider}`, asOf, ...model.price } } : model
}

function describeConfigured(
  { provider, model }: Address,
  config: Parameters<typeof describeModel>[1],
  price: ModelPrice | undefined,
): Facts {
  const own = config.known?.[`${provider}/${model}`] ?? {}
  const isDefault =
    (provider === config.provider && [model, ''].includes(config.default)) ||
    (config.provider === 'auto' && model === config.default)
  return omitUndefined({
    contextWindow: own.context_length ?? (isDefault ? config.context_length : undefined),
    maxOutputTokens: own.max_output_tokens,
    price: configuredPrice(own, price, `model.known.${provider}/${model}`),
    images: own.images,
    tools: own.tools,
    reasoning: own.reasoning,
  })
}

/** A part of a price makes no price: both of its halves must be known from somewhere. */
function configuredPrice(
  own: NonNullable<FactsConfig['known']>[string] | Record<string, never>,
  price: ModelPrice | undefined,
  key: string,
): ModelPrice | undefined {
  const isOwn = [own.input_price, own.output_price, own.cached_input_price, own.cache_write_price].some(
    (each) => each !== undefined,
  )
  if (!isOwn) return price
  const [input, output] = [own.input_price ?? price?.input, own.output_price ?? price?.output]
  if (input === undefined || output === undefined) return undefined
  const caches = omitUndefined({
    cachedInput: own.cached_input_price ?? price?.cachedInput,
    cacheWriteInput: own.cache_write_price ?? price?.cacheWriteInput,
  })
  return { input, output, ...caches, source: key }
}

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> }

function omitUndefined<T extends object>(values: T): Partial<Defined<T>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<Defined<T>>
}
