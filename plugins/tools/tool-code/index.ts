/** Wires the tool `execute_code`. What runs scripts is imported with the first one. */
import { Approvals, Clock, definePlugin, Secrets, Tools } from 'svc/sdk'
import { SelectCommandEnvironment } from 'svc/sdk/hooks'
import { ProcessSandbox } from 'svc/sdk/shell'
import { type Config, config } from './config.ts'
import type { Sandbox } from './sandbox.ts'
import { scriptTools } from './script-tools.ts'
import { codeTool } from './tools.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const variable = (name: string) => ctx.use(Secrets).get(name)
    let made: Promise<Sandbox> | undefined
    const sandbox = () => {
      made ??= import('./sandbox.ts').then((code) => new code.Sandbox({ confinement: () => ctx.find(ProcessSandbox) }))
      return made
    }
    ctx.add(
      Tools,
      codeTool({
        config: ctx.config,
        sandbox,
        variables: (command, turn) => ctx.call(SelectCommandEnvironment, {}, { tool: 'execute_code', command, turn }),
        canAsk: () => ctx.find(Approvals) !== undefined,
        clock: () => ctx.use(Clock),
        mask: (text) => ctx.use(Secrets).mask(text),
        variable,
        tools: () => scriptTools(ctx.all(Tools).all()),
      }),
    )
  },
})
