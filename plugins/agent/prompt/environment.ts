/** Where and when it works. */
import { Clock, type PluginContext, type PromptPart } from 'svc/sdk'
import type { Config } from './config.ts'

/** The folder and the system. The name of a folder cannot start a new line. */
export const environment: PromptPart = {
  name: 'environment',
  tier: 'context',
  text: ({ cwd }) => `Working folder: ${cwd.replace(/\p{Cc}/gu, '?')}\nSystem: ${process.platform}`,
}

/** The day in UTC. No clock, so that the bytes are the same all day; in the last tier, so that a new day spoils little. */
export function createDatePart(ctx: PluginContext<Config>): PromptPart {
  return {
    name: 'date',
    tier: 'volatile',
    text: () => `Date: ${new Date(ctx.use(Clock).now()).toISOString().slice(0, 10)}`,
  }
}
