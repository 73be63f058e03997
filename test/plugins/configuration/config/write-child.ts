/** A process that writes keys through the real writer: `write-child <home> <name> <count>`. Bundled by the tests. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Clock, Config, Home, type PluginContext, Random, Secrets } from 'svc/sdk'
import { Plugins, YamlEditor } from 'svc/sdk/host'
import { ConfigStore } from '../../../../home/config.ts'
import { ConfigWriter } from '../../../../plugins/configuration/config/writer.ts'
import { editText } from '../../../../plugins/configuration/yaml-edit/edit.ts'
import { mergeTexts } from '../../../../plugins/configuration/yaml-edit/merge.ts'
import { parseText } from '../../../../plugins/configuration/yaml-edit/parse.ts'

const [home = '', name = '', count = '0'] = process.argv.slice(2)

const yaml: YamlEditor = {
  parse: async (text) => parseText(text),
  edit: async (text, changes) => editText(text, changes),
  merge: async (base, ours, theirs) => mergeTexts(base, ours, theirs),
}

const services: Record<string, unknown> = {
  [Config.id]: new ConfigStore(home, {}),
  [Home.id]: { path: (...parts: string[]) => join(home, ...parts) },
  [Plugins.id]: { list: () => [] },
  [Secrets.id]: { get: () => undefined, source: () => undefined, mask: (text: string) => text },
  [YamlEditor.id]: yaml,
  [Clock.id]: { now: Date.now, monotonic: () => performance.now(), sleep },
  [Random.id]: {
    next: Math.random,
    hex: (bytes: number) =>
      Array.from({ length: bytes * 2 }, () => Math.floor(Math.random() * 16).toString(16)).join(''),
  },
}
const log = { debug() {}, info() {}, warn() {}, error() {} }
/** No plugin listens to a hook here. */
const call = async () => undefined
const use = ({ id }: { id: string }) => services[id]
const context = { name: 'config', dataDir: join(home, 'data'), log, use, call }
const writer = new ConfigWriter(context as unknown as PluginContext<unknown>)

process.stdout.write('ready\n')
process.stdin.once('data', async () => {
  for (let at = 0; at < Number(count); at++) {
    const edits = [
      { path: `${name}.k${at}`, value: at },
      { path: `${name.toUpperCase()}_${at}_TOKEN`, value: `secret ${at}` },
    ]
    await writer.write(edits, { author: name, reason: `write ${at}` })
    process.stdout.write(`${at}\n`)
  }
  process.exit(0)
})
