/** `/moa`: one turn by the mixture, whatever model the conversation has. */
import type { PluginContext, SlashCommand, Translate } from 'svc/sdk'
import type { ModelReference } from 'svc/sdk/hooks'
import { setBounded } from 'svc/sdk/kit/state'
import type { ModelSelectionContext } from 'svc/sdk/sessions'
import { type Config, NAME } from './config.ts'
import { findPreset } from './presets.ts'

const MAX_SESSIONS = 1000

/** The messages that are to be answered by the mixture, by session. */
export class OneTurn {
  readonly #waiting: Map<string, string> = new Map()

  begin(sessionId: string, text: string): void {
    setBounded(this.#waiting, sessionId, text, MAX_SESSIONS)
  }

  /** The choice for a turn: that of `/moa` when it is its message. Another message takes it back. */
  select(
    chosen: Partial<ModelReference>,
    { purpose, sessionId = '', text }: ModelSelectionContext,
    preset: string,
  ): Partial<ModelReference> {
    const wanted = this.#waiting.get(sessionId)
    if (purpose !== 'turn' || wanted === undefined || text === undefined) return chosen
    this.#waiting.delete(sessionId)
    return text === wanted ? { provider: NAME, model: preset } : chosen
  }
}

export function moaCommand(ctx: PluginContext<Config>, turn: OneTurn, t: Translate): SlashCommand {
  return {
    name: 'moa',
    description: 'Have several models answer one message together',
    category: 'Session',
    argsHint: '<message>',
    needsIdle: true,
    async run(text, { conversation, by }) {
      const { default_preset: preset } = ctx.config
      if (!findPreset(ctx.config, preset))
        return t('The preset {preset} is not set. Name its models in moa.presets of config.yaml.', { preset })
      if (!text) return t('Enter a message: /moa <message>.')
      turn.begin(conversation.sessionId, text)
      conversation.send(text, { source: 'person', ...(by && { by }) })
      return undefined
    },
  }
}
