/** Hands out keys, and learns from how the calls ended. */
import { Clock, errorMessage, Home, logFault, type PluginContext, Random, Secrets } from 'svc/sdk'
import { type LeasedCredential, type ModelFailure, type SignInFlow, SignInFlows } from 'svc/sdk/provider'
import { AmbientTokens } from './ambient-tokens.ts'
import { AuthFile } from './auth-file.ts'
import type { Config } from './config.ts'
import { fromStored, isReady, type Key, type Standing, writeStanding } from './key.ts'
import { allDead, allResting, describeKeys } from './key-sentences.ts'
import { Leases } from './leases.ts'
import { pick } from './pick-key.ts'
import { judge } from './refusal-verdict.ts'
import { listStoredKeys, type Stored } from './stored-keys.ts'

/** Calls that are counted in memory before they are written. */
const UNWRITTEN_CALLS = 20

/** Without a file it costs one look at the disk. What was learned of a key is known here at once, and to others soon. */
export class KeyPool {
  readonly file: AuthFile
  #ctx: PluginContext<Config>
  /** Of the default profile, used by named profiles that have no key. */
  #root: AuthFile | undefined
  #standings: Map<string, Standing> = new Map()
  #leases: Leases
  #ambient: AmbientTokens
  /** Calls that are not in the file yet. */
  #counts: Map<string, number> = new Map()
  /** Calls with keys that the file does not hold. */
  #passing: Map<string, number> = new Map()
  #last: Map<string, string> = new Map()
  /** The key that a provider is asked with once more. */
  #again: Map<string, string> = new Map()
  /** Keys that were refused once without a word for how long. */
  #warned: Set<string> = new Set()
  /** Sign-ins that were refused and are to be renewed; `renewed` once that has been done. */
  #renewals: Map<string, 'wanted' | 'renewed'> = new Map()
  #complained: string | undefined

  constructor(ctx: PluginContext<Config>) {
    this.#ctx = ctx
    const home = ctx.use(Home)
    this.#leases = new Leases(() => this.#now())
    this.#ambient = new AmbientTokens(ctx)
    const host = { clock: ctx.use(Clock), random: ctx.use(Random), secrets: ctx.use(Secrets), log: ctx.log }
    this.file = new AuthFile(home.path('auth.json'), host)
    if (home.dir !== home.root) this.#root = new AuthFile(`${home.root}/auth.json`, host)
  }

  async take(provider: string, keyNames: readonly string[]): Promise<LeasedCredential | undefined> {
    const keys = this.#keys(provider, keyNames)
    if (keys.length === 0) return undefined
    const now = this.#now()
    const [first, ...others] = keys.filter((key) => isReady(key, now))
    if (!first) throw keys.every(({ status }) => status === 'dead') ? allDead(provider, keys) : allResting(keys, now)
    const found = this.#pick(provider, [first, ...others])
    if (found.home === 'ambient') return this.#lend(await this.#ambient.take(found), keyNames, true)
    const key = found.stored?.auth_type === 'oauth' ? await this.#renewed(found) : found
    // It could not be renewed and is out of use now: the next one.
    if (!key) return this.take(provider, keyNames)
    const alone = keys.filter(({ status }) => status !== 'dead').length === 1
    return this.#lend(key, keyNames, alone)
  }

  status(provider: string, keyNames: readonly string[]): { ready: boolean; detail: string } {
    try {
      return describeKeys(this.#keys(provider, keyNames), keyNames, {
        now: this.#now(),
        getSecretSource: (name) => this.#ctx.use(Secrets).source(name),
      })
    } catch (error) {
      logFault(this.#ctx.log, `the keys of ${provider} could not be examined`, error)
      return { ready: false, detail: errorMessage(error) }
    }
  }

