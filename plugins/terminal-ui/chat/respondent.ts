/** Puts the model's questions to the person at this terminal. */
import { type Dispose, type PluginContext, Questions, type UserQuestion } from 'svc/sdk'
import { safePiece } from 'svc/sdk/kit/terminal'
import type { PromptDeps } from './approver.ts'

/** Offers this terminal for questions of the sessions that `reaches` names. Undone by the returned function. */
export function connectQuestions(
  ctx: PluginContext<undefined>,
  deps: PromptDeps,
  reaches: (sessionId: string) => boolean,
): Dispose {
  const questions = ctx.find(Questions)
  if (!questions || !deps.io.interactive) return () => {}
  return questions.connect({
    name: 'terminal',
    reaches,
    ask: (question, signal) => askQuestion(deps, question, signal),
  })
}

/** Enter alone asks again; the end of input is no answer. */
export async function askQuestion(
  { lines, io, t }: PromptDeps,
  { text, choices }: UserQuestion,
  signal: AbortSignal,
): Promise<string | undefined> {
  const offered = choices.map((choice, at) => `  ${at + 1}  ${safePiece(choice).replace(/\s+/g, ' ')}\n`).join('')
  io.err(`\n${safePiece(text)}\n${offered}`)
  const prompt = t(choices.length > 0 ? 'A number, or your own words: ' : 'Your answer: ')
  while (!signal.aborted) {
    const line = await lines.ask(prompt, signal)
    if (line === undefined) break
    if (line.trim() !== '') return line.trim()
  }
  if (signal.aborted) io.err(`\n${t('No answer is needed any more.')}\n`)
  return undefined
}
