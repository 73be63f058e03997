/** The tools whose newest result replaces the earlier ones, such as the one that keeps the plan. */
import { type PluginContext, Tools } from 'svc/sdk'
import type { LatestTools } from './kept-facts.ts'

export function latestTools(ctx: Pick<PluginContext<unknown>, 'all'>): LatestTools {
  const tools = ctx.all(Tools).all()
  return new Set(tools.flatMap(({ name, scope }) => (scope?.latest ? [name] : [])))
}
