/** The services that speak the Messages API, as data: everything that differs between them. */

/** One service. */
export interface Vendor {
  /** The id in `model.provider`. */
  readonly id: string
  readonly label: string
  readonly aliases: readonly string[]
  /** The first that is set is used. */
  readonly keyNames: readonly [string, ...string[]]
  /** Where a person gets a key. */
  readonly page: string
  /** Without `/v1/messages`. */
  readonly address: string
  /** The key goes to these and to hosts below them. */
  readonly hosts: readonly [string, ...string[]]
  readonly keyHeader: 'x-api-key' | 'authorization'
  /** How it is told how hard to think: as Claude models are, by a budget of tokens, or not at all. */
  readonly thinking: 'claude' | 'budget' | 'own'
}

export const vendors: readonly Vendor[] = [
  {
    id: 'anthropic',
    label: 'Anthropic',
    aliases: ['claude', 'claude-code'],
    keyNames: ['ANTHROPIC_API_KEY'],
    page: 'https://platform.claude.com/settings/keys',
    address: 'https://api.anthropic.com',
    hosts: ['api.anthropic.com'],
    keyHeader: 'x-api-key',
    thinking: 'claude',
  },
  {
    id: 'kimi-coding',
    label: 'Kimi coding plan',
    aliases: ['kimi-for-coding'],
    keyNames: ['KIMI_CODING_API_KEY'],
    page: 'https://www.kimi.com/code',
    address: 'https://api.kimi.com/coding',
    hosts: ['api.kimi.com'],
    keyHeader: 'x-api-key',
    thinking: 'own',
  },
  {
    id: 'minimax-cn',
    label: 'MiniMax (China)',
    aliases: [],
    keyNames: ['MINIMAX_CN_API_KEY'],
    page: 'https://platform.minimaxi.com',
    address: 'https://api.minimaxi.com/anthropic',
    hosts: ['api.minimaxi.com'],
    keyHeader: 'authorization',
    thinking: 'budget',
  },
]
