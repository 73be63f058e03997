/** What the configuration and the environment say about the server and who svc is there. */
import type { Secrets } from 'svc/sdk'
import type { Config } from './config.ts'

export interface IrcAccount {
  readonly server: string
  /** `NaN` if the environment has an invalid port. */
  readonly port: number
  readonly tls: boolean
  readonly tlsCa: string
  readonly nickname: string
  readonly account: string
  readonly nickserv: string
  readonly channels: readonly string[]
  readonly serverPassword: string | undefined
  readonly password: string | undefined
}

/** The environment overrides the configuration. */
export function ircAccount(config: Config, secrets: Pick<Secrets, 'get'>): IrcAccount {
  const useTls = secrets.get('IRC_USE_TLS')
  const tls = useTls === undefined ? config.tls : !/^(false|no|off|0)$/i.test(useTls.trim())
  const nickname = secrets.get('IRC_NICKNAME')?.trim() ?? config.nickname
  const named = secrets.get('IRC_CHANNEL')?.split(',') ?? config.join
  return {
    server: secrets.get('IRC_SERVER')?.trim() ?? config.server,
    port: Number(secrets.get('IRC_PORT') ?? config.port) || (secrets.get('IRC_PORT') ? Number.NaN : standardPort(tls)),
    tls,
    tlsCa: config.tls_ca,
    nickname,
    account: config.account || nickname,
    nickserv: config.nickserv,
    channels: named.map((each) => each.trim()).filter((each) => each !== ''),
    serverPassword: secrets.get('IRC_SERVER_PASSWORD'),
    password: secrets.get('IRC_NICKSERV_PASSWORD'),
  }
}

/** RFC 7194; 6667 is what everybody uses without TLS. */
function standardPort(tls: boolean): number {
  return tls ? 6697 : 6667
}

/** A sentence; undefined when nothing is. */
export function describeMissing({ server, port, nickname, channels }: IrcAccount): string | undefined {
  if (!server) return 'No IRC server is set: set IRC_SERVER or platforms.irc.server.'
  if (!nickname) return 'No nickname for IRC is set: set IRC_NICKNAME or platforms.irc.nickname.'
  if (!(port > 0 && port < 65_536)) return 'IRC_PORT is no port: set it to a number such as 6697.'
  if (/[\s:,!@\0]|^[#&\d-]/.test(nickname))
    return `"${nickname}" cannot be a nickname on IRC: set IRC_NICKNAME to another.`
  const odd = channels.find((channel) => !/^[#&+!][^\s,\x07]*(\s+[^\s,]+)?$/.test(channel))
  return odd === undefined ? undefined : `"${odd}" is no IRC channel: names begin with #. Set IRC_CHANNEL again.`
}
