/** A plugin with settings of every kind, and shorthands for the tests of `svc config`. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InlinePlugin, OpenOptions } from 'svc'
import { type CliSetting, testKernel } from 'svc/sdk/testing'
import { z } from 'zod'

const schema = z.object({
  volume: z.number().min(0).max(11).default(5).meta({ description: 'How loud, from 0 to 11.' }),
  station: z.string().default('news').meta({ description: 'What is heard.' }),
  band: z.enum(['short', 'medium', 'long']).default('medium'),
  presets: z.array(z.string()).default([]),
  stereo: z.boolean().default(true),
  licence: z.string().optional().meta({ description: 'Number of the licence.', secret: true }),
  remote: z.object({ token: z.string().optional().meta({ secret: true, env: 'RADIO_REMOTE_TOKEN' }) }).optional(),
  log: z.strictObject({ level: z.string().default('info') }).optional(),
})

/** Its block is `plugins.entries.radio`. */
export const radio: InlinePlugin = {
  name: 'radio',
  config: schema as unknown as NonNullable<InlinePlugin['config']>,
  env: [
    { name: 'RADIO_KEYWORD', description: 'Opens the radio.', secret: true },
    { name: 'RADIO_COUNTRY', description: 'Where it is.' },
  ],
  setup() {},
}

/** A kernel with `svc config` and the radio in its own home, with ways to look at both files. */
export async function openRadio(files: { yaml?: string; env?: string } = {}, options: OpenOptions = {}) {
  const kernel = await testKernel({ plugins: ['config-cli'], with: [radio], ...options })
  const yaml = join(kernel.home, 'config.yaml')
  const env = join(kernel.home, '.env')
  if (files.yaml !== undefined) writeFileSync(yaml, files.yaml, { mode: 0o600 })
  if (files.env !== undefined) writeFileSync(env, files.env)
  if (files.env !== undefined) chmodSync(env, 0o600)
  await kernel.applyConfig()
  const read = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined)
  return {
    kernel,
    home: kernel.home,
    yaml: () => read(yaml),
    env: () => read(env),
    writeYaml: (text: string) => writeFileSync(yaml, text, { mode: 0o600 }),
    svc: (line: string, setting?: CliSetting) => kernel.run(['config', ...line.split(' ').filter(Boolean)], setting),
    run: (argv: readonly string[], setting?: CliSetting) => kernel.run(['config', ...argv], setting),
    [Symbol.asyncDispose]: () => kernel.stop(),
  }
}
