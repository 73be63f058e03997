/** Wires the file tools. */
import { Clock, definePlugin, Home, Random, Secrets, Tools } from 'svc/sdk'
import { fileTools } from './tools.ts'

export default definePlugin({
  setup(ctx) {
    const tools = fileTools({
      home: () => ctx.use(Home),
      clock: () => ctx.use(Clock),
      random: () => ctx.use(Random),
      mask: (text) => ctx.use(Secrets).mask(text),
    })
    for (const tool of tools) ctx.add(Tools, tool)
  },
})
