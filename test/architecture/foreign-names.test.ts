/**
 * A tool describes itself (`acts`, `scope`, `view`), and a variable belongs to the manifest that declares it: no plugin's
 * source holds the name of another plugin's tool, toolset, input field or environment variable.
 */
import { type Tool, Tools } from 'svc/sdk'
import { testKernel } from 'svc/sdk/testing'
import { expect, test } from 'vitest'
import { findPlugin, manifests, sourcesBelow } from '../support/repository.ts'
import { getLineNumber, literal, type Node, parse, type Source, source, walk } from '../support/syntax.ts'

/** What is still to be moved to its owner, by file. To be emptied, never to grow. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  'plugins/configuration/config-cli/cli.ts': ['OPENAI_API_KEY'],
  'plugins/providers/provider-demo/answers.ts': [
    ...['CUSTOM_API_KEY', 'list_files', 'read_file', 'search_files', 'terminal', 'write_file'],
  ],
  'plugins/providers/provider-openai/endpoint.ts': [
    ...['ANTHROPIC_API_KEY', 'ANTHROPIC_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  ],
}

/** Fields of tools that are words of public protocols too: chat completions, the Discord gateway, Telegram, hooks of other agents, svc's own HTTP API. */
const FIELDS_OF_PROTOCOLS = ['file_path', 'image_url', 'session_id', 'task_id']

/** Variables of POSIX, XDG, X11, Wayland and no-color.org: they belong to the system, not to the plugin that reads them. */
const OF_SYSTEM = [
  ...['COLORTERM', 'DISPLAY', 'EDITOR', 'NO_COLOR', 'SHELL', 'TERM', 'VISUAL', 'WAYLAND_DISPLAY', 'XAUTHORITY'],
  ...['XDG_CONFIG_HOME', 'XDG_RUNTIME_DIR'],
]

/**
 * Names of tools and toolsets that are ordinary words and mean something else in these places: a kind of block on the
 * screen, the name of a front end, who wrote a text, a widget, a language, a slot of `auxiliary` (the specification names these keys),
 * an update of the Agent Client Protocol, a folder of the home, an option of a command.
 */
const ORDINARY: Readonly<Record<string, readonly string[]>> = {
  // A method of its API.
  'plugins/messaging/platforms/platform-viber/viber.ts': ['send_message'],
  'plugins/agent/auxiliary/config.ts': ['web_extract'],
  'plugins/http/acp/calls.ts': ['tool_call'],
  'plugins/messaging/conversation/index.ts': ['process'],
  'plugins/tools/web/browser/commands.ts': ['browser'],
  'plugins/tools/web/browser/launch.ts': ['browser'],
  'plugins/terminal-ui/chat/terminal-approvals.ts': ['terminal'],
  'plugins/terminal-ui/chat/terminal-questions.ts': ['terminal'],
  'plugins/agent/compression/kept-facts.ts': ['todo'],
  'plugins/terminal-ui/markdown/languages.ts': ['patch'],
  'plugins/agent/prompt/size.ts': ['memory'],
  'plugins/tools/web/tool-browser/page-picture.ts': ['vision'],
  'plugins/tools/web/tool-browser/tools.ts': ['vision'],
  'plugins/terminal-ui/tui-panes/plan-panel.ts': ['todo'],
  'plugins/terminal-ui/tui-transcript/blocks.ts': ['clarify'],
  'plugins/terminal-ui/tui-transcript/state.ts': ['clarify'],
  'plugins/tools/web/web-brave/api.ts': ['web'],
  'plugins/configuration/doctor/home-check.ts': ['skills'],
  'plugins/configuration/profiles/change.ts': ['skills'],
  'plugins/configuration/profiles/distribution.ts': ['skills'],
  'plugins/configuration/profiles/import.ts': ['skills'],
  'plugins/configuration/profiles/install.ts': ['skills'],
  'plugins/configuration/profiles/roster.ts': ['skills'],
  'plugins/http/webhook/cli.ts': ['skills'],
  'plugins/skills/bundles/cli.ts': ['skills'],
  'plugins/skills/skill-seeds/home-paths.ts': ['skills'],
  'plugins/work/kanban/graph-moves.ts': ['todo'],
  'plugins/work/kanban/migrations.ts': ['skills'],
  'plugins/work/kanban/move.ts': ['todo'],
  'plugins/work/kanban-cli/move.ts': ['todo'],
  'plugins/work/kanban/sql-tables.ts': ['todo'],
  'plugins/work/kanban/transitions.ts': ['todo'],
  'plugins/skills/skills/manage-input.ts': ['patch', 'write_file'],
  'plugins/skills/skills/manage.ts': ['write_file'],
}
/** Too common a word to be looked for outside of a list of names. */
const COMMON = ['file', 'kanban']

