import type { ErrorMessages } from 'svc/sdk'

export default {
  AGENT_BUSY: 'This session has a turn under way. Wait for it to end or stop it.',
  AGENT_NOTHING_TO_DO: 'The model had the last word in this session. Say something to go on.',
  AGENT_FORMAT_INVALID:
    'The format that an answer must have is not valid, or its schema uses a keyword that is not checked. Correct the schema.',
  AGENT_FORMAT_UNSUPPORTED:
    'The model cannot be held to a format of its answers. Leave the format out or choose another model.',
  TURN_REFUSED: 'A check of messages refused this one, so no model was asked. The message says why.',
  MODEL_FORMAT_MISSED:
    'The answer did not have the form that was asked for, also when the model was told what is wrong. Simplify the schema, or choose another model.',
  TOOL_SCHEMA: 'A tool has an input schema without JSON Schema. Declare it with zod 4.2 or later.',
  TOOL_ACTS: 'A tool said in its `acts` something that gates cannot judge. Mend its plugin.',
  MODEL_FAILED: 'The model could not answer. The message says why and what to do.',
  MODEL_CUT:
    'The output limit was used up twice before there was anything of the answer to use. Ask for less at once, or raise the limit of the model.',
  MODEL_FILTERED:
    'The model refused to answer, or a filter of its service held the answer back. Ask in another way or choose another model.',
  MODEL_EMPTY: 'The model ended its answer without saying anything. Ask again or choose another model.',
} satisfies ErrorMessages
