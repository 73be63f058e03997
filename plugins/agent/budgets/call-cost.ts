/** What a call costs. */
import type { Usage } from 'svc/sdk'
import type { ModelInfo, ModelPrice } from 'svc/sdk/provider'

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

/** The usage with its cost: what the service itself said it takes, else what the price makes, else `unpricedCalls`. */
export function addPrice(usage: Usage, { price }: ModelInfo): Usage {
  if (usage.costUsd !== undefined) return usage
  return price ? { ...usage, costUsd: computeCost(price, usage) } : { ...usage, unpricedCalls: 1 }
}
