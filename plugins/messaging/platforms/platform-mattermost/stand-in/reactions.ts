/** Reactions of Mattermost (https://developers.mattermost.com/api-documentation/#/reactions). */
import { type ServiceAnswer, type ServiceRequest, StandInReactions } from 'svc/sdk/kit/stand-in'

const EMOJI = ['eyes', 'white_check_mark', 'x']

function refused(status: number, id: string, message: string): ServiceAnswer {
  return { status, body: { id, message, detailed_error: '', status_code: status } }
}

export class MattermostReactions {
  readonly marks = new StandInReactions()

  /** Saving or deleting one; undefined for everything else. `call` is the method and the path behind `/api/v4`. */
  answer(
    call: string,
    request: ServiceRequest,
    me: string,
    hasPost: (id: string) => boolean,
  ): ServiceAnswer | undefined {
    const [, userId, post, emoji = ''] = /^DELETE \/users\/(\w+)\/posts\/(\w+)\/reactions\/(\w+)$/.exec(call) ?? []
    if (post !== undefined && userId === me) return { body: { status: this.marks.remove(post, emoji) && 'OK' } }
    return call === 'POST /reactions' ? this.#save(request.json(), me, hasPost) : undefined
  }

  /** The same once more is no error. */
  #save(body: unknown, me: string, hasPost: (id: string) => boolean): ServiceAnswer {
    const { user_id, post_id = '', emoji_name = '' } = (body ?? {}) as Readonly<Record<string, string>>
    if (user_id !== me || !hasPost(post_id))
      return refused(
        403,
        'api.reaction.save_reaction.user_id.app_error',
        'You cannot save reaction for the other user.',
      )
    if (!EMOJI.includes(emoji_name)) return refused(400, 'app.reaction.save.save.app_error', 'Unable to save reaction.')
    this.marks.add(post_id, emoji_name)
    return { status: 201, body: { user_id, post_id, emoji_name, create_at: 1 } }
  }
}
