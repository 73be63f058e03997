/** Ways to sign in with a code at another device, one for each entry of vendors.ts. */
import { definePlugin } from 'svc/sdk'
import { type SignInFlow, SignInFlows } from 'svc/sdk/provider'
import type { FlowDeps } from './flow.ts'
import { type DeviceVendor, vendors } from './vendors.ts'

export default definePlugin({
  setup(ctx) {
    for (const vendor of vendors) ctx.add(SignInFlows, createFlow(vendor, ctx))
  },
})

/** The flow of one service; what does the work is loaded when someone signs in. */
export function createFlow(vendor: DeviceVendor, ctx: FlowDeps): SignInFlow {
  const { provider, label, page, renewBeforeMs } = vendor
  return {
    name: `${provider}:device-code`,
    provider,
    type: 'device-code',
    label: `Sign in to ${label} with a code`,
    page,
    ...(renewBeforeMs === undefined ? {} : { renewBeforeMs }),
    signIn: async (person, signal) => (await import('./flow.ts')).signIn(vendor, person, ctx, signal),
    refresh: async (state, signal) => (await import('./flow.ts')).refresh(vendor, state, ctx, signal),
  }
}
