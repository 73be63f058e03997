/** What holds for the turns of a conversation: what was chosen for its session, what was asked for at its start, and the rest. */
import { type ConversationSettings, defineSessionState, type Session } from 'svc/sdk'
import { mergeSettings, SelectedSettings } from 'svc/sdk/sessions'

/** What a front end gave. */
export interface GivenSettings {
  /** Asked for now, as by a flag of the command line. */
  readonly settings?: ConversationSettings
  readonly standard?: ConversationSettings
}

/** As it is stored, for what `SelectedSettings` leaves out because it is not well-formed. */
const Stored = defineSessionState<object>(SelectedSettings.state, {
  undo: SelectedSettings.undo,
  parse: (value) => (typeof value === 'object' && value !== null ? value : { value }),
})

type Change = { readonly [Key in keyof ConversationSettings]?: ConversationSettings[Key] | undefined }

export class Choices {
  readonly #under: ConversationSettings
  /** Asked for at the start, until something else is chosen. It holds for the first session only. */
  #over: ConversationSettings
  #session: Session
  #chosen: ConversationSettings = {}
  /** Stored and not valid: a setting that is not known, a level that does not exist. */
  #lost: readonly (readonly [name: string, value: unknown])[] = []
  #all: ConversationSettings

  constructor(session: Session, { settings = {}, standard = {} }: GivenSettings) {
    this.#under = mergeSettings(standard, settings)
    this.#over = settings
    this.#session = session
    this.#read(session)
    this.#all = this.#merge()
  }

  get all(): ConversationSettings {
    return this.#all
  }

  /** Another session is shown. What was asked for at the start gives way to what was chosen for this one. */
  moveTo(session: Session): void {
    this.#session = session
    this.#over = {}
    this.#read(session)
    this.#all = this.#merge()
  }

  #read(session: Session): void {
    const chosen = session.state(SelectedSettings) ?? {}
    this.#chosen = chosen
    this.#lost = Object.entries(session.state(Stored) ?? {}).filter(([name]) => !Object.hasOwn(chosen, name))
  }

  /** Stores it with the session. */
  change(change: Change): void {
    const chosen = omitUndefined({ ...this.#chosen, ...change })
    this.#session.setState(SelectedSettings, Object.keys(chosen).length > 0 ? chosen : undefined)
    this.#chosen = chosen
    this.#lost = []
    const others = Object.entries(this.#over).filter(([key]) => !Object.hasOwn(change, key))
    this.#over = Object.fromEntries(others)
    this.#all = this.#merge()
  }

  /** Removes stored settings that are not valid any more, and returns their names: an unknown setting, a missing provider. */
  dropInvalid(hasProvider: (name: string) => boolean): readonly string[] {
    const { provider, model } = this.#chosen
    const isGone = provider !== undefined && !hasProvider(provider)
    const invalid = [
      ...this.#lost.map(([name, value]) => `${name} ${JSON.stringify(value)}`),
      ...(isGone ? [[...(model === undefined ? [] : [`model ${model}`]), `provider ${provider}`].join(' of ')] : []),
    ]
    if (invalid.length > 0) this.change(isGone ? { provider: undefined, model: undefined } : {})
    return invalid
  }

  #merge(): ConversationSettings {
    return mergeSettings(mergeSettings(this.#under, this.#chosen), this.#over)
  }
}

/** The settings that are given. */
export function omitUndefined(change: Change): ConversationSettings {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}
