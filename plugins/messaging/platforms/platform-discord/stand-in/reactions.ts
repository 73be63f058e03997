/** "Create Reaction" and "Delete Own Reaction" (discord.com/developers/docs/resources/message). */
import { type ServiceAnswer, StandInReactions } from 'svc/sdk/kit/stand-in'
import { problem } from './problems.ts'

export class DiscordReactions {
  readonly marks = new StandInReactions()

  /** `rest` is the path behind the channel; undefined when it is about something else. */
  answer(method: string, rest: string, hasMessage: (id: string) => boolean): ServiceAnswer | undefined {
    const [, id = '', written = ''] = /^\/messages\/(\d+)\/reactions\/([^/]+)\/@me$/.exec(rest) ?? []
    if (!id) return undefined
    const emoji = decodeURIComponent(written)
    if (!/^\p{Extended_Pictographic}\ufe0f?$/u.test(emoji)) return problem(400, 'Unknown Emoji', 10014)
    if (!hasMessage(id)) return problem(404, 'Unknown Message', 10008)
    if (method === 'PUT') this.marks.add(id, emoji)
    else if (method === 'DELETE' && !this.marks.remove(id, emoji)) return problem(404, 'Unknown Emoji', 10014)
    return { status: 204 }
  }
}
