import { CliCommands, definePlugin } from 'svc/sdk'
import { GatewayProcess, LogFiles, SetupSections, StatusSections, UninstallSteps } from 'svc/sdk/operations'
import { gatewayCommand } from './cli.ts'
import { createGatewayProcess } from './process-service.ts'
import { getGatewayFiles } from './running-gateway.ts'
import { createPlatformsSection } from './setup-section.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(CliCommands, gatewayCommand(ctx))
    ctx.provide(GatewayProcess, () => createGatewayProcess(ctx))
    ctx.add(SetupSections, createPlatformsSection(ctx))
    ctx.add(StatusSections, {
      ...{ name: 'gateway', title: 'Messaging', order: 40 },
      read: async () => (await import('./status-section.ts')).readGatewayStatus(ctx),
    })
    const path = getGatewayFiles(ctx).log
    ctx.add(UninstallSteps, {
      name: 'gateway',
      phase: 'running',
      find: async () => (await import('./uninstall-step.ts')).findGateways(ctx),
    })
    ctx.add(LogFiles, { name: 'gateway', title: 'What a gateway in the background prints', path })
  },
})
