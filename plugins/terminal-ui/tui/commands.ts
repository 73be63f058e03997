/** Slash commands about what is seen. */
import { createTranslator, type PluginContext, type SlashCommand, type Translate } from 'svc/sdk'
import { Display } from 'svc/sdk/terminal'
import type { Front } from './front.ts'

type Words = Omit<SlashCommand, 'category' | 'surfaces' | 'run'>
type Run = (front: Front, args: string) => Promise<string | undefined> | string | undefined
type Make = (words: Words, run: Run) => SlashCommand

/** `fronts` are those that are open. */
export function slashCommands(ctx: PluginContext<undefined>, fronts: ReadonlySet<Front>): readonly SlashCommand[] {
  const t = createTranslator(ctx)
  const make: Make = (words, run) => ({
    ...words,
    category: 'Configuration',
    surfaces: ['cli'],
    async run(args, { conversation }) {
      const front = [...fronts].find((each) => each.conversation === conversation)
      return front ? run(front, args) : t('This command only works in the full-screen interface.')
    },
  })
  return [
    ...draftCommands(make, t),
    make(
      {
        name: 'statusbar',
        aliases: ['sb'],
        description: 'Show or hide the status bar',
        argsHint: '[on|off]',
        subcommands: ['on', 'off'],
      },
      async (front, args) => {
        const { statusbar } = front.settings
        if (!['', 'on', 'off'].includes(args)) return t('Say /statusbar on or /statusbar off.')
        const wanted = args === '' ? !statusbar : args === 'on'
        await ctx.use(Display).set('statusbar', wanted, 'saved')
        return undefined
      },
    ),
    make({ name: 'find', description: 'Find words in this conversation', argsHint: '[words]' }, (front, args) => {
      void front.find(args)
      return undefined
    }),
    make({ name: 'redraw', description: 'Redraw the screen' }, (front) => {
      front.repaint()
      return undefined
    }),
    make({ name: 'copy', description: 'Copy the last answer, or the n-th last', argsHint: '[n]' }, (front, args) => {
      const answer = front.transcript.answers().at(-Math.max(1, Number(args || 1)))
      if (answer === undefined || !/^\d*$/.test(args)) return t('There is no such answer.')
      front.copy(answer)
      return undefined
    }),
    make({ name: 'fold', description: 'Fold or unfold the newest tool call' }, (front) => {
      front.transcript.toggle('newest')
      front.redraw()
      return undefined
    }),
  ]
}

/** Those that fill the composer. */
function draftCommands(make: Make, t: Translate): readonly SlashCommand[] {
  return [
    make(
      {
        name: 'prompt',
        aliases: ['compose'],
        description: 'Write the next message in your own editor',
        argsHint: '[text]',
      },
      async (front, args) => {
        if (args) front.composer.set(args)
        await front.composer.openEditor(front.screen)
        return undefined
      },
    ),
    make({ name: 'paste', description: 'Attach the picture in the clipboard' }, async (front) => {
      await front.composer.attach('clipboard')
      return undefined
    }),
    make({ name: 'image', description: 'Attach a picture from a file', argsHint: '<file>' }, async (front, args) => {
      if (!args) return t('Type which file: /image picture.png')
      await front.composer.attach(args)
      return undefined
    }),
  ]
}
