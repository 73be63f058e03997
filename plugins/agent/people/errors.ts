/** Error codes of questions. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  QUESTION_ANSWER: 'The question does not have this answer. Answer with one of its choices.',
  QUESTION_UNKNOWN:
    'The question is not open any more: it was answered elsewhere, ran out of time, or its turn was stopped.',
} satisfies ErrorMessages
