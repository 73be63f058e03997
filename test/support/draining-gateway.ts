/** A plugin in the place of the gateway, for what only asks whether turns may begin. */
import type { InlinePlugin } from 'svc'
import { Gateway } from 'svc/sdk/platform'

export function drainingGateway(isDraining: () => boolean): InlinePlugin {
  return {
    name: 'draining-gateway',
    kind: 'service',
    provides: ['gateway'],
    setup: (ctx) =>
      void ctx.provide(
        Gateway,
        () =>
          ({
            get isDraining() {
              return isDraining()
            },
          }) as Gateway,
      ),
  }
}
