/** Wires the tool `execute_code` and the gate before it. What runs scripts is imported with the first one. */
import {
  Approvals,
  Clock,
  CommandRisks,
  definePlugin,
  Home,
  Secrets,
  ToolCalling,
  type ToolRequest,
  Tools,
} from 'svc/sdk'
import { type Config, config } from './config.ts'
import { Gate } from './gate.ts'
import type { Sandbox } from './sandbox.ts'
import { codeTool } from './tools.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const variable = (name: string) => ctx.use(Secrets).get(name)
    let made: Promise<Sandbox> | undefined
    const sandbox = () => {
      made ??= import('./sandbox.ts').then(
        (code) => new code.Sandbox({ variable, home: () => ctx.use(Home), log: ctx.log }),
      )
      return made
    }
    const gate = new Gate({
      isLockedUp: async () => (await sandbox()).works(),
      canAsk: () => ctx.find(Approvals) !== undefined,
      risks: () => ctx.find(CommandRisks),
      ask: (request: ToolRequest) => ctx.call(ToolCalling, request),
    })
    ctx.on(ToolCalling, (request) => gate.decide(request))
    ctx.add(
      Tools,
      codeTool({
        config: ctx.config,
        sandbox,
        gate,
        clock: () => ctx.use(Clock),
        mask: (text) => ctx.use(Secrets).mask(text),
        variable,
        isPure: (name) => ctx.all(Tools).get(name)?.effect === 'pure',
      }),
    )
  },
})
