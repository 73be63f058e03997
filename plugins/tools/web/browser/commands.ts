/** The slash command `/browser`. */
import { type SlashCommand, SvcError } from 'svc/sdk'
import type { Browsers } from './shared-browser.ts'

/** Where a browser listens that was started with `--remote-debugging-port=9222`. */
const USUAL_ADDRESS = 'http://127.0.0.1:9222'
const HELP = 'Type /browser connect [address], /browser disconnect or /browser status.'

/** Only at the terminal: connecting opens a browser on this machine. `address` is the configured one. */
export function browserCommand(browsers: () => Promise<Browsers>, address: string): SlashCommand {
  return {
    name: 'browser',
    description: 'Let the browser tools use your running browser, or see which one they use',
    category: 'Tools & Skills',
    argsHint: '[connect|disconnect|status]',
    surfaces: ['cli'],
    run: async (args) => {
      const [action = 'status', url = address || USUAL_ADDRESS, ...rest] = args.split(/\s+/).filter(Boolean)
      if (rest.length > 0) return HELP
      if (action === 'status') return (await (await browsers()).status()).join('\n')
      if (action === 'connect') return connect(await browsers(), url)
      if (action === 'disconnect') return disconnect(await browsers())
      return HELP
    },
  }
}

async function connect(browsers: Browsers, typed: string): Promise<string> {
  const url = /^\w+:\/\//.test(typed) ? typed : `http://${typed}`
  if (!URL.canParse(url) || !/^(https?|wss?):/.test(url)) {
    throw new SvcError('BROWSER_CONNECT', `${typed} is no address. Type one such as ${USUAL_ADDRESS}.`)
  }
  const version = await browsers.connect(url)
  return `Connected to ${version} at ${url}. The model works in tabs of its own there, with your cookies.`
}

async function disconnect(browsers: Browsers): Promise<string> {
  const was = await browsers.disconnect()
  return was ? 'Disconnected. The next page opens in a browser of svc.' : 'No running browser was connected.'
}
