/** The presets that can be used. */
import type { Config, ModelName, Preset } from './config.ts'

/** Undefined: it is not there, or switched off. */
export function findPreset({ presets }: Config, name: string): Preset | undefined {
  const found = Object.hasOwn(presets, name) ? presets[name] : undefined
  return found?.enabled ? found : undefined
}

export function listPresets({ presets }: Config): readonly (readonly [string, Preset])[] {
  return Object.entries(presets).filter(([, { enabled }]) => enabled)
}

export function formatModel({ provider, model }: ModelName): string {
  return `${provider}/${model}`
}
