/** Wires the catalogue: it is there whenever the API server is. */
import { definePlugin } from 'svc/sdk'
import { PluginsChanged } from 'svc/sdk/hooks'
import { Http, type MountedApp } from 'svc/sdk/web'
import { createCatalogueApp } from './catalogue.ts'

export default definePlugin({
  setup(ctx) {
    let mounted: (MountedApp & { readonly lock: object }) | undefined
    let turn: Promise<void> = Promise.resolve()
    /** Beside the API server of this moment: with its address, its lock and its words for failures. */
    const follow = async () => {
      const server = ctx
        .use(Http)
        .apps()
        .find(({ name }) => name === 'api-server')
      if (mounted?.lock === server?.lock) return
      await mounted?.close()
      mounted = server && { ...(await ctx.use(Http).mount(createCatalogueApp(ctx, server))), lock: server.lock }
    }
    const followInTurn = () => {
      turn = turn.then(follow)
      return turn
    }
    ctx.onStart(followInTurn)
    ctx.on(PluginsChanged, followInTurn)
    ctx.defer(() => mounted?.close())
  },
})
