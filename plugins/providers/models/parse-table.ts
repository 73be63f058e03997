/** The table as it is looked up: parsed at the first question. */
import type { ModelInfo, ModelPrice } from 'svc/sdk/provider'
import { TABLE, TIERS } from './model-table.ts'

/** What the table says of one model. */
export type Row = Omit<ModelInfo, 'id' | 'label'>

/** Rows by provider, then by the id as `plainId` has it. */
export type Table = ReadonlyMap<string, ReadonlyMap<string, Row>>

const ANY = 'any'
/** A version that does not change what a model is: a date, a counter, Bedrock's `-v1:0`. */
const VERSION = /[-@](latest|\d{4}-\d{2}-\d{2}|\d{6,8}|0\d{2}|v\d+(:\d+)?)$/
/** OpenRouter takes what these vendors take. */
const RESOLD: Readonly<Record<string, string>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  google: 'gemini',
  'x-ai': 'xai',
}
/** They run on machines of the user. */
const LOCAL: ReadonlySet<string> = new Set(['ollama', 'lmstudio', 'llama-cpp', 'vllm', 'demo'])

let parsed: Table | undefined

/** Every call of a model asks several times. */
const answers = new Map<string, Row>()
const MAX_ANSWERS = 100

/** What the table knows of a model; nothing when it knows nothing. */
export function findTableRow(address: { readonly provider: string; readonly model: string }): Row {
  const key = `${address.provider} ${address.model}`
  const row = answers.get(key) ?? lookFor(address)
  if (answers.size >= MAX_ANSWERS) answers.clear()
  answers.set(key, row)
  return row
}

function lookFor({ provider, model }: Parameters<typeof findTableRow>[0]): Row {
  parsed ??= addTierPrices(parseTable(TABLE), TIERS)
  // Their window is a setting of the server, which no table knows, and they are paid for with electricity.
  if (LOCAL.has(provider)) return /[-:]cloud$/.test(model) ? {} : { price: { input: 0, output: 0 } }
  const [vendor = '', ...rest] = model.split('/')
  const resold = provider === 'openrouter' ? RESOLD[vendor] : undefined
  const own = resold === undefined ? findRow(parsed.get(provider), model) : findRow(parsed.get(resold), rest.join('/'))
  return own ?? byName(parsed, model)
}

/** Parses the text. Throws for an invalid line: the table is part of the program, and a test reads it. */
export function parseTable(text: string): Table {
  const table = new Map<string, Map<string, Row>>()
  let section: Section = { names: [], origin: {} }
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const begun = beginSection(line)
    if (begun) section = begun
    else {
      const [id = '', ...facts] = line.split(/ +/)
      for (const name of section.names) {
        const rows = table.get(name) ?? new Map<string, Row>()
        table.set(name, rows.set(plainId(id), parseRow(line, facts, section.origin)))
      }
    }
  }
  return table
}

/** The table with the prices of other tiers. Throws for an invalid line and for a model without a usual price. */
export function addTierPrices(table: Table, text: string): Table {
  const all = new Map([...table].map(([name, rows]) => [name, new Map(rows)]))
  let section: Section = { names: [], origin: {} }
  for (const line of text.split('\n').filter((each) => each !== '')) {
    const begun = beginSection(line)
    if (begun) section = begun
    else {
      const [id = '', tier = '', price = ''] = line.split(/ +/)
      for (const name of section.names) {
        const row = all.get(name)?.get(plainId(id))
        if (!row?.price || !/^(priority|flex)$/.test(tier)) throw new Error(`This is no price of a tier: ${line}`)
        const tiers = { ...row.price.tiers, [tier]: { ...parsePrice(price), ...section.origin } }
        all.get(name)?.set(plainId(id), { ...row, price: { ...row.price, tiers } })
      }
    }
  }
  return all
}

/** Lines of the same providers, whose prices are from one page. */
interface Section {
  readonly names: readonly string[]
  readonly origin: PriceOrigin
}

function beginSection(line: string): Section | undefined {
  const [, names, source, asOf] = /^\[(.+)\](?: (\S+) (\d{4}-\d{2}))?$/.exec(line) ?? []
  if (names === undefined) return undefined
  return { names: names.split(' '), origin: source !== undefined && asOf !== undefined ? { source, asOf } : {} }
}

/** Where the prices of a section are from. */
type PriceOrigin = Pick<ModelPrice, 'source' | 'asOf'>

function parseRow(
  line: string,
  [window = '', output = '', price = '', abilities = '']: readonly string[],
  origin: PriceOrigin,
): Row {
  if (!/^[itr]+$|^\.$/.test(abilities)) throw new Error(`This is no line of the table of models: ${line}`)
  return {
    ...(window === '-' ? {} : { contextWindow: Number(window) }),
    ...(output === '-' ? {} : { maxOutputTokens: Number(output) }),
    ...(price === '-' ? {} : { price: { ...parsePrice(price), ...origin } }),
    images: abilities.includes('i'),
    tools: abilities.includes('t'),
    reasoning: abilities.includes('r'),
  }
}

function parsePrice(text: string): ModelPrice {
  const [input = Number.NaN, output = Number.NaN, cachedInput, cacheWriteInput] = text.split('/').map(Number)
  return {
    input,
    output,
    ...(cachedInput === undefined ? {} : { cachedInput }),
    ...(cacheWriteInput === undefined ? {} : { cacheWriteInput }),
  }
}

function findRow(rows: ReadonlyMap<string, Row> | undefined, model: string): Row | undefined {
  const bare = model.replace(VERSION, '')
  // Bedrock writes both: `-20250929-v1:0`.
  return [model, bare, bare.replace(VERSION, '')].map((id) => rows?.get(plainId(id))).find((row) => row !== undefined)
}

/** A model that runs with another host: it reads as much and can do what it can, unless its host knows better. */
function byName(table: Table, model: string): Row {
  const name = (model.split('/').at(-1) ?? '').replace(
    /^((us|eu|apac|global|jp)\.)?(anthropic|meta|deepseek|openai)\./,
    '',
  )
  for (const rows of [table.get(ANY), ...table.values()]) {
    const row = findRow(rows, name)
    if (!row) continue
    const { contextWindow, images, tools, reasoning } = row
    return {
      ...(contextWindow === undefined ? {} : { contextWindow }),
      ...(images ? { images } : {}),
      ...(tools ? { tools } : {}),
      ...(reasoning ? { reasoning } : {}),
    }
  }
  return {}
}

/** Services write versions with dots or hyphens, and names in any case. */
function plainId(id: string): string {
  return id.toLowerCase().replaceAll('.', '-')
}
