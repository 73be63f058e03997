/** `svc webhook`: routes that are added, and a try of what runs. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  type CliArguments,
  type CliCommand,
  type CliContext,
  type Clock,
  errorMessage,
  type Net,
  SvcError,
  tryParseJson,
} from 'svc/sdk'
import { addRoute, formatRoute, formatRouteAddress, type RouteDeps, removeRoute } from './route-changes.ts'
import { sign, styles } from './signature.ts'

export interface CliDeps extends RouteDeps {
  clock(): Clock
  net(): Net
}

const json = { flags: '--json', description: 'As JSON' }
const SAMPLE = JSON.stringify({ type: 'test', text: 'A try of svc webhook test', number: 1 })
const MAX_ANSWER = 65_536

export function webhookCommand(deps: CliDeps): CliCommand {
  return {
    name: 'webhook',
    description: 'Add, list, remove and try the routes on which other services wake the agent.',
    options: [json],
    examples: [
      'webhook add deploys --deliver telegram',
      'webhook list',
      'webhook test deploys',
      'webhook remove deploys',
    ],
    run: async (input, io) => list(deps, input, io),
    subcommands: [
      {
        name: 'add',
        description: 'Add a route; its secret is made and shown once',
        arguments: '<route>',
        options: addOptions,
        examples: ['webhook add reviews --style github --events pull_request --prompt "Review {pull_request.url}"'],
        run: (input, io) => add(deps, input, io),
      },
      {
        name: 'list',
        description: 'List all routes',
        options: [json],
        run: async (input, io) => list(deps, input, io),
      },
      {
        name: 'remove',
        description: 'Remove a route that was added',
        arguments: '<route>',
        options: [json],
        run: (input, io) => remove(deps, input, io),
      },
      {
        name: 'test',
        description: 'Post a signed event to what runs, and print the answer',
        arguments: '<route>',
        options: [
          { flags: '--payload <json>', description: 'The payload, or @file' },
          { flags: '--event <name>', description: 'The name of the event (default test)' },
          { flags: '--url <address>', description: 'Address of svc, when it is not on this machine' },
          json,
        ],
        examples: ['webhook test deploys --payload @event.json'],
        run: (input, io) => test(deps, input, io),
      },
    ],
  }
}

const addOptions = [
  { flags: '--style <style>', description: `Signature scheme of the sender: ${styles.join(', ')} (default generic)` },
  { flags: '--events <names>', description: 'Events that are taken, separated by commas (default all)' },
  { flags: '--prompt <text>', description: 'Prompt for the agent, with {field.of.payload}' },
  { flags: '--skills <names>', description: 'Skills to load, separated by commas' },
  { flags: '--deliver <target>', description: 'log, github_comment, a platform, or platform:chat (default log)' },
  { flags: '--repo <owner/name>', description: 'Repository of github_comment' },
  { flags: '--number <number>', description: 'Pull request or issue of github_comment' },
  { flags: '--deliver-only', description: 'Send the prompt itself, without the agent' },
  { flags: '--secret <secret>', description: 'A secret that the sender has already' },
  json,
]

function isJson({ options }: CliArguments): boolean {
  return options['json'] === true
}

function readName({ args: [name] }: CliArguments): string {
  if (name) return name
  throw new SvcError('CLI_USAGE', 'Name the route: svc webhook list shows them.')
}

function readTextOption({ options }: CliArguments, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

function readListOption(input: CliArguments, name: string): readonly string[] | undefined {
  return readTextOption(input, name)
    ?.split(',')
    .map((each) => each.trim())
    .filter(Boolean)
}

async function add(deps: CliDeps, input: CliArguments, io: CliContext): Promise<void> {
  const given = readTextOption(input, 'secret')
  const { name, url, style, secret, variable } = await addRoute(deps, readName(input), readRouteSettings(input), {
    author: 'svc webhook add',
    ...(given !== undefined && { secret: given }),
  })
  if (isJson(input)) return io.out(`${JSON.stringify({ route: name, url, style, secret })}\n`)
  io.out(`Added ${name}. It takes events at once, where svc gateway runs.\n  address  ${url}\n  style    ${style}\n`)
  io.out(`  secret   ${secret}\nThe secret is kept in .env as ${variable}. It is not shown again.\n`)
}

function readRouteSettings(input: CliArguments): Record<string, unknown> {
  const extra = { repo: readTextOption(input, 'repo'), pr_number: readTextOption(input, 'number') }
  const all = {
    style: readTextOption(input, 'style'),
    events: readListOption(input, 'events'),
    prompt: readTextOption(input, 'prompt'),
    skills: readListOption(input, 'skills'),
    deliver: readTextOption(input, 'deliver'),
    deliver_only: input.options['deliverOnly'] === true ? true : undefined,
    deliver_extra: (extra.repo ?? extra.pr_number) ? extra : undefined,
  }
  return JSON.parse(JSON.stringify(all)) as Record<string, unknown>
}

async function remove(deps: CliDeps, input: CliArguments, io: CliContext): Promise<void> {
  const name = await removeRoute(deps, readName(input), 'svc webhook remove')
  io.out(isJson(input) ? `${JSON.stringify({ removed: name })}\n` : `Removed ${name}, and its secret.\n`)
}

function list(deps: CliDeps, input: CliArguments, io: CliContext): void {
  const routes = deps.routes.all().map((route) => formatRoute(deps, route))
  if (isJson(input)) {
    io.out(`${JSON.stringify(routes)}\n`)
    return
  }
  if (!routes.length) io.out('There are no routes. Add one: svc webhook add NAME\n')
  for (const { name, state, url, style, events, deliver, origin } of routes)
    io.out(`${name}  ${state}\n  ${url}\n  ${style}, ${events.join(', ') || 'all events'} -> ${deliver} (${origin})\n`)
}

async function test(deps: CliDeps, input: CliArguments, io: CliContext): Promise<number> {
  const name = readName(input)
  const route = deps.routes.get(name)
  if (!route) throw new SvcError('WEBHOOK_UNKNOWN', `There is no route "${name}".`)
  if (route.key === undefined) throw new SvcError('WEBHOOK_ROUTE', `The route "${name}" ${route.problem}.`)
  const body = await readPayloadOption(input, io)
  const id = `test-${deps.random().uuid()}`
  const event = readTextOption(input, 'event') ?? 'test'
  const headers = {
    ...sign(route.style, route.key, { id, event, body, now: deps.clock().now() }),
    'content-type': 'application/json',
  }
  const url = formatRouteAddress(deps, name, readTextOption(input, 'url'))
  const { status, text } = await post(deps, { url, headers, body, signal: io.signal })
  io.out(
    isJson(input)
      ? `${JSON.stringify({ url, status, answer: tryParseJson(text)?.value })}\n`
      : `${url}\n${status} ${text}\n`,
  )
  return status < 300 ? 0 : 1
}

async function post(
  { net }: CliDeps,
  request: { url: string; headers: Record<string, string>; body: string; signal: AbortSignal },
): Promise<{ status: number; text: string }> {
  try {
    const response = await net().request({ ...request, method: 'POST', timeoutMs: 60_000 })
    return { status: response.status, text: (await response.text(MAX_ANSWER)).trim() }
  } catch (cause) {
    const advice = 'Start svc gateway run, or name the address with --url.'
    throw new SvcError('WEBHOOK_UNREACHABLE', `No answer from ${request.url}: ${errorMessage(cause)} ${advice}`, {
      cause,
    })
  }
}

async function readPayloadOption(input: CliArguments, io: CliContext): Promise<string> {
  const given = readTextOption(input, 'payload') ?? SAMPLE
  const text = given.startsWith('@') ? await readFile(resolve(io.cwd, given.slice(1)), 'utf8') : given
  if (!tryParseJson(text))
    throw new SvcError('CLI_USAGE', 'The payload is no JSON. Quote it, or write it into a file: --payload @event.json')
  return text
}
