/** Twelve more: questions, gates, state, front ends and back ends, as the authors of other agents would write them. */
import type { EventEmitter } from 'node:events'
import { AfterToolCall, BeforeToolCall, definePlugin, SlashCommands, Tools } from 'svc/sdk'
import { Platforms } from 'svc/sdk/platform'
import { Providers } from 'svc/sdk/provider'
import { StatusItems, Themes } from 'svc/sdk/terminal'
import { ApiRoutes, jsonResponse } from 'svc/sdk/web'
import { z } from 'zod'

export const askForSize = definePlugin({
  setup(ctx) {
    ctx.add(Tools, {
      name: 'order_pizza',
      description: 'Orders a pizza.',
      parameters: z.object({ kind: z.string() }),
      execute: async ({ kind }, { person }) => {
        const size = await person.choose('Which size?', ['small', 'large'])
        if (!size) return 'Cancelled.'
        return (await person.confirm(`Order a ${size} ${kind}?`)) ? `Ordered a ${size} ${kind}.` : 'Cancelled.'
      },
    })
  },
})

export const blockSudo = definePlugin({
  setup(ctx) {
    ctx.on(BeforeToolCall, async ({ name, input }) => {
      if (name === 'shell' && /\bsudo\b/.test(input.command)) return { block: true, reason: 'sudo is not allowed' }
      return undefined
    })
  },
})

export const shortenResults = definePlugin({
  setup(ctx) {
    ctx.on(AfterToolCall, (result, { name }) => {
      if (name === 'shell') return { text: `${result.text.slice(0, 4)}...` }
      return undefined
    })
  },
})

export const todoList = definePlugin({
  setup(ctx) {
    const todos = ctx.state('todos', { initial: [] as string[] })
    ctx.add(SlashCommands, {
      name: 'todo',
      description: 'Add something to do, or show the list.',
      arguments: '[text]',
      async run(args) {
        if (args) await todos.update((old) => [...old, args])
        return todos.get().join('\n')
      },
    })
  },
})

export const weatherCommand = definePlugin({
  setup(ctx) {
    ctx.add(SlashCommands, {
      name: 'forecast',
      description: 'The weather of a city.',
      arguments: '<city> [days]',
      aliases: ['fc'],
      complete: () => ['Bern', 'Thun'],
      async run(args, { person }) {
        const [city, days = '1'] = args.split(' ')
        person.say(`Asking for ${city}`)
        return `${city}: ${days} fine day(s)`
      },
    })
  },
})

export const echoProvider = definePlugin({
  setup(ctx) {
    ctx.add(Providers, {
      name: 'echo',
      models: async () => [{ id: 'echo-1' }],
      async *stream({ messages }) {
        yield { type: 'text', text: `You said: ${messages.at(-1)?.text}` }
        yield { type: 'end', reason: 'stop' }
      },
    })
  },
})

/** `service` stands for the client of a chat service. */
export const pager = (service: EventEmitter) =>
  definePlugin({
    setup(ctx) {
      ctx.add(Platforms, {
        name: 'pager',
        async connect({ receive }) {
          service.on('message', (id, from, text) => receive({ messageId: id, chatId: from, userId: from, text }))
        },
        async send({ chatId, text }) {
          service.emit('sent', `${chatId}: ${text}`)
          return { messageId: 'sent' }
        },
      })
    },
  })

export const route = definePlugin({
  setup(ctx) {
    ctx.add(ApiRoutes, {
      method: 'GET',
      path: '/hello/:name',
      handle: ({ http }) => jsonResponse({ hello: http.params['name'] }),
    })
  },
})

export const timer = definePlugin({
  setup(ctx) {
    let ticks = 0
    ctx.every(1000, () => {
      ctx.log.info('tick', { ticks: ++ticks })
    })
    ctx.timeout(1500, () => ctx.log.info('once'))
  },
})

export const theme = definePlugin({
  setup(ctx) {
    ctx.add(Themes, { name: 'midnight', colors: { accent: '#8888ff', error: '#ff4444' } })
  },
})

export const status = definePlugin({
  setup(ctx) {
    ctx.add(StatusItems, { name: 'branch', line: () => 'main' })
  },
})

export const reviewer = definePlugin({
  setup(ctx) {
    ctx.add(Tools, {
      name: 'review',
      description: 'Has a subagent review a text.',
      parameters: z.object({ text: z.string() }),
      async execute({ text }, turn) {
        const answer = await turn.child({ text: `Review this: ${text}` })
        return answer.text
      },
    })
  },
})
