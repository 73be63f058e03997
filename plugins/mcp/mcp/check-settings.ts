/** What is wrong with the settings of a server, or dangerous in them. Pure: checked when they are written and before each start. */
import { basename } from 'node:path'
import { formatIssuePath } from 'svc/sdk/host'
import { type ServerSettings, serverSettings } from './config.ts'
import { chooseTransport } from './transport.ts'

/** Programs that read a command from their arguments. */
const SHELLS = /^(?:ba|da|z|k|fi|c|tc)?sh(?:\.exe)?$|^(?:cmd|powershell|pwsh)(?:\.exe)?$|^busybox$/i
const FETCHES =
  /\b(?:curl|wget|fetch|nc|ncat|netcat|telnet|Invoke-WebRequest|iwr|irm|Invoke-RestMethod)\b|\/dev\/(?:tcp|udp)\//i
const LASTS =
  /\b(?:crontab|systemctl\s+enable|launchctl|schtasks|authorized_keys)\b|\.(?:bashrc|zshrc|profile|bash_profile|zprofile)\b|\/etc\/(?:cron|systemd|init|ld\.so)|LaunchAgents|\.ssh\/|CurrentVersion\\Run/i
const DECODES = /\b(?:base64\s+(?:-d|-D|--decode)|xxd\s+-r|openssl\s+enc\s+-d|FromBase64String|-enc(?:odedcommand)?\b)/i
/** Variables that make any program run other code. */
const LOADERS =
  /^(?:LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_.*|NODE_OPTIONS|PYTHONSTARTUP|PERL5OPT|RUBYOPT|BASH_ENV|ENV|PROMPT_COMMAND|GIT_SSH_COMMAND)$/

/** Sentences; empty when the settings can be used. */
export function checkSettings(name: string, written: unknown): readonly string[] {
  if (!/^[A-Za-z0-9_-]{1,60}$/.test(name))
    return ['The name of a server has up to 60 letters, digits, hyphens and underscores.']
  const parsed = serverSettings.safeParse(written)
  if (!parsed.success)
    return parsed.error.issues.map((issue) => {
      const path = formatIssuePath(issue as Parameters<typeof formatIssuePath>[0])
      return `${path || 'The block'}: ${issue.message}.`
    })
  return [...findContradictions(parsed.data), ...findDangers(parsed.data)]
}

/** Settings that say nothing that could be done. */
export function findContradictions(settings: ServerSettings): readonly string[] {
  const { command, url } = settings
  if (command === undefined && url === undefined) return ['It needs a command or a url.']
  if (command !== undefined && url !== undefined) return ['It has a command and a url; leave one of them out.']
  const transport = chooseTransport(settings)
  if (transport === 'stdio') {
    if (command === undefined) return ['The transport stdio needs a command.']
    return settings.client_cert === undefined ? [] : ['client_cert is for servers over HTTP.']
  }
  if (url === undefined) return [`The transport ${transport} needs a url.`]
  const problems = findAddressProblems(url)
  if (settings.client_key !== undefined && typeof settings.client_cert !== 'string')
    problems.push('client_key goes with a client_cert that is one path.')
  return problems
}

function findAddressProblems(url: string): string[] {
  if (url.includes('${')) return ['The url names a variable that is not set.']
  if (!URL.canParse(url)) return ['The url is not an address such as https://example.com/mcp.']
  const { protocol, username, password } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return ['The url must begin with https:// or http://.']
  return username || password ? ['The url holds a password; use headers with ${NAME} instead.'] : []
}

/** A shell that fetches, decodes or makes itself permanent is how malicious entries look. */
export function findDangers({ command, args, env, skip_preflight }: ServerSettings): readonly string[] {
  if (skip_preflight || command === undefined) return []
  const line = [command, ...args].join(' ')
  const isShell = SHELLS.test(basename(command)) || args.some((each) => SHELLS.test(basename(each)))
  const found: string[] = []
  if (/\s/.test(command) && args.length === 0 && !command.includes('/'))
    found.push(`The command "${command}" holds spaces; put what follows the program into args.`)
  if (isShell && FETCHES.test(line)) found.push('Its command is a shell that fetches something from the network.')
  if (isShell && LASTS.test(line)) found.push('Its command is a shell that changes what runs when you sign in.')
  if (isShell && DECODES.test(line)) found.push('Its command is a shell that decodes what it runs.')
  for (const variable of Object.keys(env).filter((each) => LOADERS.test(each)))
    found.push(`Its variable ${variable} makes programs run other code.`)
  return found
}
