/** Ways to sign in with a browser, one for each entry of vendors.ts. */
import { definePlugin, type PluginContext } from 'svc/sdk'
import { type SignInFlow, SignInFlows } from 'svc/sdk/provider'
import { type PkceVendor, vendors } from './vendors.ts'

export default definePlugin({
  setup(ctx) {
    for (const vendor of vendors) ctx.add(SignInFlows, createFlow(vendor, ctx))
  },
})

/** The flow of one service; what does the work is loaded when someone signs in. */
export function createFlow(vendor: PkceVendor, ctx: Pick<PluginContext<unknown>, 'use'>): SignInFlow {
  const { provider, kind, label, page, renewBeforeMs, givesKey } = vendor
  return {
    name: `${provider}:${kind}`,
    provider,
    type: 'oauth',
    label: `Sign in to ${label} with a browser`,
    page,
    ...(renewBeforeMs === undefined ? {} : { renewBeforeMs }),
    signIn: async (person, signal) => (await import('./flow.ts')).signIn(vendor, person, ctx, signal),
    ...(givesKey
      ? {}
      : { refresh: async (state, signal) => (await import('./flow.ts')).refresh(vendor, state, ctx, signal) }),
  }
}