  /** Forgets what was learned of a provider's keys in this process. */
  forget(provider: string): void {
    for (const map of [this.#standings, this.#warned, this.#renewals])
      for (const place of [...map.keys()]) if (place.startsWith(`${provider} `)) map.delete(place)
    this.#again.delete(provider)
    this.#ambient.forget(provider)
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    if (this.#counts.size > 0) this.#write()
    await this.file.settled()
  }

  /** Those of the file before those of variables. An unreadable file does not affect keys of variables. */
  #keys(provider: string, keyNames: readonly string[]): readonly Key[] {
    const inVariables = this.#variables(provider, keyNames)
    let stored: readonly Key[] = []
    try {
      stored = listStoredKeys(this.file.read(), provider).map((each) => fromStored(provider, each, 'pool'))
      if (stored.length === 0 && this.#root)
        stored = listStoredKeys(this.#root.read(), provider).map((each) => fromStored(provider, each, 'root'))
    } catch (error) {
      if (inVariables.length === 0) throw error
      if (this.#complained !== errorMessage(error)) this.#ctx.log.error(errorMessage(error), { error })
      this.#complained = errorMessage(error)
    }
    const typed = [...stored, ...inVariables.filter(({ key }) => !stored.some((other) => other.key === key))]
    const all = typed.length > 0 ? typed : this.#ambient.keys(provider)
    return all.map((key) => this.#withStanding(key))
  }

  #variables(provider: string, keyNames: readonly string[]): readonly Key[] {
    const seen = new Set<string>()
    return keyNames.flatMap((name) => {
      const key = this.#ctx.use(Secrets).get(name)
      if (key === undefined || seen.has(key)) return []
      seen.add(key)
      return [{ id: name, provider, label: name, key, status: 'ok', requests: 0, home: 'variable' } satisfies Key]
    })
  }

  #withStanding(key: Key): Key {
    const place = getPlaceKey(key)
    const requests = key.requests + (this.#counts.get(place) ?? 0) + (this.#passing.get(place) ?? 0)
    const standing = this.#standings.get(place)
    if (standing?.key !== key.key) return { ...key, requests }
    const { resetAt, error, ...rest } = { ...key, requests, status: standing.status }
    return {
      ...rest,
      ...(standing.resetAt === undefined ? {} : { resetAt: standing.resetAt }),
      ...(standing.error === undefined ? {} : { error: standing.error }),
    }
  }

  #pick(provider: string, ready: readonly [Key, ...Key[]]): Key {
    const again = this.#again.get(provider)
    this.#again.delete(provider)
    const same = ready.find(({ id }) => id === again)
    if (same) return same
    const [first, ...others] = ready.map((key) => ({ ...key, leases: this.#leases.count(getPlaceKey(key)) }))
    if (!first) return ready[0]
    const strategy = this.#ctx.config[provider] ?? 'fill_first'
    const random = () => this.#ctx.use(Random).next()
    return pick([first, ...others], strategy, { last: this.#last.get(provider), random })
  }

  #lend(key: Key, keyNames: readonly string[], alone: boolean): LeasedCredential {
    const place = getPlaceKey(key)
    const release = this.#leases.hold(place)
    this.#last.set(key.provider, key.id)
    this.#count(key)
    return {
      id: key.id,
      key: key.key,
      ...(key.baseUrl === undefined ? {} : { baseUrl: key.baseUrl }),
      ...(key.account === undefined ? {} : { account: key.account }),
      ...(key.home === 'ambient' || key.stored?.auth_type === 'oauth' ? { type: 'oauth' } : {}),
      succeeded: () => {
        release()
        this.#warned.delete(place)
        this.#renewals.delete(place)
        this.#ambient.accepted(key)
      },
      failed: (failure) => {
        release()
        return this.#learn(key, failure, { keyNames, alone })
      },
    }
  }

  #learn(key: Key, failure: ModelFailure, of: { keyNames: readonly string[]; alone: boolean }): boolean {
    const place = getPlaceKey(key)
    if (key.home === 'ambient') return failure.kind === 'auth' && this.#ambient.refused(key)
    if (failure.kind === 'auth' && this.#mayRenew(key)) {
      this.#renewals.set(place, 'wanted')
      return true
    }
    const inVariable = key.home === 'variable'
    const verdict = judge(failure, { alone: of.alone, inVariable, again: this.#warned.has(place) })
    if (verdict.is === 'unrelated') return false
    if (verdict.is === 'again') {
      this.#warned.add(place)
      this.#again.set(key.provider, key.id)
      return true
    }
    this.#warned.delete(place)
    const now = this.#now()
    this.#stand(key, {
      status: verdict.is === 'dead' ? 'dead' : 'exhausted',
      error: this.#ctx.use(Secrets).mask(failure.message),
      ...(failure.code === undefined ? {} : { code: failure.code }),
      ...(verdict.is === 'rest' ? { resetAt: now + verdict.ms } : {}),
    })
    return this.#keys(key.provider, of.keyNames).some((each) => isReady(each, now))
  }

  /** A refused sign-in is renewed once before its key rests. */
  #mayRenew(key: Key): boolean {
    return this.#flow(key)?.refresh !== undefined && this.#renewals.get(getPlaceKey(key)) === undefined
  }

  #flow({ stored }: Key): SignInFlow | undefined {
    return stored?.auth_type === 'oauth' ? this.#ctx.all(SignInFlows).get(stored.source) : undefined
  }

  async #renewed(key: Key): Promise<Key | undefined> {
    const { renew, isDue } = await import('./renew-sign-in.ts')
    const place = getPlaceKey(key)
    const isRefused = this.#renewals.get(place) === 'wanted'
    if (key.home !== 'pool' || !(isRefused || isDue(key, this.#now(), this.#flow(key)))) return key
    const outcome = await renew(this.#ctx, this.file, key, isRefused ? 'refused' : 'due')
    if (isRefused) this.#renewals.set(place, 'renewed')
    if ('key' in outcome) return outcome.key
    this.#stand(key, outcome.standing)
    return undefined
  }

  #stand(key: Key, standing: Omit<Standing, 'key' | 'at'>): void {
    const whole = { ...standing, key: key.key, at: this.#now() }
    this.#standings.set(getPlaceKey(key), whole)
    const { label, provider, id } = key
    this.#ctx.log.warn(`the key ${label} of ${provider} is ${standing.status}`, { id, error: standing.error })
    if (key.home === 'pool') this.#write()
  }

  #count(key: Key): void {
    const counts = key.home === 'pool' ? this.#counts : this.#passing
    counts.set(getPlaceKey(key), (counts.get(getPlaceKey(key)) ?? 0) + 1)
    if ([...this.#counts.values()].reduce((sum, count) => sum + count, 0) >= UNWRITTEN_CALLS) this.#write()
  }

  /** What was learned stays here until it is in the file; a failed write is said and tried again with the next. */
  #write(): void {
    const [standings, counts] = [new Map(this.#standings), this.#counts]
    this.#counts = new Map()
    const writeAll = (stored: Stored) =>
      Object.keys(stored.credential_pool).flatMap((provider) =>
        listStoredKeys(stored, provider).map((each) => {
          const place = getPlaceKey({ provider, id: each.id })
          const standing = standings.get(place)
          if (standing) writeStanding(each, standing)
          each.request_count = (each.request_count ?? 0) + (counts.get(place) ?? 0)
          return place
        }),
      )
    this.file.update(writeAll).then(
      (places) => {
        for (const place of places)
          if (this.#standings.get(place) === standings.get(place)) this.#standings.delete(place)
      },
      (error: unknown) => {
        for (const [place, count] of counts) this.#counts.set(place, (this.#counts.get(place) ?? 0) + count)
        this.#ctx.log.warn(`what was learned of keys could not be kept: ${errorMessage(error)}`, { error })
      },
    )
  }

  #now(): number {
    return this.#ctx.use(Clock).now()
  }
}

function getPlaceKey({ provider, id }: { readonly provider: string; readonly id: string }): string {
  return `${provider} ${id}`
}
