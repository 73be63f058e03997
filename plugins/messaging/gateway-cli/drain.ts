/** `svc gateway drain`: no turns are begun, so that it can be ended without a cut. */
import type { CliArguments, CliContext, PluginContext } from 'svc/sdk'
import { createGatewayProcess } from './process-service.ts'

export async function drain(
  ctx: PluginContext<undefined>,
  { options }: CliArguments,
  io: Pick<CliContext, 'out'>,
): Promise<number> {
  const gateway = createGatewayProcess(ctx)
  if (options['cancel'] === true) {
    const { wasDraining } = await gateway.cancelDrain()
    const text = wasDraining ? 'The gateway begins turns again.' : 'The gateway was not drained.'
    io.out(options['json'] === true ? `${JSON.stringify({ wasDraining })}\n` : `${text}\n`)
    return 0
  }
  const drained = await gateway.drain({ isQuiet: options['notice'] === false })
  const { busy } = drained
  const rest = busy === 0 ? 'None is under way.' : `${busy} under way ${busy === 1 ? 'goes' : 'go'} on.`
  const text = `The gateway begins no turns. ${rest} End that: svc gateway drain --cancel`
  io.out(options['json'] === true ? `${JSON.stringify(drained)}\n` : `${text}\n`)
  return 0
}
