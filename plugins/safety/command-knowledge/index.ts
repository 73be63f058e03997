import { definePlugin, Home } from 'svc/sdk'
import { CommandKnowledge } from 'svc/sdk/shell'
import type { Knowledge } from './read.ts'

export default definePlugin({
  setup(ctx) {
    const homes = () => {
      const home = ctx.find(Home)
      return home ? [home.root, home.dir] : []
    }
    ctx.provide(CommandKnowledge, () => {
      let knowledge: Promise<Knowledge> | undefined
      return {
        read: async (command, place) => {
          knowledge ??= import('./read.ts').then((reader) => new reader.Knowledge(homes))
          return (await knowledge).read(command, place)
        },
      }
    })
  },
})
