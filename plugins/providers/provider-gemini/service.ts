/** Gemini as data. */
import type { PluginContext } from 'svc/sdk'
import type { ResolvedEndpoint, VendorEndpoint } from 'svc/sdk/provider'

/** What of the plugin's context the provider needs. */
export type Deps = Pick<PluginContext<unknown>, 'use' | 'find' | 'log'>

export const gemini: VendorEndpoint = {
  id: 'gemini',
  label: 'Gemini',
  keyNames: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
  address: 'https://generativelanguage.googleapis.com/v1beta',
  addressName: 'GEMINI_BASE_URL',
  hosts: ['generativelanguage.googleapis.com'],
}

/** The address of the API, which has its version in its path. */
export function getApiAddress({ baseUrl }: ResolvedEndpoint): string {
  return new URL(baseUrl).pathname === '/' ? `${baseUrl}/v1beta` : baseUrl
}

/** What every request carries. */
export function createHeaders({ key }: ResolvedEndpoint): Record<string, string> {
  return key.value === undefined ? {} : { 'x-goog-api-key': key.value }
}
