/** What other plugins make of a message before a command or the model reads it. */
import type { PluginContext } from 'svc/sdk'
import { BeforeInboundMessage, type InboundDraft } from 'svc/sdk/hooks'
import type { InboundMessage } from 'svc/sdk/platform'
import { expect, test } from 'vitest'
import { stage } from './stage.ts'

type Listener = (draft: InboundDraft, message: InboundMessage) => InboundDraft | undefined

function reader(listener: Listener, failure?: 'stop') {
  return {
    name: 'reader',
    setup: (ctx: PluginContext<undefined>) =>
      void ctx.on(BeforeInboundMessage, listener, failure === undefined ? {} : { failure }),
  }
}

/** What the model was asked last. */
const lastQuestion = ({ requests }: { requests: readonly { messages: readonly { text: string }[] }[] }) =>
  requests.at(-1)?.messages.at(-1)?.text

test('a message is read as the plugin returns it, and the plugin knows the sender', async () => {
  const senders: string[] = []
  const { fake, model, gateway, said } = await stage(['fine'], {
    with: [
      reader(({ text }, { userId, chatId }) => {
        senders.push(`${userId} in ${chatId}`)
        return { text: text.replace('hunter2', '***') }
      }),
    ],
  })
  await fake.say('ada', 'my password is hunter2')
  await gateway.idle()
  expect(lastQuestion(model)).toBe('my password is ***')
  expect(said()).toEqual(['fine'])
  expect(senders).toHaveLength(1)
})

test('a plugin answers in place of the model, or drops a message; the rest is read', async () => {
  const { fake, model, gateway, said } = await stage(['fine'], {
    with: [
      reader(({ text }) => {
        if (text === 'ping') return { text, reply: 'pong' }
        if (text.startsWith('spam')) return { text, isDropped: true }
        return undefined
      }),
    ],
  })
  for (const text of ['ping', 'spam spam', 'hello']) {
    await fake.say('ada', text)
    await gateway.idle()
  }
  expect(said()).toEqual(['pong', 'fine'])
  expect(model.requests).toHaveLength(1)
  expect(gateway.status().inbox).toEqual({ waiting: 0, running: 0 })
})

test('a command may be changed or dropped, and words do not become a command', async () => {
  const ran: string[] = []
  const commands = ['greet', 'wipe'].map((name) => ({
    name,
    description: 'Test',
    category: 'Test',
    run: async (args: string) => {
      ran.push(`${name} ${args}`)
      return undefined
    },
  }))
  const { fake, gateway, model } = await stage(['fine'], {
    commands,
    with: [
      reader(({ text }) => {
        if (text === '/greet bob') return { text: '/greet Bob' }
        if (text.startsWith('/wipe')) return { text, isDropped: true }
        return text === 'wipe it' ? { text: '/wipe it' } : undefined
      }),
    ],
  })
  for (const text of ['/greet bob', '/wipe all', 'wipe it']) {
    await fake.say('ada', text)
    await gateway.idle()
  }
  expect(ran).toEqual(['greet Bob'])
  expect(lastQuestion(model)).toBe('/wipe it')
})

test('messages of senders who are not allowed are not passed', async () => {
  const seen: string[] = []
  const { fake, gateway } = await stage(['fine'], {
    platform: { settings: { ignored_chats: ['ada'] } },
    with: [
      reader(({ text }) => {
        seen.push(text)
        return undefined
      }),
    ],
  })
  await fake.say('ada', 'ignored')
  await fake.say('bob', 'hello')
  await gateway.idle()
  expect(seen).not.toContain('ignored')
})

test('a failing listener changes nothing; one that has to succeed keeps the message from being read, and the chat is told', async () => {
  const fail: Listener = () => {
    throw new Error('a defect')
  }
  const lenient = await stage(['fine'], { with: [reader(fail)] })
  await lenient.fake.say('ada', 'hello')
  await lenient.gateway.idle()
  expect(lenient.said()).toEqual(['fine'])
  const strict = await stage(['fine'], { with: [reader(fail, 'stop')] })
  await strict.fake.say('ada', 'hello')
  await strict.gateway.idle()
  expect(strict.model.requests).toEqual([])
  expect(strict.said().join()).toContain('reader failed')
})
