/** Wires the provider `copilot-acp` and its sign-in. */
import { definePlugin } from 'svc/sdk'
import { Providers, SignInFlows } from 'svc/sdk/provider'
import { CopilotConnections } from './connections.ts'
import { createProvider, NAME, PAGE, SIGN_IN } from './provider.ts'

export default definePlugin({
  setup(ctx) {
    const connections = new CopilotConnections(ctx)
    ctx.defer(() => connections.close())
    ctx.add(Providers, createProvider(ctx, connections))
    ctx.add(SignInFlows, {
      name: `${NAME}:cli`,
      provider: NAME,
      type: 'external-command',
      label: 'Use the sign-in of GitHub Copilot CLI',
      command: SIGN_IN,
      page: PAGE,
      signIn: async (person, signal) => (await import('./flow.ts')).signIn(person, ctx, signal),
    })
  },
})