type Owners = Map<string, Set<string>>

async function ownersOfNames(): Promise<Owners> {
  const contributing = manifests().filter(({ contributes }) => contributes?.['tools'])
  await using kernel = await testKernel({ plugins: contributing.map(({ name }) => name) })
  const owners: Owners = new Map()
  const own = (plugin: string, names: readonly string[]) => {
    for (const name of names) owners.set(name, (owners.get(name) ?? new Set()).add(plugin))
  }
  for (const tool of kernel.all(Tools).all()) {
    const owner = contributing.find(({ contributes }) => contributes?.['tools']?.includes(tool.name))
    const fields = listFields(getInputSchema(tool)).filter(
      (name) => name.includes('_') && !FIELDS_OF_PROTOCOLS.includes(name),
    )
    own(owner?.name ?? '', [tool.name, tool.toolset, ...fields])
  }
  for (const { name, env = [] } of manifests())
    own(
      name,
      env.map((variable) => variable.name).filter((variable) => !OF_SYSTEM.includes(variable)),
    )
  return owners
}

const getInputSchema = ({ input }: Tool) => input['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })

function listFields(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties } = schema as { readonly properties?: object }
  return [...Object.keys(properties ?? {}), ...Object.values(schema).flatMap(listFields)]
}

/** A name with an underscore is looked for in all of the text, comments too; a plain word as its own text. */
function foreignNames({ path, text, tree }: Source, owners: Owners): string[] {
  const plugin = findPlugin(path) ?? ''
  const texts = new Map<string, Node>()
  for (const { node } of walk(tree)) {
    const value = literal(node)
    if (value !== undefined && !texts.has(value)) texts.set(value, node)
  }
  const words = new Set(text.match(/\w+/g))
  return [...owners].flatMap(([name, plugins]) => {
    const isOwn = plugins.has(plugin) || COMMON.includes(name)
    if (isOwn || ORDINARY[path]?.includes(name) || ALLOWED[path]?.includes(name)) return []
    const isThere = name.includes('_') ? words.has(name) : texts.has(name)
    const at = texts.get(name)?.start ?? text.search(new RegExp(`\\b${name}\\b`))
    return isThere ? [`${path}:${getLineNumber(text, at)} names ${name} of ${[...plugins].join(', ')}`] : []
  })
}

const owners = await ownersOfNames()

test('no plugin knows the tools, toolsets, input fields or environment variables of another', () => {
  expect(owners.size).toBeGreaterThan(200)
  // The fields of a service are in its stand-in.
  const files = sourcesBelow('plugins').filter((file) => !file.includes('/stand-in/'))
  expect(files.flatMap((file) => foreignNames(source(file), owners))).toEqual([])
})

test('the rule sees a name in a text, in a comment and as a field, and no plain word within another', () => {
  const found = (code: string) => foreignNames(parse('plugins/elsewhere/x.ts', code), owners).length
  expect(found(`call('read_file')`)).toBe(1)
  expect(found('/** As `read_file` does. */')).toBe(1)
  expect(found('const { old_string } = input')).toBe(1)
  expect(found(`tool === 'patch'`)).toBe(1)
  expect(found(`secrets.get('TAVILY_API_KEY')`)).toBe(1)
  expect(found(`say('a patch for read_files')`)).toBe(0)
})

test('what is allowed is still needed', () => {
  const stale = Object.entries({ ...ORDINARY, ...ALLOWED }).flatMap(([file, names]) => {
    const { text } = source(file)
    return names.filter((name) => !text.includes(name)).map((name) => `${file}: ${name}`)
  })
  expect(stale).toEqual([])
})
