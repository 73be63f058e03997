/** Puts the model's questions to the person at this terminal. */
import { type Dispose, type PluginContext, Questions } from 'svc/sdk'
import { showQuestion } from 'svc/sdk/sessions'
import { LineDialogs, type LineDialogsDeps } from './line-dialogs.ts'
import type { PromptDeps } from './terminal-approvals.ts'

/** Offers this terminal for questions of the sessions that `reaches` names. Undone by the returned function. */
export function connectQuestions(
  ctx: PluginContext<undefined>,
  deps: PromptDeps & Pick<LineDialogsDeps, 'clock'>,
  reaches: (sessionId: string) => boolean,
): Dispose {
  const questions = ctx.find(Questions)
  if (!questions || !deps.io.interactive) return () => {}
  // Standard output is for the answer alone.
  const dialogs = new LineDialogs({ ...deps, print: (text) => deps.io.err(`\n${text}\n`) })
  return questions.connect({
    name: 'terminal',
    reaches,
    waits: true,
    ask: (question, signal) => showQuestion(dialogs, question, signal),
  })
}
