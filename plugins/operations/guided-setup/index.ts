import { CliCommands, definePlugin } from 'svc/sdk'
import { Setup, SetupSections } from 'svc/sdk/operations'
import { agentSection } from './agent-section.ts'
import { createSetupCommand } from './cli.ts'

export default definePlugin({
  setup(ctx) {
    const sections = ctx.all(SetupSections)
    const steps = async () => (await import('./steps.ts')).createSteps(ctx, sections)
    ctx.provide(Setup, () => ({
      sections: () => sections.all().map(({ name, title, description }) => ({ name, title, description })),
      next: async (...given) => (await steps()).next(...given),
      check: async (...given) => (await steps()).check(...given),
      write: async (...given) => (await steps()).write(...given),
      scan: async (...given) => (await steps()).scan(...given),
      conclude: async (...given) => (await steps()).conclude(...given),
    }))
    ctx.add(SetupSections, agentSection)
    ctx.add(CliCommands, createSetupCommand(ctx))
  },
})
