/** A dashboard that others can reach, and browsers of people who sign in to it. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testKernel, type VirtualClock, virtualClock } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { type Desk, type DeskOptions, openTestKernel } from '../dashboard/desk.ts'

export const PASSWORD = 'correct horse battery'

const made = new Map<string, Promise<string>>()

/** A home with people who have a password: made once, and copied for each test. */
export async function createHome(...people: readonly string[]): Promise<string> {
  const key = people.join(' ')
  const template = made.get(key) ?? makeHome(people)
  made.set(key, template)
  const home = temporaryFolder()
  cpSync(await template, home, { recursive: true })
  return home
}

async function makeHome(people: readonly string[]): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'svc-login-'))
  process.once('exit', () => rmSync(home, { recursive: true, force: true }))
  await using shell = await openShell(home)
  for (const name of people) await shell.run(['dashboard', 'password', name], PASSWORD)
  return home
}

/** The shell of a person: commands in another kernel than that of the dashboard. Rejects with what a failed one printed. */
export async function openShell(home: string) {
  const kernel = await testKernel({ home, clock: virtualClock(), plugins: ['dashboard', 'dashboard-login'] })
  return {
    async run(argv: readonly string[], input?: string): Promise<string> {
      const { out, err, code } = await kernel.run([...argv], { ...(input !== undefined && { stdin: `${input}\n` }) })
      if (code !== 0) throw new Error(err || out)
      return out
    },
    [Symbol.asyncDispose]: () => kernel.stop(),
  }
}

/** A browser: it keeps cookies, and says which page asks. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly #url: string
  readonly #headers: Readonly<Record<string, string>>

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.#url = url
    this.#headers = headers
  }

  get cookie(): string {
    return [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  async ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const isRead = method === 'GET'
    const reply = await fetch(new URL(path, this.#url), {
      method,
      redirect: 'manual',
      headers: {
        ...(this.cookies.size > 0 && { cookie: this.cookie }),
        ...(!isRead && { origin: new URL(this.#url).origin }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...this.#headers,
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    this.keep(reply.headers)
    const text = await reply.text()
    const isJson = reply.headers.get('content-type')?.startsWith('application/json')
    // biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes
    return { status: reply.status, headers: reply.headers, text, json: (isJson ? JSON.parse(text) : undefined) as any }
  }

  /** Keeps the cookies of a reply, of whichever server of this machine. */
  keep(headers: Headers): void {
    for (const each of headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(each) ?? []
      if (/Max-Age=0/i.test(each)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }

  login(username: string, password = PASSWORD, headers: Record<string, string> = {}) {
    return this.ask('POST', '/api/auth/password-login', { username, password }, headers)
  }
}

export interface LoginStage {
  readonly desk: Desk
  readonly home: string
  readonly clock: VirtualClock
  readonly browser: (headers?: Readonly<Record<string, string>>) => Browser
  /** Lines of the audit log. */
  readonly audit: () => readonly Readonly<Record<string, string>>[]
}

interface LoginOptions {
  readonly host?: string
  readonly port?: number
  readonly clock?: VirtualClock
}

/** With one person, `admin`, unless the home has others. */
export async function openLogin(options: Omit<DeskOptions, 'clock'> & LoginOptions = {}): Promise<LoginStage> {
  const { host = '0.0.0.0', clock = virtualClock(), ...rest } = options
  const home = options.home ?? (await createHome('admin'))
  const desk = await openTestKernel(
    { ...rest, clock, home, plugins: ['dashboard-login', ...(options.plugins ?? [])] },
    { host, ...(options.port !== undefined && { port: options.port }) },
  )
  onTestFinished(() => desk.kernel.stop())
  return {
    ...{ desk, home, clock },
    browser: (headers) => new Browser(desk.url, headers),
    audit: () => readAudit(home),
  }
}

export function readAudit(home: string): readonly Readonly<Record<string, string>>[] {
  const lines = readFileSync(join(home, 'logs', 'dashboard-auth.log'), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => JSON.parse(line) as Record<string, string>)
}
