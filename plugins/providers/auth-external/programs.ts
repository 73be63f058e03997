/** Programs that sign in by themselves and keep their tokens in a file, as data. */
import { readClaims } from 'svc/sdk/kit/oauth'
import type { OAuthTokens } from 'svc/sdk/provider'

/** One program. */
export interface Program {
  readonly provider: string
  /** What comes after the provider in the name of the flow. */
  readonly kind: string
  readonly label: string
  /** Signs in. */
  readonly command: string
  /** The variable that names the folder of the file, and the folder in the person's home otherwise. */
  readonly folder: { readonly variable?: string; readonly usual: string }
  readonly file: string
  /** The provider is for these tokens alone: they are used without being added. */
  readonly isAmbient?: true
  /** Tokens are renewed here, into the file; otherwise by the program. */
  readonly renewal?: { readonly url: string; readonly clientId: string }
  /** Undefined: it holds none. */
  read(file: Readonly<Record<string, unknown>>): OAuthTokens | undefined
  readonly page: string
}

export const programs: readonly Program[] = [
  {
    provider: 'qwen-oauth',
    kind: 'qwen',
    label: 'Qwen Code',
    command: 'qwen',
    folder: { usual: '.qwen' },
    file: 'oauth_creds.json',
    isAmbient: true,
    renewal: { url: 'https://chat.qwen.ai/api/v1/oauth2/token', clientId: 'f0304373b74a44d2b584a3fb70ca9e56' },
    read: ({ access_token, refresh_token, expiry_date, resource_url }) => {
      const tokens = toTokens(access_token, refresh_token, expiry_date)
      const host = typeof resource_url === 'string' ? resource_url.replace(/^https?:\/\//, '').replace(/\/+$/, '') : ''
      if (host === '') return tokens
      return tokens && { ...tokens, baseUrl: `https://${host}${host.endsWith('/v1') ? '' : '/v1'}` }
    },
    page: 'https://qwenlm.github.io/qwen-code-docs/en/users/configuration/auth/',
  },
  {
    provider: 'anthropic',
    kind: 'claude-code',
    label: 'Claude Code',
    command: 'claude /login',
    folder: { variable: 'CLAUDE_CONFIG_DIR', usual: '.claude' },
    file: '.credentials.json',
    read: ({ claudeAiOauth }) => {
      const { accessToken, refreshToken, expiresAt } = toObject(claudeAiOauth)
      return toTokens(accessToken, refreshToken, expiresAt)
    },
    page: 'https://docs.claude.com/en/docs/claude-code/iam',
  },
  {
    provider: 'openai-codex',
    kind: 'codex',
    label: 'Codex',
    command: 'codex login',
    folder: { variable: 'CODEX_HOME', usual: '.codex' },
    file: 'auth.json',
    read: ({ tokens }) => {
      const { access_token, refresh_token, account_id } = toObject(tokens)
      const end = readClaims(access_token)?.['exp']
      const read = toTokens(access_token, refresh_token, typeof end === 'number' ? end * 1000 : undefined)
      return read && (typeof account_id === 'string' ? { ...read, account: account_id } : read)
    },
    page: 'https://developers.openai.com/codex/auth',
  },
]

function toTokens(access: unknown, refresh: unknown, end: unknown): OAuthTokens | undefined {
  if (typeof access !== 'string' || access === '') return undefined
  return {
    accessToken: access,
    ...(typeof refresh === 'string' && refresh !== '' ? { refreshToken: refresh } : {}),
    ...(typeof end === 'number' ? { expiresAt: end } : {}),
  }
}

function toObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
