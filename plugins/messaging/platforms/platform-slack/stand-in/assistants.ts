/** Views for assistants: events of them, prompts and titles (docs.slack.dev/ai/developing-agents). */
import type { ServiceAnswer } from 'svc/sdk/kit/stand-in'
import type { SlackPlaces } from './places.ts'
import { failed } from './rules.ts'

type Form = Readonly<Record<string, string>>

/** A thread of the older view, or undefined for the tab of messages. */
type Thread = string | undefined

export interface SuggestedPrompts {
  readonly channel: string
  readonly thread: Thread
  readonly prompts: readonly { readonly title: string; readonly message: string }[]
}

export class SlackAssistants {
  readonly suggested: SuggestedPrompts[] = []
  /** Titles of threads, oldest first. */
  readonly titles: { readonly thread: string; readonly title: string }[] = []
  readonly #threads: Set<string> = new Set()
  readonly #places: SlackPlaces

  constructor(places: SlackPlaces) {
    this.#places = places
  }

  opened(channel: string, thread: string): void {
    this.#threads.add(`${channel} ${thread}`)
  }

  /** .../reference/methods/assistant.threads.setSuggestedPrompts: one to four. */
  suggest({ channel_id: channel = '', thread_ts: thread, prompts: json = '' }: Form): ServiceAnswer {
    const prompts = JSON.parse(json) as SuggestedPrompts['prompts']
    const isRight = Array.isArray(prompts) && prompts.length >= 1 && prompts.length <= 4 && prompts.every(isPrompt)
    if (!isRight) return failed('invalid_arguments', ['[ERROR] one to four prompts with a title and a message'])
    const wrong = this.#wrong(channel, thread)
    if (wrong !== undefined) return failed(wrong)
    this.suggested.push({ channel, thread, prompts })
    return { body: { ok: true } }
  }

  /** .../reference/methods/assistant.threads.setTitle */
  name({ channel_id: channel = '', thread_ts: thread = '', title = '' }: Form): ServiceAnswer {
    const wrong = this.#wrong(channel, thread) ?? (title.trim() === '' ? 'invalid_arguments' : undefined)
    if (wrong !== undefined) return failed(wrong)
    this.titles.push({ thread, title })
    return { body: { ok: true } }
  }

  #wrong(channel: string, thread: Thread): string | undefined {
    if (!channel.startsWith('D')) return 'channel_not_found'
    const isThere = thread === undefined || this.#threads.has(`${channel} ${thread}`)
    return this.#places.wrong(channel) ?? (isThere ? undefined : 'invalid_thread_ts')
  }
}

function isPrompt({ title, message, ...rest }: SuggestedPrompts['prompts'][number]): boolean {
  const areTexts = [title, message].every((each) => typeof each === 'string' && each !== '')
  return areTexts && Object.keys(rest).length === 0
}

/** Where a view was opened, and what its person is looking at. */
export interface ViewAt {
  readonly user: string
  readonly channel: string
  readonly thread: string
  readonly viewed: string | undefined
}

/** .../reference/events/assistant_thread_started, .../assistant_thread_context_changed */
export function createViewEvent<Type extends string>(
  type: Type,
  { user, channel, thread, viewed }: ViewAt,
  at: string,
) {
  const context = viewed === undefined ? {} : { channel_id: viewed, team_id: 'T1', enterprise_id: null }
  return {
    type,
    assistant_thread: { user_id: user, context, channel_id: channel, thread_ts: thread },
    event_ts: at,
  }
}

/** .../reference/events/app_home_opened */
export function createTabEvent(tab: 'home' | 'messages', user: string, channel: string, at: string) {
  return { type: 'app_home_opened' as const, user, channel, tab, event_ts: at }
}

/** What a message of the newer view says of what its person is looking at (.../reference/events/app_context_changed). */
export function createContext(viewed: string) {
  return { entities: [{ type: 'slack#/types/channel_id' as const, value: viewed, team_id: 'T1' }] }
}
