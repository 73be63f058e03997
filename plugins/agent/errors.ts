import type { ErrorCatalog } from 'svc/sdk'

export default {
  AGENT_BUSY: 'This session has a turn under way. Wait for it to end or stop it.',
  AGENT_NOTHING_TO_DO: 'The model had the last word in this session. Say something to go on.',
  TOOL_SCHEMA: 'A tool has an input schema without JSON Schema. Declare it with zod 4.2 or later.',
  MODEL_FAILED: 'The model could not answer. The message says why and what to do.',
  MODEL_EMPTY: 'The model ended its answer without saying anything. Ask again or choose another model.',
} satisfies ErrorCatalog
