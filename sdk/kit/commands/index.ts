/** `svc/sdk/kit/commands`: the subcommands of a shell command in a conversation, as `/kanban` and `/cron` have them; words that confirm. */
export { parseLine, splitWords } from './command-line.ts'
export { isConfirmation, takeConfirmation } from './confirmation.ts'
export { type ConversationCommandOptions, runInConversation } from './in-conversation.ts'
