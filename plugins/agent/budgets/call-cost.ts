/** What a call costs. */
import type { Usage } from 'svc/sdk'
import type { ModelInfo, ModelPrice } from 'svc/sdk/provider'
import type { ServiceTier } from 'svc/sdk/sessions'

/**
 * For caps only, if the price is unknown: dearer than all but a few models that ever were for sale. What it makes
 * is never shown as a cost.
 */
export const ASSUMED_PRICE: ModelPrice = { input: 75, output: 150 }

const MILLION = 1_000_000

/** US dollars. `input` counts cached and written tokens too, which have their own prices. */
export function computeCost(price: ModelPrice, usage: Usage): number {
  const { input = 0, output = 0, cachedInput = 0, cacheWriteInput = 0 } = usage
  const plain = Math.max(0, input - cachedInput - cacheWriteInput)
  const { input: perInput, output: perOutput, cachedInput: perCached, cacheWriteInput: perWrite } = price
  const total =
    plain * perInput +
    output * perOutput +
    cachedInput * (perCached ?? perInput) +
    cacheWriteInput * (perWrite ?? perInput)
  return total / MILLION
}

/** Undefined where it is not known: the usual price says nothing of another tier. */
export function findPrice({ price }: ModelInfo, tier: ServiceTier = 'default'): ModelPrice | undefined {
  return tier === 'default' ? price : price?.tiers?.[tier]
}

/** For caps: not less than what the call can cost. A slower tier is cheaper than the usual one. */
export function assumePrice(info: ModelInfo, tier: ServiceTier | undefined): ModelPrice {
  return findPrice(info, tier) ?? (tier === 'flex' ? info.price : undefined) ?? ASSUMED_PRICE
}

/** The usage with its cost: what the service itself said it takes, else what the price makes, else `unpricedCalls`. */
export function addPrice(usage: Usage, info: ModelInfo, tier?: ServiceTier): Usage {
  if (usage.costUsd !== undefined) return usage
  const price = findPrice(info, tier)
  return price ? { ...usage, costUsd: computeCost(price, usage) } : { ...usage, unpricedCalls: 1 }
}
