/** `svc pairing`: lets people in who were shown a code, while the gateway runs or not. */
import { type CliArguments, type CliCommand, type CliContext, SvcError } from 'svc/sdk'
import { safeName } from 'svc/sdk/kit/terminal'
import type { Access, PairedUser } from 'svc/sdk/safety'

const json = { flags: '--json', description: 'As JSON' }

export function pairingCommand(access: Access): CliCommand {
  return {
    name: 'pairing',
    description: 'Lets people in who were given a code in a chat; lists them and sends them away.',
    options: [json],
    examples: ['pairing list', 'pairing approve telegram K7QW2M9X', 'pairing revoke telegram 42', 'pairing clear'],
    run: async (input, io) => list(access, input, io),
    subcommands: [
      {
        name: 'list',
        description: 'List who was let in and who waits',
        options: [json],
        examples: ['pairing list --json'],
        run: async (input, io) => list(access, input, io),
      },
      {
        name: 'approve',
        description: 'Approve the person who was given this code',
        arguments: '<platform> <code>',
        options: [json],
        examples: ['pairing approve telegram K7QW2M9X'],
        run: async (input, io) => approve(access, input, io),
      },
      {
        name: 'revoke',
        description: 'Revoke access for a paired user',
        arguments: '<platform> <user>',
        options: [json],
        examples: ['pairing revoke telegram 42'],
        run: async (input, io) => revoke(access, input, io),
      },
      {
        name: 'clear',
        description: 'Cancel pending codes (for one platform or all)',
        arguments: '[platform]',
        options: [json],
        examples: ['pairing clear', 'pairing clear telegram'],
        run: async (input, io) => clear(access, input, io),
      },
    ],
  }
}

/** Says one thing in the form that was asked for. */
function say({ options }: CliArguments, io: CliContext, value: object, text: string): void {
  io.out(options['json'] === true ? `${JSON.stringify(value)}\n` : `${text}\n`)
}

function list(access: Access, input: CliArguments, io: CliContext): void {
  const [pairings, requests] = [access.pairings(), access.requests()]
  const letIn = pairings.map((each) => `  ${formatPerson(each)}, since ${minute(each.at)}`)
  const waiting = requests.map((each) => `  ${formatPerson(each)}, until ${minute(each.expiresAt)}`)
  const lines = [
    ...(letIn.length ? ['Paired with a code:', ...letIn] : ['No person is paired with a code.']),
    ...(waiting.length
      ? ['Waiting for the code that they were shown:', ...waiting, 'Let them in: svc pairing approve <platform> <code>']
      : ['No pairing request is waiting.']),
  ]
  say(input, io, { pairings, requests }, lines.join('\n'))
}

function approve(access: Access, input: CliArguments, io: CliContext): void {
  const [platform, code] = input.args
  if (!platform || !code)
    throw new SvcError('CLI_USAGE', 'Say where and which code: svc pairing approve PLATFORM CODE.')
  const pairing = access.approve(platformName(platform), code)
  say(input, io, pairing, `Let in: ${formatPerson(pairing)}.`)
}

function revoke(access: Access, input: CliArguments, io: CliContext): void {
  const [platform, userId] = input.args
  if (!platform || !userId) throw new SvcError('CLI_USAGE', 'Say where and whom: svc pairing revoke PLATFORM USER.')
  const person = { platform: platformName(platform), userId }
  if (!access.revoke(person.platform, userId)) {
    const message = `No person with the id ${safeName(userId)} is paired on ${person.platform} by a code; \`svc pairing list\` shows who was.`
    throw new SvcError('PAIRING_UNKNOWN', message, { status: 404 })
  }
  say(input, io, person, `Sent away: ${formatPerson(person)}.`)
}

function clear(access: Access, input: CliArguments, io: CliContext): void {
  const [platform] = input.args
  const cleared = access.clearRequests(platform === undefined ? undefined : platformName(platform))
  say(input, io, { cleared }, cleared === 1 ? '1 code was withdrawn.' : `${cleared} codes were withdrawn.`)
}

function formatPerson({ platform, userId, userName }: Omit<PairedUser, 'at'>): string {
  return `${safeName(platform)} ${safeName(userId)}${userName === undefined ? '' : ` (calls themselves ${safeName(userName)})`}`
}

const platformName = (typed: string) => typed.trim().toLowerCase()
const minute = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`
