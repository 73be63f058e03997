/** Wires `svc status`; what it shows is contributed by the plugins that it concerns. */
import { CliCommands, Clock, definePlugin } from 'svc/sdk'
import { Health, Plugins } from 'svc/sdk/host'
import { StatusReport, StatusSections } from 'svc/sdk/operations'
import { statusCommand } from './cli.ts'
import { createInstallationSection } from './installation-section.ts'
import { readSections } from './read.ts'

export default definePlugin({
  setup(ctx) {
    ctx.provide(StatusReport, () => ({
      read: (signal) => {
        const sections = ctx.all(StatusSections)
        const owner = (section: string) => sections.owner(section)
        return readSections(sections.all(), { clock: ctx.use(Clock), signal, log: ctx.log, owner })
      },
    }))
    ctx.add(StatusSections, createInstallationSection(ctx))
    ctx.add(
      CliCommands,
      statusCommand({ report: () => ctx.use(StatusReport), health: () => ctx.use(Plugins).bring(Health) }),
    )
  },
})
