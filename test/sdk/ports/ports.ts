/**
 * What eight public example extensions of another agent do, written again for svc: each by the hook, point or service that is
 * meant for it, with nothing that only works by chance.
 */
import { execFile } from 'node:child_process'
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { promisify } from 'node:util'
import { AuxiliaryModels, Conversations, definePlugin, Sessions, SlashCommands, Tools } from 'svc/sdk'
import { BeforeConversationChange, BeforeUserInput, ConversationClosed } from 'svc/sdk/hooks'
import { z } from 'zod'

const run = promisify(execFile)

/** auto-commit-on-exit: what is not committed in the folder of a conversation is, once that ends. */
export const autoCommit = definePlugin({
  setup(ctx) {
    ctx.on(ConversationClosed, async ({ conversation: { cwd }, sessionId, reason }) => {
      if (reason !== 'closed') return
      const { stdout } = await run('git', ['status', '--porcelain'], { cwd })
      if (stdout === '') return
      const messages = ctx.use(Sessions).open(sessionId).messages()
      const last = messages.findLast(({ role }) => role === 'assistant')
      await run('git', ['add', '-A'], { cwd })
      await run('git', ['commit', '-qm', last?.text.split('\n')[0] || 'Work of the agent'], { cwd })
    })
  },
})

/** confirm-destructive: a conversation in which something was said is left only after a yes. */
export const confirmLeaving = definePlugin({
  setup(ctx) {
    ctx.on(BeforeConversationChange, ({ reason, sessionId }) => {
      if (reason === 'branch' || reason === 'close') return undefined
      const said = ctx.use(Sessions).open(sessionId).messages().length
      if (said === 0) return undefined
      return { decision: 'ask', question: { reason: `leaves ${said} messages behind` } }
    })
  },
})

/** inline-bash: `!{command}` in a message becomes the output of the command. */
export const inlineBash = definePlugin({
  setup(ctx) {
    ctx.on(BeforeUserInput, async (input, { cwd, signal }) => {
      let { text } = input
      for (const [whole, command = ''] of input.text.matchAll(/!\{([^}]+)\}/g)) {
        const { stdout } = await run('sh', ['-c', command], { cwd, signal })
        text = text.replace(whole, () => stdout.trim())
      }
      return { ...input, text }
    })
  },
})

/** input-transform: a message is answered without a model, or put in other words. */
export const inputWords = definePlugin({
  setup(ctx) {
    ctx.on(BeforeUserInput, (input) => {
      if (input.text === 'time') return { ...input, reply: 'It is noon.' }
      if (!input.text.startsWith('?quick ')) return undefined
      return { ...input, text: `Answer in one sentence: ${input.text.slice(7)}` }
    })
  },
})

/** todo: a list that belongs to the conversation, so that a branch has a copy of it and an undo takes entries back. */
export const todo = definePlugin({
  setup(ctx) {
    const todos = ctx.sessionState('todos', {
      schema: z.array(z.object({ text: z.string(), done: z.boolean() })),
      initial: [],
    })
    const format = (sessionId: string) =>
      todos
        .get(sessionId)
        .map(({ text, done }, at) => `${done ? 'x' : ' '} ${at + 1} ${text}`)
        .join('\n') || 'Nothing to do.'
    ctx.add(Tools, {
      name: 'todo',
      description: 'Adds something to do, or marks an entry as done.',
      parameters: z.object({ add: z.string().optional(), done: z.number().optional() }),
      effect: 'undoable',
      reach: 'nothing',
      execute({ add, done }, { sessionId }) {
        const now = todos.get(sessionId).map((entry, at) => (at + 1 === done ? { ...entry, done: true } : entry))
        todos.set(sessionId, add === undefined ? now : [...now, { text: add, done: false }])
        return format(sessionId)
      },
    })
    ctx.add(SlashCommands, { name: 'todos', description: 'Shows the list.', run: (_, at) => format(at.sessionId) })
  },
})

/** file-trigger: what is written into a file is said in the open conversation. */
export const fileTrigger = (file: string) =>
  definePlugin({
    setup(ctx) {
      ctx.onStart(() => {
        watchFile(file, { interval: 50, persistent: false }, () => {
          const text = readFileSync(file, 'utf8').trim()
          if (text) ctx.use(Conversations).all().at(-1)?.send(text, { whenBusy: 'queue' })
        })
      })
      ctx.defer(() => unwatchFile(file))
    },
  })

/** handoff: a new conversation that begins with a summary for a goal, which the person may edit first. */
export const handoff = definePlugin({
  setup(ctx) {
    ctx.add(SlashCommands, {
      name: 'handoff',
      description: 'Go on with a goal in a new conversation.',
      argsHint: '<goal>',
      async run(goal, { sessionId, conversation, person, cwd, signal }) {
        const messages = ctx.use(Sessions).open(sessionId).messages()
        const question = { role: 'user' as const, text: `Sum up what matters for this goal: ${goal}` }
        const { text } = await ctx.use(AuxiliaryModels).ask({
          slot: 'handoff',
          messages: [...messages, question],
          sessionId,
          signal,
        })
        const prompt = await person.edit('How the new conversation begins', { text })
        if (!prompt) return 'Nothing was handed over.'
        await conversation.switchTo(() => ctx.use(Sessions).create({ cwd, title: goal }).id, 'new')
        conversation.send(prompt)
        return undefined
      },
    })
  },
})

/** tool-override: a tool of another plugin keeps its name and form, and refuses some files. */
export const readOverride = definePlugin({
  setup(ctx) {
    ctx.replace(Tools, 'read_file', (inner) => ({
      ...inner,
      run: async (input, turn) => {
        ctx.log.info('read', { input })
        if (JSON.stringify(input).includes('secret')) return 'This file is not for the model.'
        return inner.run(input, turn)
      },
    }))
  },
})
