/** Tools, gates and prompts as an author writes them who knows other agents, and has not read the documents of this one. */
import { AfterToolCall, BeforeToolCall, BeforeToolInput, definePlugin, PromptParts, Tools } from 'svc/sdk'
import { z } from 'zod'

export const blockCommand = definePlugin({
  setup(ctx) {
    ctx.on(BeforeToolCall, ({ name, input }) => {
      if (name === 'shell' && input.command.includes('rm -rf')) return { allow: false, reason: 'too dangerous' }
      return undefined
    })
  },
})

export const rewriteInput = definePlugin({
  setup(ctx) {
    ctx.on(BeforeToolInput, ({ name, input }) => {
      if (name === 'shell') return { name, input: { ...input, command: `nice ${input.command}` } }
      return undefined
    })
  },
})

export const redactOutput = definePlugin({
  setup(ctx) {
    ctx.on(AfterToolCall, (result) => ({ ...result, text: result.text.replace(/sk-\w+/g, '[key]') }))
  },
})

export const toolWithParameters = definePlugin({
  setup(ctx) {
    ctx.add(Tools, {
      name: 'weather',
      description: 'The weather of a city.',
      parameters: z.object({ city: z.string() }),
      execute: async ({ city }) => `Sunny in ${city}.`,
    })
  },
})

export const synchronousTool = definePlugin({
  setup(ctx) {
    ctx.add(Tools, {
      name: 'shell',
      description: 'Prints a command.',
      input: z.object({ command: z.string() }),
      run: ({ command }) => `${command} sk-123`,
    })
  },
})

export const promptLine = definePlugin({
  setup(ctx) {
    ctx.add(PromptParts, { name: 'language', text: () => 'Answer in French.' })
  },
})
