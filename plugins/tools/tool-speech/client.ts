/** The client of OpenAI's API; a file of its own in the built program, because few runs need it. */
import OpenAIClient, { toFile as fileOf } from 'openai'

export const OpenAI: typeof OpenAIClient = OpenAIClient
export const toFile: typeof fileOf = fileOf
