/** Commands, HTTP, keys and hooks of one's own, as an author guesses them. */
import { Agent, CliCommands, definePlugin, Net, notifyHook, Sessions, SlashCommands, TurnEnded } from 'svc/sdk'
import { ConversationOpened } from 'svc/sdk/hooks'
import { KeyBindings, StatusItems } from 'svc/sdk/terminal'
import { z } from 'zod'

export const commands = definePlugin({
  setup(ctx) {
    ctx.add(SlashCommands, { name: 'double', description: 'Double a word.', run: (args) => args + args })
    ctx.add(CliCommands, {
      name: 'double',
      description: 'Double a word.',
      arguments: '<word>',
      run: ({ args }) => `${args[0]}${args[0]}`,
    })
  },
})

export const jsonOverHttp = definePlugin({
  setup(ctx) {
    ctx.add(SlashCommands, {
      name: 'rate',
      description: 'Ask for a rate.',
      run: async (url) => {
        const response = await ctx.use(Net).request({ url, method: 'POST', json: { from: 'EUR' }, timeoutMs: 2000 })
        const { rate } = await response.json(z.object({ rate: z.number() }))
        return `Rate: ${rate}`
      },
    })
  },
})

export const statusAndKey = definePlugin({
  setup(ctx) {
    ctx.add(StatusItems, { name: 'mood', line: () => 'all is well' })
    ctx.add(KeyBindings, { key: 'ctrl+g', description: 'Say hello', run: (ui) => ui.toast('hello') })
  },
})

export const Brewed = notifyHook<{ readonly cups: number }>('coffee:brewed')

export const brewer = definePlugin({
  setup(ctx) {
    ctx.add(SlashCommands, {
      name: 'brew',
      description: 'Make coffee.',
      run: async () => {
        await ctx.call(Brewed, { cups: 2 })
      },
    })
  },
})

export const drinker = definePlugin({
  setup(ctx) {
    ctx.on(Brewed, ({ cups }) => ctx.log.info('coffee', { cups }))
  },
})

export const askTheAgent = definePlugin({
  setup(ctx) {
    const session = () => ctx.use(Sessions).create({ title: 'Reports' })
    ctx.every(10 * 60_000, async () => {
      const { text, error } = await ctx.use(Agent).run({ sessionId: session().id, text: 'Anything new?' })
      ctx.log.info('report', { text, error: error?.code })
    })
  },
})

export const costs = definePlugin({
  setup(ctx) {
    ctx.on(TurnEnded, ({ sessionId, turnId, model, usage }) => {
      ctx.log.info('cost', { sessionId, turnId, model: model.model, usd: usage.costUsd })
    })
  },
})

export const counter = definePlugin({
  setup(ctx) {
    const count = ctx.state('count', { schema: z.number(), initial: 0 })
    ctx.add(SlashCommands, {
      name: 'count',
      description: 'Count how often this was typed.',
      run: async () => `${await count.update((value) => value + 1)}`,
    })
  },
})

export const greeter = definePlugin({
  setup(ctx) {
    ctx.on(ConversationOpened, ({ sessionId }) => ctx.log.info('opened', { sessionId }))
  },
})
