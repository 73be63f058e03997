/** Services that a person signs in to at any device, as data, with clients that the vendors publish for programs without a secret. */
import { readClaims, type TokenAnswer } from 'svc/sdk/kit/oauth'

/** One service. */
export interface DeviceVendor {
  /** The provider whose models the token is for. */
  readonly provider: string
  /** For sentences. */
  readonly label: string
  /** `standard`: RFC 8628; the others have grants of their own. */
  readonly grant: 'standard' | 'codex' | 'user-code'
  readonly deviceUrl: string
  /** Answers whether the person is done. */
  readonly pollUrl: string
  readonly tokenUrl: string
  /** Where the person enters the code, when the service does not say. */
  readonly url?: string
  readonly clientId: string
  readonly scope?: string
  /** Gives a short key for models for the token (a token exchange), which is what is kept in its place. */
  readonly keyUrl?: string
  /** When a token ends that does not say so. */
  readonly lifetimeMs?: number
  readonly renewBeforeMs?: number
  /** Who signed in, in the answer with the tokens. */
  account?(answer: TokenAnswer): string | undefined
  /** Where this is described. */
  readonly page: string
}

const MINUTE_MS = 60_000

export const vendors: readonly DeviceVendor[] = [
  {
    provider: 'nous',
    label: 'Nous Portal',
    grant: 'standard',
    deviceUrl: 'https://portal.nousresearch.com/api/oauth/device/code',
    pollUrl: 'https://portal.nousresearch.com/api/oauth/token',
    tokenUrl: 'https://portal.nousresearch.com/api/oauth/token',
    clientId: 'hermes-cli',
    scope: 'inference:mint_agent_key',
    keyUrl: 'https://portal.nousresearch.com/api/oauth/agent-key',
    page: 'https://portal.nousresearch.com',
  },
  {
    provider: 'openai-codex',
    label: 'ChatGPT',
    grant: 'codex',
    deviceUrl: 'https://auth.openai.com/api/accounts/deviceauth/usercode',
    pollUrl: 'https://auth.openai.com/api/accounts/deviceauth/token',
    tokenUrl: 'https://auth.openai.com/oauth/token',
    url: 'https://auth.openai.com/codex/device',
    clientId: 'app_EMoamEEZ73f0CkXaXp7hrann',
    lifetimeMs: 15 * MINUTE_MS,
    account: ({ body }) => readChatGptAccount(body['id_token']) ?? readChatGptAccount(body['access_token']),
    page: 'https://developers.openai.com/codex/auth',
  },
  {
    provider: 'xai-oauth',
    label: 'xAI',
    grant: 'standard',
    deviceUrl: 'https://auth.x.ai/oauth2/device/code',
    pollUrl: 'https://auth.x.ai/oauth2/token',
    tokenUrl: 'https://auth.x.ai/oauth2/token',
    clientId: 'b1a00492-073a-47ea-816f-4c329264a828',
    scope: 'openid profile email offline_access grok-cli:access api:access',
    renewBeforeMs: 60 * MINUTE_MS,
    page: 'https://auth.x.ai/.well-known/openid-configuration',
  },
  {
    provider: 'minimax-oauth',
    label: 'MiniMax',
    grant: 'user-code',
    deviceUrl: 'https://api.minimax.io/oauth/code',
    pollUrl: 'https://api.minimax.io/oauth/token',
    tokenUrl: 'https://api.minimax.io/oauth/token',
    clientId: '78257093-7e40-4613-99e0-527b14b39113',
    scope: 'group_id profile model.completion',
    renewBeforeMs: MINUTE_MS,
    page: 'https://platform.minimax.io/docs/coding-plan/intro',
  },
]

/** The claim of tokens of auth.openai.com that names the workspace, which requests name, too. */
function readChatGptAccount(token: unknown): string | undefined {
  const own = readClaims(token)?.['https://api.openai.com/auth'] as Record<string, unknown> | undefined
  const account = own?.['chatgpt_account_id']
  return typeof account === 'string' ? account : undefined
}
