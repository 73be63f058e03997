/** How the gateway is, in this process or in another one, for a route that everybody may ask. */
import { Clock, type PluginContext } from 'svc/sdk'
import { Plugins } from 'svc/sdk/host'
import { GatewayProcess } from 'svc/sdk/operations'
import { Gateway } from 'svc/sdk/platform'

interface GatewayState {
  readonly state: string
  readonly busy: number
  readonly isDrainable: boolean
}

/** Another process is asked once within this time, however often the route is asked. */
const KEEP_MS = 1000
const DRAINABLE = ['running', 'degraded']

/** The returned function resolves with undefined while none runs. */
export function createGatewayReader(ctx: PluginContext<unknown>): () => Promise<GatewayState | undefined> {
  let asked: { readonly answer: Promise<GatewayState | undefined>; readonly at: number } | undefined
  const askProcess = async () => {
    const process = await ctx.use(Plugins).bring(GatewayProcess)
    const status = await process?.status()
    if (!status?.isRunning) return undefined
    return toState(status, status.ending === undefined)
  }
  return async () => {
    const own = ctx.find(Gateway)?.status()
    if (own && own.state !== 'stopped') return toState(own, true)
    const now = ctx.use(Clock).monotonic()
    if (!asked || now - asked.at >= KEEP_MS) asked = { answer: askProcess(), at: now }
    return asked.answer
  }
}

function toState({ state, busy }: { readonly state: string; readonly busy: number }, stays: boolean): GatewayState {
  return { state, busy, isDrainable: stays && DRAINABLE.includes(state) }
}
