/** An error that becomes a sentence is logged: what a person is told has no stack. */
import { expect, test } from 'vitest'
import { rooms, sourcesBelow } from '../support/repository.ts'
import {
  calledName,
  getArguments,
  getLineNumber,
  getName,
  isNode,
  type Node,
  parse,
  type Source,
  source,
  walk,
} from '../support/syntax.ts'

/** Calls that write something to the log, or hand the error to what does. */
const LOGS = /^(logFault|logProviderFault|onFault|report|#?reportOnce|warn|error|info|debug)$/

/**
 * Files whose catch blocks turn into words only what their own code, Node or a service with errors of its own throws: the words
 * need no stack of a plugin of someone else. A file that calls contributions of other plugins does not belong here.
 */
const OWN_CODE: readonly string[] = [
  'plugins/agent/voice/health.ts',
  'plugins/agent/voice/terminal-voice.ts',
  'plugins/operations/guided-setup/steps.ts',
  'plugins/configuration/plugin-manager/migrate/files.ts',
  'plugins/skills/skills/header-cache.ts',
  'plugins/skills/skills/project/project-skills.ts',
  'plugins/mcp/mcp-catalog/catalog.ts',
  'plugins/skills/bundles/bundle.ts',
  'plugins/safety/address-guard/blocklist.ts',
  'plugins/tools/web/browser/request-gate.ts',
  'plugins/safety/checkpoints/restore.ts',
  'plugins/safety/security-audit/sources.ts',
  'plugins/safety/command-knowledge/read.ts',
  'plugins/configuration/config/check.ts',
  'plugins/safety/confinement/host-proxy.ts',
  'plugins/safety/confinement/launcher.ts',
  'plugins/messaging/control/client.ts',
  'plugins/providers/model-cli/commands.ts',
  'plugins/terminal-ui/display/display.ts',
  'plugins/terminal-ui/display/switch.ts',
  'plugins/agent/mentions/expand-mentions.ts',
  'plugins/messaging/platforms/platform-discord/session.ts',
  'plugins/messaging/platforms/platform-mattermost/events.ts',
  'plugins/messaging/platforms/platform-slack/socket-mode.ts',
  'plugins/providers/provider-bedrock/access-keys.ts',
  'plugins/providers/provider-demo/provider.ts',
  'plugins/sessions/storage/health.ts',
  'plugins/sessions/storage/open-database.ts',
  'plugins/tools/shell/terminal-bubblewrap/sandbox.ts',
  'plugins/tools/web/tool-browser/snapshot.ts',
  'plugins/tools/tool-files/own-search.ts',
  'plugins/tools/tool-files/search-files.ts',
  'plugins/tools/tool-files/syntax.ts',
  'plugins/tools/tool-image/generate.ts',
  'plugins/tools/tool-memory/remember.ts',
  'plugins/tools/toolsets/commands.ts',
  'plugins/http/webhook/routes.ts',
  'plugins/configuration/yaml-edit/source.ts',
  'plugins/work/kanban-cli/move.ts',
]

/** What they catch was logged by the service that they call: side models, web backends, calls of tools. */
const LOGGED_BEFORE: readonly string[] = [
  'plugins/safety/security-audit/cli.ts',
  'plugins/mcp/mcp/cli-change.ts',
  'plugins/mcp/mcp/cli-read.ts',
  'plugins/tools/web/tool-browser/page-picture.ts',
  'plugins/tools/tool-code/calls.ts',
  'plugins/tools/web/tool-web/extract.ts',
  'plugins/tools/web/tool-web/summary.ts',
]
/** The schema of a tool: its failure is told to the model as a problem of the input, and there is no log. */
const NOT_LOGGED: readonly string[] = ['plugins/agent/agent/definitions.ts']
const ALLOWED = [...OWN_CODE, ...LOGGED_BEFORE, ...NOT_LOGGED]

/** The bodies of `catch` blocks and of functions given to `.catch()`, with the name of the error. */
function catches({
  tree,
}: Pick<Source, 'tree'>): { readonly at: number; readonly name: string; readonly body: Node }[] {
  return [...walk(tree)].flatMap(({ node }) => {
    if (node.type === 'CatchClause') return handler(node['param'], node['body'], node.start)
    if (node.type !== 'CallExpression' || calledName(node) !== 'catch') return []
    const [given] = getArguments(node)
    const [param] = (given?.['params'] as readonly Node[] | undefined) ?? []
    return handler(param, given?.['body'], node.start)
  })
}

function handler(param: unknown, body: unknown, at: number) {
  const name = getName(param)
  return name !== undefined && isNode(body) ? [{ at, name, body }] : []
}

/** Whether the body says the error in words, and neither throws at its end nor logs it. */
function isSilent(name: string, body: Node): boolean {
  const nodes = [...walk(body)].map(({ node }) => node)
  const calls = nodes.filter(({ type }) => type === 'CallExpression')
  const says =
    calls.some((call) => calledName(call) === 'errorMessage' && getName(getArguments(call)[0]) === name) ||
    nodes.some((node) => isMessageProperty(name, node))
  const last = (body['body'] as readonly Node[] | undefined)?.at(-1)
  return says && last?.type !== 'ThrowStatement' && !calls.some((call) => LOGS.test(calledName(call) ?? ''))
}

function isMessageProperty(name: string, node: Node): boolean {
  if (node.type !== 'MemberExpression' || getName(node['property']) !== 'message') return false
  return [...walk(node['object'] as Node)].some((each) => getName(each.node) === name)
}

function silent(file: Source): string[] {
  return catches(file).flatMap(({ at, name, body }) =>
    isSilent(name, body) ? [`${file.path}:${getLineNumber(file.text, at)}`] : [],
  )
}

test('a catch of a plugin that says an error in words also logs it', () => {
  const found = sourcesBelow('plugins').flatMap((file) => silent(source(file)))
  const files = [...new Set(found.map((place) => place.split(':')[0] as string))]
  const hint =
    'Call logFault(ctx.log, what, error, owner), or add the file to OWN_CODE when no code of others is called there.'
  expect(
    found.filter((place) => !ALLOWED.includes(place.split(':')[0] as string)),
    hint,
  ).toEqual([])
  expect(
    ALLOWED.filter((file) => !files.includes(file)),
    'not needed any more',
  ).toEqual([])
})

const LEVELS = /^(warn|error|info|debug)$/

/** Calls of a logger that get the message of an error, and not the error, which has the stack and the causes. */
function stackless({ tree, path, text }: Source): string[] {
  return [...walk(tree)].flatMap(({ node }) => {
    if (node.type !== 'CallExpression' || !LEVELS.test(calledName(node) ?? '')) return []
    const inside = getArguments(node).flatMap((given) => [...walk(given)].map((each) => each.node))
    const told = inside.filter((each) => each.type === 'CallExpression' && calledName(each) === 'errorMessage')
    const names = told.flatMap((each) => getName(getArguments(each)[0]) ?? [])
    const keys = inside.flatMap((each) => (each.type === 'Property' && !each['shorthand'] ? [each['key']] : []))
    const values = inside.filter((each) => each.type === 'Identifier' && !keys.includes(each))
    const count = (name: string) => values.filter((each) => getName(each) === name).length
    const isMissing = names.some((name) => count(name) <= names.filter((each) => each === name).length)
    return isMissing ? [`${path}:${getLineNumber(text, node.start)}`] : []
  })
}

test('a logger gets the error itself, not only its message', () => {
  const found = sourcesBelow('plugins', ...rooms, 'sdk').flatMap((file) => stackless(source(file)))
  expect(found, 'Give the logger { error }: it writes the stack and the causes.').toEqual([])
  const rule = (code: string) => stackless(parse('plugins/x/y.ts', code)).length
  expect(rule('log.warn("x", { error: errorMessage(error) })')).toBe(1)
  expect(rule('ctx.log.error(`x: ${errorMessage(error)}`)')).toBe(1)
  expect(rule('log.warn(`x: ${errorMessage(error)}`, { error })')).toBe(0)
  expect(rule('log.warn("x", { room, error: failure })')).toBe(0)
})

test('the rule sees both kinds of catch, and what logs or throws', () => {
  const found = (code: string) => silent(parse('plugins/x/y.ts', `function f() { ${code} }`)).length
  expect(found('try { work() } catch (error) { return errorMessage(error) }')).toBe(1)
  expect(found('try { work() } catch (error) { say((error as Error).message) }')).toBe(1)
  expect(found('work().catch((cause: unknown) => say(errorMessage(cause)))')).toBe(1)
  expect(found('try { work() } catch (error) { logFault(log, "x", error); say(errorMessage(error)) }')).toBe(0)
  expect(found('try { work() } catch (error) { log.warn("x", { error }); say(errorMessage(error)) }')).toBe(0)
  expect(found('try { work() } catch (error) { throw new SvcError("X", errorMessage(error)) }')).toBe(0)
  expect(found('try { work() } catch (error) { return undefined }')).toBe(0)
})
