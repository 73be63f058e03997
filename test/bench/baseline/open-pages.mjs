/**
 * Pages of a dashboard without a browser: each has a WebSocket and does what a page does when it is opened. Arguments: address of the
 * dashboard, and its token. Told what to do over the IPC channel; ends with it.
 */
import WebSocket from 'ws'

const QUIET_MS = 500

const [address, token] = process.argv.slice(2)
const pages = []
let driver
/** By session and place: when the first piece of it was sent, when it came to the last page, and to how many. */
let seen = new Map()
let problems = []
let messages = 0

class Page {
  #next = 1
  #waiting = new Map()
  #socket
  #isCounted

  constructor(socket, isCounted) {
    this.#socket = socket
    this.#isCounted = isCounted
    socket.on('message', (data) => this.#take(data.toString()))
    socket.on('close', (code) => code === 1005 || code === 1006 || problems.push(`closed with ${code}`))
  }

  call(method, params = {}) {
    const id = this.#next++
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
    })
  }

  close() {
    this.#socket.terminate()
  }

  #take(text) {
    messages++
    if (text.includes('"method":"event"')) {
      if (this.#isCounted && text.includes('"message.delta"')) count(text)
      return
    }
    const { id, result, error } = JSON.parse(text)
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error) waiting?.reject(new Error(error.message))
    else waiting?.resolve(result)
  }
}

function count(text) {
  const now = performance.timeOrigin + performance.now()
  const { session_id, payload } = JSON.parse(text).params
  const [, sent] = /@([\d.]+)/.exec(payload.text) ?? []
  const key = `${session_id} ${payload.seq}`
  const event = seen.get(key) ?? { sent: Number(sent), pages: 0, last: 0 }
  event.pages++
  event.last = now
  seen.set(key, event)
}

async function connect(isCounted) {
  const reply = await fetch(`${address}/api/auth/ws-ticket`, {
    method: 'POST',
    headers: { 'x-svc-session-token': token },
  })
  const { ticket } = await reply.json()
  const socket = new WebSocket(`${address.replace('http', 'ws')}/api/ws?ticket=${ticket}`)
  const page = new Page(socket, isCounted)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return page
}

const work = {
  /** Sessions, opened by a connection of their own. `counts`: it is the one page that shows them. */
  async sessions({ count: wanted, counts }) {
    seen = new Map()
    driver = await connect(counts)
    const sessions = []
    for (let each = 0; each < wanted; each++) sessions.push(await driver.call('session.create'))
    return sessions
  },
  /** Each page shows one of the sessions, or all of them. */
  async open({ count: wanted, keys, each }) {
    for (let number = 0; number < wanted; number++) {
      const page = await connect(true)
      await page.call('pages.watch')
      await page.call('session.list', { limit: 50 })
      const shown = each === 'all' ? keys : [keys[number % keys.length]]
      for (const key of shown) await page.call('session.resume', { session_id: key })
      pages.push(page)
    }
  },
  /** Every session begins a turn. */
  async submit({ ids, text }) {
    for (const id of ids) await driver.call('prompt.submit', { session_id: id, text })
  },
  /** Milliseconds from each piece until the last of so many pages had it, and how many events came to fewer or more. */
  async take({ pages: expected }) {
    for (let known = -1; known !== messages; await new Promise((resolve) => setTimeout(resolve, QUIET_MS)))
      known = messages
    const events = [...seen.values()]
    seen = new Map()
    const all = events.filter((event) => event.pages === expected)
    const result = { lags: all.map(({ sent, last }) => last - sent), wrong: events.length - all.length, problems }
    problems = []
    return result
  },
  async close() {
    for (const page of pages.splice(0)) page.close()
    driver?.close()
    driver = undefined
  },
}

process.on('message', async ({ what, ...options }) => {
  try {
    process.send({ result: (await work[what](options)) ?? null })
  } catch (error) {
    process.send({ problem: error.message })
  }
})
process.on('disconnect', () => process.exit())
