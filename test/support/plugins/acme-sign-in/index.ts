/** Signs in to a service with a code that the person pastes. */
import { definePlugin } from 'svc/sdk'
import { SignInFlows } from 'svc/sdk/provider'

export default definePlugin({
  setup(ctx) {
    ctx.add(SignInFlows, {
      name: 'acme:oauth',
      provider: 'acme',
      type: 'oauth',
      label: 'Sign in to Acme',
      async signIn(person) {
        person.say('Open https://acme.example/authorize and copy the code.')
        const code = await person.ask('Code: ')
        if (!code) throw new Error('no code was given')
        return { accessToken: code }
      },
    })
  },
})
