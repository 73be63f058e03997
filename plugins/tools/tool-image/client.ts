/** The client of OpenAI's API; a separate file in the built program, because few runs need it. */
import OpenAIClient, { toFile as fileOf } from 'openai'

export const OpenAI: typeof OpenAIClient = OpenAIClient
export const toFile: typeof fileOf = fileOf
