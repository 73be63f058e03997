/** Notes plugins that fail, appear and go. */
import { definePlugin } from 'svc/sdk'
import { ConfigChanged, PluginFailed, PluginsChanged } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(PluginFailed, ({ plugin, message }) => ctx.log.warn('failed', { plugin, message }))
    ctx.on(PluginsChanged, ({ names }) => ctx.log.info('changed', { plugins: names.length }))
    ctx.on(ConfigChanged, () => ctx.log.info('config'))
  },
})
