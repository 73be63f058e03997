/** Clouds that know who this machine is, as data. */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type PluginContext, Secrets } from 'svc/sdk'
import type { OAuthTokens } from 'svc/sdk/provider'
import type { AzureIdentity } from './azure.ts'

const AZURE_VARIABLES = [
  ...['AZURE_CLIENT_SECRET', 'AZURE_FEDERATED_TOKEN_FILE', 'IDENTITY_ENDPOINT', 'MSI_ENDPOINT', 'AZURE_CLIENT_ID'],
]
const AZURE_FILES = ['.azure/msal_token_cache.json', '.azure/msal_token_cache.bin']

export type Deps = Pick<PluginContext<unknown>, 'use'>

/** One identity for one provider. */
export interface Cloud {
  readonly provider: string
  readonly kind: string
  readonly label: string
  /** Signs a person in on this machine. */
  readonly command: string
  readonly page: string
  /** The first that is there, for people; quick, and asks no one. */
  source(deps: Deps): string | undefined
  token(deps: Deps, signal: AbortSignal): Promise<OAuthTokens>
}

export const clouds: readonly Cloud[] = [
  azure('azure-foundry', 'https://ai.azure.com/.default'),
  azure('azure-openai', 'https://cognitiveservices.azure.com/.default'),
  {
    provider: 'vertex',
    kind: 'google',
    label: 'Google Cloud',
    command: 'gcloud auth application-default login',
    page: 'https://cloud.google.com/docs/authentication/application-default-credentials',
    source: (deps) =>
      firstSet(deps, ['VERTEX_CREDENTIALS', 'GOOGLE_APPLICATION_CREDENTIALS', 'GCE_METADATA_HOST', 'K_SERVICE']) ??
      firstFile(deps, ['.config/gcloud/application_default_credentials.json']),
    async token(deps) {
      const { getGoogleToken } = await import('./google.ts')
      const secrets = deps.use(Secrets)
      const keyFile = secrets.get('VERTEX_CREDENTIALS') ?? secrets.get('GOOGLE_APPLICATION_CREDENTIALS')
      const { token, expiresAt, project } = await getGoogleToken(keyFile)
      const own = secrets.get('VERTEX_PROJECT') ?? secrets.get('GOOGLE_CLOUD_PROJECT') ?? project
      if (own === undefined)
        throw new Error('no project is known; set VERTEX_PROJECT with `svc config set VERTEX_PROJECT <project>`')
      const location = secrets.get('VERTEX_LOCATION') ?? secrets.get('GOOGLE_CLOUD_LOCATION') ?? 'global'
      const baseUrl = getVertexAddress(own, location)
      return { accessToken: token, baseUrl, ...(expiresAt === undefined ? {} : { expiresAt }) }
    },
  },
]

/** https://cloud.google.com/vertex-ai/generative-ai/docs/start/openai */
function getVertexAddress(project: string, location: string): string {
  if (!/^[a-z0-9-]+$/.test(location)) throw new Error(`VERTEX_LOCATION is "${location}", which is no location`)
  const host = location === 'global' ? 'aiplatform.googleapis.com' : `${location}-aiplatform.googleapis.com`
  return `https://${host}/v1/projects/${encodeURIComponent(project)}/locations/${location}/endpoints/openapi`
}

function azure(provider: string, scope: string): Cloud {
  return {
    provider,
    kind: 'entra',
    label: 'Microsoft Entra',
    command: 'az login',
    page: 'https://learn.microsoft.com/azure/ai-foundry/foundry-models/how-to/configure-entra-id',
    source: (deps) => firstSet(deps, AZURE_VARIABLES) ?? firstFile(deps, AZURE_FILES),
    async token(deps, signal) {
      const { getAzureToken } = await import('./azure.ts')
      const { token, expiresAt } = await getAzureToken(scope, findIdentity(deps), signal)
      return { accessToken: token, expiresAt }
    },
  }
}

/** The first that is there; an application also from `.env`, which the vendor's package does not read. */
function findIdentity(deps: Deps): AzureIdentity {
  const secrets = deps.use(Secrets)
  const [tenant, client, secret] = ['AZURE_TENANT_ID', 'AZURE_CLIENT_ID', 'AZURE_CLIENT_SECRET'].map((name) =>
    secrets.get(name),
  )
  if (tenant && client && secret) return { is: 'application', tenant, client, secret }
  if (secrets.get('AZURE_FEDERATED_TOKEN_FILE') !== undefined) return { is: 'workload' }
  if (firstSet(deps, ['IDENTITY_ENDPOINT', 'MSI_ENDPOINT']) !== undefined) return { is: 'managed' }
  return { is: firstFile(deps, AZURE_FILES) === undefined ? 'unknown' : 'cli' }
}

function firstSet(deps: Deps, names: readonly string[]): string | undefined {
  const name = names.find((each) => deps.use(Secrets).get(each) !== undefined)
  return name === undefined ? undefined : `${name} is set`
}

function firstFile(deps: Deps, files: readonly string[]): string | undefined {
  const home = deps.use(Secrets).get('HOME') ?? homedir()
  const file = files.find((each) => existsSync(join(home, each)))
  return file === undefined ? undefined : `~/${file} is there`
}
