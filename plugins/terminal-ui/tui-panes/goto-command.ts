/** `/goto` scrolls to a message that has a label. */
import { createTranslator, type PluginContext, Sessions, type SlashCommand } from 'svc/sdk'
import { SessionTrees } from 'svc/sdk/sessions'
import { TerminalUi } from 'svc/sdk/terminal'

export function gotoCommand(ctx: PluginContext<undefined>): SlashCommand {
  const t = createTranslator(ctx)
  const listLabels = (sessionId: string) => ctx.find(SessionTrees)?.labels(sessionId) ?? []
  return {
    name: 'goto',
    description: 'Scroll to a labelled message',
    category: 'Session',
    argsHint: '[label]',
    surfaces: ['cli'],
    async run(wanted, { conversation: { sessionId } }) {
      const ui = ctx.find(TerminalUi)?.of(sessionId)
      if (!ui) return t('This command only works in the full-screen interface.')
      const labels = listLabels(sessionId)
      if (labels.length === 0) return t('No message has a label yet: /label sets one.')
      const items = labels.map(({ text, at }) => ({ id: String(at), label: text, detail: `#${at}` }))
      const chosen = wanted === '' ? await ui.choose({ title: t('Go to'), items }) : undefined
      if (wanted === '' && chosen === undefined) return undefined
      const label = labels.find(({ text, at }) => (wanted === '' ? String(at) === chosen : text === wanted))
      if (!label) return t('No message has the label "{wanted}".', { wanted })
      const session = ctx.use(Sessions).open(sessionId)
      // Labels count the whole history; what was compressed is no message any more, and those after it keep their order.
      const fromEnd = session.history().length - label.at
      const isShown = ui.scrollTo(session.messages().length - 1 - fromEnd)
      return isShown ? undefined : t('The message "{label}" is no longer shown.', { label: label.text })
    },
    async complete(typed, { conversation: { sessionId } }) {
      return listLabels(sessionId)
        .filter(({ text }) => text.toLowerCase().includes(typed.toLowerCase()))
        .map(({ text, at }) => ({ text, from: 0, label: text, detail: `#${at}` }))
    },
  }
}
