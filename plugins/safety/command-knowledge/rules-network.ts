/** Programs that reach other machines: which host, and that nothing leaves. */
import { posix } from 'node:path'
import type { Invocation } from './outcome.ts'
import type { Rule } from './rules.ts'
import { ANY, PATHS, TOKEN } from './values.ts'
import type { Walk } from './walk.ts'

const MAX_QUERY = 200
const has = (call: Invocation, ...names: readonly string[]) => names.some((name) => call.given.has(name))
const refused = (walk: Walk, phrase: string | undefined) => walk.check(phrase) as undefined

/** The host of an address that is fetched; undefined after a refusal. */
function host(walk: Walk, address: string): string | undefined {
  const [, scheme = 'http', found] =
    /^(?:([a-z]+):\/\/)?(?:[^/@\s]*@)?(\[[0-9a-f:]+\]|[\w.-]*)(?::\d+)?(?:[/?#]|$)/i.exec(
      address.replace(/^:(?=[\d/])/, 'localhost:'),
    ) ?? []
  const isOpaque =
    address.includes(ANY) ||
    address.includes(PATHS) ||
    address.includes(TOKEN) ||
    /[{}[\]](?!.*\]$)/.test(address.split('?')[0] ?? '')
  const query = address.slice(address.search(/[?#]/) < 0 ? address.length : address.search(/[?#]/))
  if (!found || isOpaque || !/^https?$/i.test(scheme) || /@/.test(address.split('/')[2] ?? ''))
    walk.refuse(`the address ${address}`)
  else if (/^(?:0x|\d+$|169\.254\.|metadata\.)|\.internal$/i.test(found))
    walk.refuse(`the address ${address} of the machine's cloud`)
  else if (query.length > MAX_QUERY || address.length > 500) walk.refuse('a long text that is sent in an address')
  else return found.toLowerCase()
  return undefined
}

const isLocal = (name: string | undefined) => /^(?:localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[::1\])$/.test(name ?? '')

/** `-T file`: an option that is not known leaves its value among the operands. */
function isSentFile(word: string, { args }: Invocation): boolean {
  return args.some(({ text }, at) => /^(?:-T|--upload-file|-F|--form)$/.test(text) && args[at + 1]?.text === word)
}

function curl(walk: Walk, call: Invocation): undefined {
  const addresses = [...call.operands.filter((word) => !isSentFile(word, call)), ...(call.given.get('--url') ?? [])]
  const hosts = addresses.map((address) => host(walk, address))
  for (const each of hosts) if (each !== undefined) walk.need(`network:${each}`)
  const sent = ['-d', '--data', '--data-raw', '--json', '--data-urlencode'].flatMap(
    (name) => call.given.get(name) ?? [],
  )
  const method = [...(call.given.get('-X') ?? []), ...(call.given.get('--request') ?? [])][0] ?? 'GET'
  const headers = [
    ...(call.given.get('-H') ?? []),
    ...(call.given.get('--header') ?? []),
    ...(call.given.get('-b') ?? []),
    ...(call.given.get('--cookie') ?? []),
    ...(call.given.get('-A') ?? []),
    ...(call.given.get('-e') ?? []),
    ...(call.given.get('--user-agent') ?? []),
    ...(call.given.get('--referer') ?? []),
  ]
  if (headers.some((header) => header.includes(ANY) || header.startsWith('@') || header.includes(PATHS)))
    walk.refuse('a header that is not known before it runs')
  const isOwn = hosts.length > 0 && hosts.every(isLocal)
  if (sent.some((data) => /@|[\ue000-\ue002]/.test(data.slice(0, 1)) || data.includes(ANY) || data.includes(PATHS)))
    walk.refuse('data that curl sends')
  else if (sent.length > 0 && !isOwn) walk.refuse('data that curl sends to another machine')
  if (!/^(?:GET|HEAD|OPTIONS)$/.test(method) && !(isOwn && /^(?:POST|PUT|PATCH)$/.test(method)))
    walk.refuse(`the method ${method} of curl`)
  if (has(call, '-O', '--remote-name', '--remote-name-all', '-J'))
    for (const address of addresses)
      walk.accept('write', posix.basename(address.split('?')[0] ?? '') || 'x', call.state, '')
  return undefined
}

function wget(walk: Walk, call: Invocation): undefined {
  for (const address of call.operands) {
    const found = host(walk, address)
    if (found !== undefined) walk.need(`network:${found}`)
    if (!has(call, '-O', '--output-document', '-P', '--directory-prefix', '--spider'))
      walk.accept('write', posix.basename(address.split('?')[0] ?? '') || 'index.html', call.state, '')
  }
  if ((call.given.get('--header') ?? []).some((header) => header.includes(ANY)))
    walk.refuse('a header that is not known before it runs')
  return undefined
}

function httpie(walk: Walk, call: Invocation): undefined {
  const [first = '', ...others] = call.operands
  const isMethod = /^[A-Z]+$/.test(first)
  const address = isMethod ? (others[0] ?? '') : first
  const found = host(walk, address)
  const more = isMethod ? others.slice(1) : others
  if (found !== undefined) walk.need(`network:${found}`)
  if (isMethod && !/^(?:GET|HEAD|OPTIONS)$/.test(first) && !(isLocal(found) && /^(?:POST|PUT|PATCH)$/.test(first)))
    walk.refuse(`the method ${first}`)
  if (more.some((word) => /[@\ue000-\ue002]/.test(word) || (!isLocal(found) && !/==|:/.test(word))))
    walk.refuse('data that is sent')
  return undefined
}

function hosts(walk: Walk, { operands }: Invocation): undefined {
  for (const word of operands) {
    if (word.startsWith('+') || /^(?:A|AAAA|MX|TXT|NS|CNAME|SOA|PTR|SRV|CAA|ANY|a|mx|txt|ns|any)$/.test(word)) continue
    if (/^@?[\w.:-]{1,80}$/.test(word)) walk.need(`network:${word.replace(/^@/, '').toLowerCase()}`)
    else walk.refuse(`the host ${word}`)
  }
  return undefined
}

function load(walk: Walk, { operands, known }: Invocation): undefined {
  for (const word of operands) {
    if (!isLocal(/^https?:\/\/([\w.-]+)/.exec(word)?.[1]))
      walk.refuse(`load that ${known.name} puts on another machine`)
    else walk.need('network:localhost')
  }
  return undefined
}

const CHANGES =
  /\b(?:insert|update|delete|drop|alter|create|truncate|grant|revoke|copy|call|do|exec|execute|load|replace|attach|detach|vacuum|reindex|merge|lock|set|rename|outfile|dumpfile|load_file|load_extension|writefile|readfile|edit|pg_read_file|pg_ls_dir|pg_read_binary_file|lo_import|lo_export|dblink|pg_terminate_backend|pg_cancel_backend|import|install|source|system|listen|notify|prepare|kill|flush|reset|purge|shutdown|nextval|setval)\b|\\[!]|\\o\b|\\i\b|\\g|\\w\b|\\copy|\\e\b|\\setenv|\|/i

/** Text that only asks a data base. */
function isQuery(text: string): boolean {
  if (/[\ue000-\ue002]/.test(text) || CHANGES.test(text)) return false
  return /^\s*(?:select|show|explain|describe|desc|with|pragma\s+(?:table_info|index_list|user_version|integrity_check|foreign_key_list|table_list|database_list)|values|\\d[\w+]*|\\l\+?|\\conninfo|\\timing|\\x)\b|^\s*\\(?:d|l|c)/i.test(
    text,
  )
}

function sqlite(walk: Walk, { operands: [file = '', ...texts], known }: Invocation): undefined {
  if (file === '' || (/^-|:/.test(file) && file !== ':memory:')) walk.refuse(`${known.name} as it is used`)
  if (!texts.length && file) walk.refuse(`what is typed into ${known.name}`)
  for (const text of texts) {
    const isCommand =
      /^\.(?:tables|schema|indexes|indices|databases|dbinfo|dump|show|fullschema|mode \w+|headers? (?:on|off))(?: [\w%*]+)?$/.test(
        text.trim(),
      )
    if (!isCommand && (text.trim().startsWith('.') || /\n\s*\./.test(text) || !isQuery(text)))
      walk.refuse(`the command of ${known.name}: ${text}`)
  }
  return undefined
}

function sql(walk: Walk, call: Invocation): undefined {
  const texts = ['-c', '--command', '-e', '--execute'].flatMap((name) => call.given.get(name) ?? [])
  const server = [...(call.given.get('-h') ?? []), ...(call.given.get('--host') ?? [])][0] ?? 'localhost'
  const isOwn = /^(?:localhost|127\.0\.0\.1|db|postgres|mysql|::1)$/.test(server)
  const isAsked = ['-l', '--list', '--version', '-V'].some((name) => call.given.has(name))
  if (!isOwn) walk.refuse(`the data base on ${server}`)
  if (call.operands.some((word) => /[:@=]/.test(word))) walk.refuse('an address of a data base')
  if (/^mysqladmin/.test(call.known.name) && !/^(?:status|ping|version|processlist)$/.test(call.operands[0] ?? ''))
    walk.refuse('mysqladmin as it is used')
  for (const text of texts) if (!isQuery(text)) walk.refuse(`the command of ${call.known.name}: ${text}`)
  if (!texts.length && !isAsked && !/^(?:pg_isready|mysqladmin)$/.test(call.known.name))
    walk.refuse(`what is typed into ${call.known.name}`)
  walk.need(`network:${server}`)
  return undefined
}

function redis(walk: Walk, { operands: [verb = '', second], given }: Invocation): undefined {
  const server = given.get('-h')?.[0] ?? 'localhost'
  const isRead =
    /^(?:ping|get|mget|exists|ttl|pttl|type|keys|scan|hget|hgetall|hkeys|hlen|lrange|llen|smembers|scard|zrange|zcard|info|dbsize|strlen|time|lastsave|command)$/i.test(
      verb,
    )
  if (
    !isRead &&
    !(
      given.has('--version') ||
      given.has('--scan') ||
      given.has('--stat') ||
      given.has('--latency') ||
      given.has('--bigkeys')
    )
  )
    walk.refuse(`the command redis-cli ${verb} ${second ?? ''}`.trim())
  if (!/^(?:localhost|127\.0\.0\.1|redis)$/.test(server)) walk.refuse(`the data base on ${server}`)
  walk.need(`network:${server}`)
  return undefined
}

export const NETWORK_RULES: Readonly<Record<string, Rule>> = {
  curl: { run: curl },
  wget: { run: wget },
  httpie: { run: httpie },
  hosts: { run: hosts },
  load: { run: load },
  netcat: {
    run: (walk, call) => {
      if (!has(call, '-z')) walk.refuse('a connection that nc opens')
      else walk.need(`network:${call.operands[0] ?? ''}`)
      return undefined
    },
  },
  remote: {
    run: (walk, { known, args }) => {
      if (args.length === 1 && /^(?:--version|version|-V|help|--help)$/.test(args[0]?.text ?? '')) return undefined
      walk.need('network')
      return refused(walk, `the command ${known.name}`)
    },
  },
  fingerprint: { run: (walk, call) => refused(walk, has(call, '-l') ? undefined : 'ssh-keygen as it is used') },
  sqlite: { run: sqlite },
  sql: { run: sql },
  redis: { run: redis },
  kubeGet: {
    run: (walk, { operands }) =>
      refused(
        walk,
        operands.some((word) => /^secrets?(?:[./]|$)|,secrets?\b|^all$/i.test(word) && !/^all$/.test(word))
          ? 'secrets of a cluster'
          : undefined,
      ),
  },
  helm: {
    run: (walk, { known, operands: [verb] }) =>
      refused(
        walk,
        known.name.endsWith('get') && verb !== 'notes' && verb !== 'hooks'
          ? 'values of a release, which may hold secrets'
          : undefined,
      ),
  },
  ansible: {
    run: (walk, call) =>
      refused(
        walk,
        has(call, '--syntax-check', '--list-tasks', '--list-hosts', '--list-tags', '--version')
          ? undefined
          : 'a playbook that changes machines',
      ),
  },
  ip: {
    run: (walk, { operands }) =>
      refused(
        walk,
        operands.some((word) => /^(?:add|del|delete|set|flush|change|replace|exec|append)$/.test(word)) ||
          operands[0] === 'netns'
          ? 'a change of the network'
          : undefined,
      ),
  },
  apt: {
    run: (walk, { operands: [verb] }) =>
      refused(
        walk,
        /^(?:search|show|policy|depends|rdepends|madison|pkgnames)$/.test(verb ?? '') ? undefined : `apt-cache ${verb}`,
      ),
  },
  pandoc: {
    run: (walk, call) =>
      refused(
        walk,
        call.operands.some((word) => /^[a-z]+:\/\//i.test(word)) ||
          (call.given.get('-t') ?? []).some((to) => to.endsWith('.lua')) ||
          [...(call.given.get('-f') ?? []), ...(call.given.get('--from') ?? [])].some((from) =>
            from.endsWith('.lua'),
          ) ||
          (call.given.get('--pdf-engine') ?? []).some(
            (engine) => !/^(?:pdflatex|xelatex|lualatex|tectonic|wkhtmltopdf|weasyprint|typst)$/.test(engine),
          )
          ? 'pandoc as it is used'
          : undefined,
      ),
  },
  images: {
    run: (walk, call) =>
      refused(
        walk,
        call.operands.some((word) => /^[a-z]{2,}:|^@|^\|/i.test(word)) ? 'an image that is not a file' : undefined,
      ),
  },
  ffmpeg: {
    run: (walk, call) =>
      refused(
        walk,
        [...call.operands, ...(call.given.get('-i') ?? [])].some((word) => /^[a-z]{2,}:|\.m3u8?$|^\|/i.test(word)) ||
          [...(call.given.get('-vf') ?? []), ...(call.given.get('-af') ?? [])].some((filter) =>
            /movie=|textfile=|file=|sendcmd|subtitles=/.test(filter),
          )
          ? 'ffmpeg as it is used'
          : undefined,
      ),
  },
  opens: {
    run: (walk, { operands }) =>
      refused(
        walk,
        operands.some((word) => /^[a-z]+:\/\/|^mailto:|\.(?:desktop|app|command|sh|terminal)$/i.test(word))
          ? 'a program that opens an address'
          : undefined,
      ),
  },
}
