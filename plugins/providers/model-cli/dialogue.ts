/** What the steps of `/connect` share. */
import type { CommandContext, PluginContext, Translate } from 'svc/sdk'
import type { ConfigEdit } from 'svc/sdk/host'
import type { ModelProvider } from 'svc/sdk/provider'
import type { FrontEndHandlers } from 'svc/sdk/sessions'

/** For the journal of the configuration. */
export const AUTHOR = { author: 'model-cli', reason: '/connect' }

/** What to write, or why there is nothing; undefined when the person left. */
export type Connection =
  | {
      readonly label: string
      readonly model: string
      /** Written together with the model. */
      readonly edits: readonly ConfigEdit[]
      readonly warning?: string
    }
  | { readonly problem: string }
  | undefined

/** A front end that can ask. */
export type Asking = Required<Pick<FrontEndHandlers, 'choose' | 'ask'>>

/** A command with the front end that it asks. */
export interface Dialogue {
  readonly ctx: PluginContext<undefined>
  readonly at: CommandContext
  readonly asking: Asking
  readonly t: Translate
}

/** The end of a dialogue in which no key was accepted. */
export function refusedText({ label, name }: Pick<ModelProvider, 'label' | 'name'>, t: Translate): string {
  const values = { provider: label, command: `/connect ${name}` }
  return t('{provider} refused the key. It was not saved. Type {command} to enter another one.', values)
}
