/**
 * The services that speak the Messages API, as data: everything that differs between them. `npm run docs` writes the
 * variables, names and aliases of an entry into plugin.json and the README.
 */

import type { VendorEndpoint } from 'svc/sdk/provider'

/** One service. Its address is without `/v1/messages`. */
export interface Vendor extends VendorEndpoint {
  readonly aliases: readonly string[]
  /** Where a person gets a key. */
  readonly page?: string
  /** How a person signs in; left out: by a key. */
  readonly signIn?: 'device-code'
  readonly keyHeader: 'x-api-key' | 'authorization'
  /** How it is told how hard to think: as Claude models are, by a budget of tokens, or not at all. */
  readonly thinking: 'claude' | 'budget' | 'own'
  /** Models that can be asked to be fast, for a price of its own (https://platform.claude.com/docs/en/build-with-claude/fast-mode). */
  readonly fast?: RegExp
  /** A cheap model of it for side work. */
  readonly sideModel?: string
  /** The `config_version` that introduced its variables; left out: 1. */
  readonly since?: number
}

export const vendors: readonly Vendor[] = [
  {
    id: 'anthropic',
    label: 'Anthropic',
    sideModel: 'claude-haiku-4-5',
    aliases: ['claude', 'claude-code'],
    keyNames: ['ANTHROPIC_API_KEY', 'ANTHROPIC_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    page: 'https://platform.claude.com/settings/keys',
    address: 'https://api.anthropic.com',
    addressName: 'ANTHROPIC_BASE_URL',
    hosts: ['api.anthropic.com'],
    keyHeader: 'x-api-key',
    thinking: 'claude',
    fast: /^claude-(fable-5-2|mythos-5-2|opus-5-5|opus-5|opus-4-8)(-\d{8})?$/,
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
    id: 'minimax',
    label: 'MiniMax',
    sideModel: 'MiniMax-M3',
    aliases: [],
    keyNames: ['MINIMAX_API_KEY'],
    page: 'https://platform.minimax.io/user-center/basic-information/interface-key',
    address: 'https://api.minimax.io/anthropic',
    addressName: 'MINIMAX_BASE_URL',
    hosts: ['api.minimax.io', 'api.minimaxi.com'],
    keyHeader: 'authorization',
    thinking: 'budget',
  },
  {
    id: 'minimax-cn',
    label: 'MiniMax (China)',
    sideModel: 'MiniMax-M3',
    aliases: [],
    addressName: 'MINIMAX_CN_BASE_URL',
    keyNames: ['MINIMAX_CN_API_KEY'],
    page: 'https://platform.minimaxi.com',
    address: 'https://api.minimaxi.com/anthropic',
    hosts: ['api.minimaxi.com'],
    keyHeader: 'authorization',
    thinking: 'budget',
  },
  {
    id: 'minimax-oauth',
    label: 'MiniMax (sign-in)',
    sideModel: 'MiniMax-M3',
    aliases: ['minimax-portal'],
    keyNames: [],
    signIn: 'device-code',
    address: 'https://api.minimax.io/anthropic',
    hosts: ['api.minimax.io', 'api.minimaxi.com'],
    keyHeader: 'authorization',
    thinking: 'budget',
  },
]
