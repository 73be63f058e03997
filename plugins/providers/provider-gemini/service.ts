/** Gemini as data. */
import type { ModelService, ModelVendor, PluginContext } from 'svc/sdk'

/** What of the plugin's context the provider needs. */
export type Host = Pick<PluginContext<unknown>, 'use' | 'find' | 'log'>

export const gemini: ModelVendor = {
  id: 'gemini',
  label: 'Gemini',
  keyNames: ['GOOGLE_API_KEY', 'GEMINI_API_KEY'],
  address: 'https://generativelanguage.googleapis.com/v1beta',
  hosts: ['generativelanguage.googleapis.com'],
}

/** The address of the API, which has its version in its path. */
export function apiOf({ baseUrl }: ModelService): string {
  return new URL(baseUrl).pathname === '/' ? `${baseUrl}/v1beta` : baseUrl
}

/** What every request carries. */
export function headersOf({ key }: ModelService): Record<string, string> {
  return key.value === undefined ? {} : { 'x-goog-api-key': key.value }
}
