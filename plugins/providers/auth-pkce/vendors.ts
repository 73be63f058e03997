/**
 * Services that a person signs in to with a browser, as data. Clients are those that the vendors publish for programs on a person's
 * machine: they have no secret (RFC 8252, section 8.4).
 */
import type { TokenAnswer } from 'svc/sdk/kit/oauth'

/** One service. */
export interface PkceVendor {
  /** The provider whose models the token is for. */
  readonly provider: string
  /** What comes after the provider in the name of the flow. */
  readonly kind: string
  /** For sentences. */
  readonly label: string
  readonly authorizeUrl: string
  readonly tokenUrl: string
  /** Left out: the service knows no clients. */
  readonly clientId?: string
  readonly scope?: string
  /**
   * Where the browser goes afterwards: to this machine, at the port that the vendor knows (0: any), or to a page of the vendor that
   * shows a code.
   */
  readonly returns:
    | { readonly port: number; readonly host: '127.0.0.1' | 'localhost'; readonly path: string }
    | { readonly page: string }
  /** Fields of the address beside those of RFC 6749 and RFC 7636. */
  readonly authorizeFields?: Readonly<Record<string, string>>
  /** The token endpoint takes JSON, with the state. */
  readonly json?: true
  /** It takes an address to return to instead of the fields of RFC 6749, and gives a key that does not end. */
  readonly givesKey?: true
  /** When a token ends that does not say so. */
  readonly lifetimeMs?: number
  readonly renewBeforeMs?: number
  /** Who signed in, in the answer with the tokens. */
  account?(answer: TokenAnswer): string | undefined
  /** Where this is described. */
  readonly page: string
}

const HOUR_MS = 3_600_000

export const vendors: readonly PkceVendor[] = [
  {
    provider: 'anthropic',
    kind: 'oauth',
    label: 'Anthropic',
    authorizeUrl: 'https://claude.ai/oauth/authorize',
    tokenUrl: 'https://platform.claude.com/v1/oauth/token',
    clientId: '9d1c250a-e61b-44d9-88ed-5944d1962f5e',
    scope: 'org:create_api_key user:profile user:inference',
    returns: { page: 'https://platform.claude.com/oauth/code/callback' },
    authorizeFields: { code: 'true' },
    json: true,
    lifetimeMs: HOUR_MS,
    account: ({ body }) => readText(body['account'], 'uuid'),
    page: 'https://docs.claude.com/en/docs/claude-code/iam',
  },
  {
    provider: 'openrouter',
    kind: 'oauth',
    label: 'OpenRouter',
    authorizeUrl: 'https://openrouter.ai/auth',
    tokenUrl: 'https://openrouter.ai/api/v1/auth/keys',
    returns: { port: 3000, host: 'localhost', path: '/svc' },
    json: true,
    givesKey: true,
    account: ({ body }) => readText(body, 'user_id'),
    page: 'https://openrouter.ai/docs/use-cases/oauth-pkce',
  },
  {
    provider: 'xai-oauth',
    kind: 'oauth',
    label: 'xAI',
    authorizeUrl: 'https://auth.x.ai/oauth2/authorize',
    tokenUrl: 'https://auth.x.ai/oauth2/token',
    clientId: 'b1a00492-073a-47ea-816f-4c329264a828',
    scope: 'openid profile email offline_access grok-cli:access api:access',
    returns: { port: 56121, host: '127.0.0.1', path: '/callback' },
    renewBeforeMs: HOUR_MS,
    page: 'https://auth.x.ai/.well-known/openid-configuration',
  },
]

function readText(value: unknown, name: string): string | undefined {
  const found = (value as Record<string, unknown> | null | undefined)?.[name]
  return typeof found === 'string' ? found : undefined
}
