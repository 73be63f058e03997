/** Ways to sign in by another program, one for each entry of programs.ts. */
import { definePlugin } from 'svc/sdk'
import { type SignInFlow, SignInFlows } from 'svc/sdk/provider'
import { type Program, programs } from './programs.ts'
import { type Deps, readTokens } from './token-file.ts'

export default definePlugin({
  setup(ctx) {
    for (const program of programs) ctx.add(SignInFlows, createFlow(program, ctx))
  },
})

function createFlow(program: Program, ctx: Deps): SignInFlow {
  const { provider, kind, label, command, isAmbient, page } = program
  const load = () => import('./flow.ts')
  return {
    name: `${provider}:${kind}`,
    provider,
    type: 'external-command',
    label: `Use the sign-in of ${label}`,
    command,
    page,
    // A way of svc's own comes first.
    order: 200,
    signIn: async (person, signal) => (await load()).signIn(program, person, ctx, signal),
    async refresh(_, signal) {
      const { renew, withoutRefreshToken } = await load()
      return withoutRefreshToken(await renew(program, ctx, signal))
    },
    ...(isAmbient
      ? {
          ambient: {
            source: () => (readTokens(program, ctx) ? `${label} is signed in` : undefined),
            token: async (signal) => (await load()).renew(program, ctx, signal),
          },
        }
      : {}),
  }
}
