/** The files of skills as resources: `svc://skills/<name>/<path>`. */
import { errorCode, type PluginContext } from 'svc/sdk'
import type { McpExportResources } from 'svc/sdk/mcp'
import { Skills } from 'svc/sdk/skills'
import type { Config } from './config.ts'
import { completeFile } from './skill-prompts.ts'
import { listSkills, toQuery } from './skill-query.ts'

const PREFIX = 'svc://skills/'
const MARKDOWN = 'text/markdown'

export function skillResources(ctx: PluginContext<Config>): McpExportResources {
  return {
    templates: [
      {
        uriTemplate: `${PREFIX}{name}/{+path}`,
        name: 'skill',
        description: 'A file of a skill; SKILL.md is its text.',
        async complete(variable, value, given, client) {
          if (variable === 'path') return given['name'] ? completeFile(ctx, client, { name: given['name'], value }) : []
          const skills = await listSkills(ctx, client)
          return skills.map(({ name }) => name).filter((name) => name.startsWith(value))
        },
      },
    ],
    async list(client, { offset, limit }) {
      const skills = await listSkills(ctx, client)
      return skills.slice(offset, offset + limit).map(({ name, description }) => ({
        uri: `${PREFIX}${name}/SKILL.md`,
        name,
        description,
        mimeType: MARKDOWN,
      }))
    },
    async read(uri, { client }) {
      const at = parse(uri)
      const skills = ctx.find(Skills)
      if (!at || !skills) return undefined
      const path = at.path === 'SKILL.md' ? {} : { path: at.path }
      try {
        const { text } = await skills.read(at.name, { ...toQuery(client), ...path })
        return [{ uri, mimeType: at.path.endsWith('.md') ? MARKDOWN : 'text/plain', text }]
      } catch (error) {
        if (errorCode(error) === 'SKILL_NOT_FOUND') return undefined
        throw error
      }
    },
    watch(uri, _client, changed) {
      const name = parse(uri)?.name
      if (name === undefined) return undefined
      return ctx.find(Skills)?.onChange(({ changed: names, removed }) => {
        if (names.includes(name) || removed.includes(name)) changed()
      })
    },
  }
}

function parse(uri: string): { readonly name: string; readonly path: string } | undefined {
  const [, name, path] = /^svc:\/\/skills\/([^/?#]+)\/([^?#]+)$/.exec(uri) ?? []
  if (name === undefined || path === undefined) return undefined
  try {
    return { name: decodeURIComponent(name), path: decodeURIComponent(path) }
  } catch {
    return undefined
  }
}
