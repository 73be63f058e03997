/** Puts a question to a front end, by the function that it has for the form of the question. */
import type { DialogOptions, FrontEndHandlers } from './conversations.ts'
import type { QuestionForm, QuestionHandler, UserQuestion } from './questions.ts'

/** The functions by which a front end asks. @since 0.2 */
export type FrontEndDialogs = Pick<FrontEndHandlers, 'answer' | 'confirm' | 'choose' | 'ask' | 'edit'>

/** Whether a front end can put a question to a person. @since 0.2 */
export function canAsk(front: FrontEndDialogs): boolean {
  return [front.answer, front.confirm, front.choose, front.ask, front.edit].some((each) => each !== undefined)
}

/**
 * Shows a question and returns its answer as `QuestionHandler.ask` does. Without a function for the form of the question,
 * `answer` shows its text and choices; a secret is never asked for in this way. Undefined if the front end cannot ask it.
 * @since 0.2
 */
export async function showQuestion(
  front: FrontEndDialogs,
  question: UserQuestion,
  signal: AbortSignal,
): ReturnType<QuestionHandler['ask']> {
  const dialog = findDialog(front, question.form)
  return dialog ? dialog(question, signal, pickOptions(question)) : showAsText(front, question, signal)
}

type Dialog = (
  question: UserQuestion,
  signal: AbortSignal,
  options: DialogOptions,
) => Promise<string | undefined> | undefined

/** What shows a form; undefined where the front end has no function for it. */
function findDialog(front: FrontEndDialogs, form: QuestionForm | undefined): Dialog | undefined {
  switch (form?.kind) {
    case 'confirm':
      return front.confirm && (async ({ text }, ...more) => toAnswer(await front.confirm?.(text, ...more)))
    case 'choose': {
      const { items, current } = form
      const marked = current === undefined ? {} : { current }
      return front.choose && (({ text: title }, ...more) => front.choose?.({ title, items, ...marked }, ...more))
    }
    case 'text': {
      const hidden = form.secret ? { secret: true } : {}
      return front.ask && (({ text }, ...more) => front.ask?.({ text, ...hidden }, ...more))
    }
    case 'edit': {
      const { text } = form
      return front.edit && (({ text: title }, ...more) => front.edit?.({ title, text }, ...more))
    }
    case undefined:
      return undefined
  }
}

function toAnswer(isYes: boolean | undefined): string | undefined {
  return isYes === undefined ? undefined : isYes ? 'yes' : 'no'
}

function pickOptions({ expiresAt, showsTime, command }: UserQuestion): DialogOptions {
  return { ...(expiresAt !== undefined && showsTime && { expiresAt }), ...(command !== undefined && { command }) }
}

/** The answer takes the place of the text of an edit, so the person has to see it. */
async function showAsText(front: FrontEndDialogs, question: UserQuestion, signal: AbortSignal) {
  const { text, form } = question
  if (form?.kind === 'text' && form.secret) return undefined
  const isEdit = form?.kind === 'edit' && form.text !== ''
  return front.answer?.(isEdit ? { ...question, text: `${text}\n\n${form.text}` } : question, signal)
}
