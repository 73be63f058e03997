/** The section `tools` of `svc setup`: which toolsets are on. */
import type { PluginContext } from 'svc/sdk'
import type { SetupSection } from 'svc/sdk/operations'
import { getToolsets } from './names.ts'

const SURFACE = 'cli'

export function createToolsSection(ctx: PluginContext<undefined>): SetupSection {
  return {
    ...{ name: 'tools', title: 'Tools', order: 20 },
    description: 'What the agent can do.',
    async questions() {
      const toolsets = getToolsets(ctx).list(SURFACE)
      const options = toolsets.map(({ name, tools }) => ({
        ...{ value: name, title: name },
        note: tools.map((tool) => tool.name).join(', '),
      }))
      const current = toolsets.filter(({ on }) => on).map(({ name }) => name)
      return [{ key: 'on', title: 'Toolsets that are on', kind: 'choices', options, current }]
    },
    edits(answers) {
      const toolsets = getToolsets(ctx)
      const wanted = [answers['on'] ?? []].flat().map(String)
      const changed = toolsets.list(SURFACE).filter(({ name, on }) => on !== wanted.includes(name))
      return toolsets.edits(changed.map(({ name, on }) => ({ name, to: on ? 'off' : 'on' })))
    },
  }
}
