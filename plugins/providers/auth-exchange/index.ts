/** Tokens that are exchanged for shorter ones: GitHub's for GitHub Copilot. */
import { definePlugin, Secrets } from 'svc/sdk'
import { signInError } from 'svc/sdk/kit/oauth'
import { SignInFlows } from 'svc/sdk/provider'
import { findVariable } from './variable.ts'

export default definePlugin({
  setup(ctx) {
    ctx.add(SignInFlows, {
      name: 'copilot:github',
      provider: 'copilot',
      type: 'device-code',
      label: 'Sign in to GitHub with a code',
      page: 'https://docs.github.com/en/copilot',
      signIn: async (person, signal) => (await import('./github.ts')).signIn(person, ctx, signal),
      async refresh({ refreshToken }, signal) {
        if (refreshToken === undefined) throw signInError('SIGN_IN_ENDED', 'The sign-in at GitHub cannot be renewed.')
        return (await import('./github.ts')).exchange(refreshToken, ctx, signal)
      },
      ambient: {
        source() {
          const name = findVariable(ctx)
          return name === undefined ? undefined : `${name} is set`
        },
        async token(signal) {
          const github = ctx.use(Secrets).get(findVariable(ctx) ?? '')
          if (github === undefined) throw signInError('SIGN_IN_FAILED', 'GH_TOKEN is not set any more.')
          return (await import('./github.ts')).exchange(github, ctx, signal)
        },
      },
    })
  },
})
