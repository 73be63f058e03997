/**
 * A stand-in of the OSV API, from its public description: https://google.github.io/osv.dev/api/. It matches package,
 * ecosystem and listed version, gives at most `page` ids at once, and refuses what the service refuses.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface OsvRecord {
  readonly id: string
  readonly modified: string
  readonly affected: readonly {
    readonly package: { readonly name: string; readonly ecosystem: string }
    readonly versions: readonly string[]
    readonly [field: string]: unknown
  }[]
  readonly [field: string]: unknown
}

interface Query {
  readonly package?: { readonly name?: string; readonly ecosystem?: string }
  readonly version?: string
  readonly page_token?: string
}

/** Answers in place of the next answers: a status, or a text with status 200. `hang`: never. */
export type OsvFault = number | string | 'hang'

export interface OsvServer extends AsyncDisposable {
  readonly url: string
  /** Method and path of each request. */
  readonly requests: string[]
  /** Number of queries of each batch. */
  readonly batches: number[]
  readonly faults: OsvFault[]
  /** Most requests that were open at once. */
  readonly parallel: () => number
}

export async function startOsvServer(records: readonly OsvRecord[], page = 1000): Promise<OsvServer> {
  const requests: string[] = []
  const batches: number[] = []
  const faults: OsvFault[] = []
  let [open, parallel] = [0, 0]
  const server = createServer(async (request, response) => {
    parallel = Math.max(parallel, ++open)
    response.once('close', () => void open--)
    requests.push(`${request.method} ${request.url}`)
    const fault = faults.shift()
    if (fault !== undefined) {
      failWith(response, fault)
      return
    }
    if (request.url === '/v1/querybatch' && request.method === 'POST') {
      const { queries } = JSON.parse(await readAll(request)) as { queries: Query[] }
      batches.push(queries.length)
      answerBatch(response, queries, (query) => answer(records, query, page))
      return
    }
    const id = /^\/v1\/vulns\/([^/?]+)$/.exec(request.url ?? '')?.[1]
    const record = records.find((each) => each.id === decodeURIComponent(id ?? ''))
    if (record) send(response, record)
    else refuse(response, 404, 'Bug not found.')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    batches,
    faults,
    parallel: () => parallel,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function failWith(response: ServerResponse, fault: OsvFault): void {
  if (typeof fault === 'number') response.writeHead(fault).end('{"code":13,"message":"fault"}')
  else if (fault !== 'hang') response.end(fault)
}

function answerBatch(response: ServerResponse, queries: readonly Query[], find: (query: Query) => object): void {
  if (queries.length > 1000) refuse(response, 400, 'Too many queries.')
  else if (queries.some((query) => !query.package?.name || !query.package.ecosystem || !query.version))
    refuse(response, 400, 'Invalid query.')
  else send(response, { results: queries.map(find) })
}

function answer(records: readonly OsvRecord[], query: Query, page: number): object {
  const matching = records.filter(({ affected }) =>
    affected.some(
      ({ package: { name, ecosystem }, versions }) =>
        name === query.package?.name && ecosystem === query.package.ecosystem && versions.includes(query.version ?? ''),
    ),
  )
  const from = Number(query.page_token ?? 0)
  const vulns = matching.slice(from, from + page).map(({ id, modified }) => ({ id, modified }))
  return {
    ...(vulns.length > 0 && { vulns }),
    ...(from + page < matching.length && { next_page_token: String(from + page) }),
  }
}

async function readAll(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += part
  return text
}

function send(response: ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ code: 3, message }))
}
