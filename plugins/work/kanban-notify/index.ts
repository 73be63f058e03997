/** Wires the messages to chats: they are sent by a gateway, for its connected platforms. */
import { Clock, definePlugin, Home } from 'svc/sdk'
import { PlatformChanged } from 'svc/sdk/hooks'
import { Boards } from 'svc/sdk/kanban'
import { Gateway, Outbox } from 'svc/sdk/platform'
import { Notifier } from './notifier.ts'

export default definePlugin({
  setup(ctx) {
    const connected = () =>
      (ctx.find(Gateway)?.status().platforms ?? []).filter(({ state }) => state === 'connected').map(({ name }) => name)
    const notifier = new Notifier({
      ...{ boards: () => ctx.use(Boards), outbox: () => ctx.use(Outbox), clock: () => ctx.use(Clock), log: ctx.log },
      profile: () => ctx.use(Home).profile ?? 'default',
      platforms: connected,
    })
    ctx.on(PlatformChanged, () => notifier.wake())
    ctx.defer(() => notifier.stop())
  },
})
