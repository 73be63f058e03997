import type { ErrorMessages } from 'svc/sdk'

export default {
  CHAT_NOTHING_ASKED: 'There was no question: neither -q nor anything on standard input.',
  CHAT_INPUT_BINARY: 'Standard input is not text. Name the file in the question instead.',
  CHAT_NO_CONVERSATION: 'The plugin that holds conversations is off: only single questions can be asked.',
  CHAT_NO_SESSION: 'There is no earlier conversation to continue.',
} satisfies ErrorMessages
