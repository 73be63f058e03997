/**
 * How the Bot API brings updates to a webhook: https://core.telegram.org/bots/api#setwebhook. A call that is not answered
 * with 2XY is repeated, and given up after a number of attempts. Its public address is one that leads to loopback here.
 */

type Data = Readonly<Record<string, unknown>>

const ATTEMPTS = 8
const RETRY_MS = 50
/** As the document says of ports. */
const PORTS = ['', '443', '80', '88', '8443']

/** Left out unless they are requested by name. */
const UNUSUAL = ['chat_member', 'message_reaction', 'message_reaction_count']

interface Hook {
  readonly url: URL
  readonly secret: string | undefined
  /** Calls at a time. */
  readonly connections: number
}

export class FakeWebhook {
  /** Given to programs that ask, too. */
  readonly #updates: Data[]
  #hook: Hook | undefined
  #proxy: string | undefined
  #failure: { readonly last_error_date: number; readonly last_error_message: string } | undefined
  /** Kinds of updates that were asked for, by either way; undefined: the usual ones. */
  #allowed: readonly string[] | undefined
  #isCalling = false
  isPaused = false

  constructor(updates: Data[]) {
    this.#updates = updates
  }

  get isSet(): boolean {
    return this.#hook !== undefined
  }

  /** What is wrong with it; undefined when it was set. An empty address removes it. */
  set({
    url = '',
    secret_token: secret,
    max_connections: connections = 40,
    allowed_updates: allowed,
  }: Data): string | undefined {
    this.#hook = undefined
    if (url === '') return undefined
    if (!URL.canParse(String(url)) || !String(url).startsWith('https://'))
      return 'bad webhook: An HTTPS URL must be provided for webhook'
    const address = new URL(String(url))
    if (!PORTS.includes(address.port)) return 'bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443'
    if (secret !== undefined && !/^[\w-]{1,256}$/.test(String(secret)))
      return 'secret token contains unallowed characters'
    this.#hook = {
      url: address,
      secret: secret === undefined ? undefined : String(secret),
      connections: Number(connections),
    }
    this.allow(allowed)
    this.wake()
    return undefined
  }

  /** Like the service it keeps the list until another one is given; an empty one stands for the usual kinds. */
  allow(kinds: unknown): void {
    if (Array.isArray(kinds)) this.#allowed = kinds.length > 0 ? kinds : undefined
  }

  /** Whether updates of this kind are to be kept for the bot. */
  wants(kind: string): boolean {
    return this.#allowed?.includes(kind) ?? !UNUSUAL.includes(kind)
  }

  info(): Data {
    const url = this.#hook?.url.href ?? ''
    return { url, has_custom_certificate: false, pending_update_count: this.#updates.length, ...this.#failure }
  }

  /** Where calls of the public address arrive. */
  route(url: string): void {
    this.#proxy = url
    this.wake()
  }

  /** Brings what waits. */
  wake(): void {
    if (!this.#isCalling) void this.#call()
  }

  async #call(): Promise<void> {
    this.#isCalling = true
    for (let attempt = 0; this.#hook && this.#proxy && !this.isPaused && this.#updates.length > 0; ) {
      const hook = this.#hook
      const round = this.#updates.slice(0, hook.connections)
      const calls = round.map(async (update) => ({ update, isTaken: await this.#post(update, hook) }))
      const failed = (await Promise.all(calls)).filter(({ isTaken }) => !isTaken).map(({ update }) => update)
      const isOver = failed.length === 0 || ++attempt === ATTEMPTS
      const gone = round.filter((update) => isOver || !failed.includes(update))
      for (const update of gone)
        if (this.#updates.includes(update)) this.#updates.splice(this.#updates.indexOf(update), 1)
      if (isOver) attempt = 0
      else await new Promise((resolve) => setTimeout(resolve, RETRY_MS * 2 ** attempt).unref())
    }
    this.#isCalling = false
  }

  async #post(update: Data, { url, secret }: Hook): Promise<boolean> {
    const headers = {
      'content-type': 'application/json',
      ...(secret !== undefined && { 'x-telegram-bot-api-secret-token': secret }),
    }
    const target = new URL(url.pathname, this.#proxy).href
    const said = await fetch(target, { method: 'POST', headers, body: JSON.stringify(update) }).then(
      async (response) => {
        await response.arrayBuffer()
        return response.ok ? undefined : `Wrong response from the webhook: ${response.status} ${response.statusText}`
      },
      () => 'Connection refused',
    )
    if (said) this.#failure = { last_error_date: Math.floor(Date.now() / 1000), last_error_message: said }
    return said === undefined
  }
}
