/** Numbers from the environment. */
import { type PluginContext, Secrets } from 'svc/sdk'

/** A whole number above zero; undefined when the variable holds none. */
export function countFrom(ctx: Pick<PluginContext<unknown>, 'use'>, name: string): number | undefined {
  const count = Number(ctx.use(Secrets).get(name))
  return Number.isInteger(count) && count > 0 ? count : undefined
}
