/** How the server introduces itself. */
import type { PluginContext } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import type { Config } from './config.ts'
import type { ServerInfo } from './protocol.ts'

export function describeServer(ctx: PluginContext<Config>): ServerInfo {
  return {
    // The plugins that come with svc have its version.
    version: ctx.use(Plugins).info(ctx.name)?.manifest.version ?? '',
    instructions:
      'svc is an agent on a machine of its user. Give it a task with chat, and continue with the session_id that it returns. ' +
      'Dangerous steps need the approval of a person, who is asked through elicitation; without it they are not taken.',
  }
}
