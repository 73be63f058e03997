/** The page of a start and of a failure: what the launcher does, and what a person can do about it. */

/** With a nonce for its script and its style; everything else is forbidden. */
export function overlayPage(nonce: string): { readonly html: string; readonly policy: string } {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return { html: PAGE.replaceAll('%NONCE%', nonce), policy }
}

const STYLE = `
:root { color-scheme: light dark; --back: #f6f7f9; --card: #fff; --text: #1b1f24; --weak: #57606a; --line: #d0d7de; --good: #1a7f37; --bad: #b3261e; --accent: #0b57d0; }
@media (prefers-color-scheme: dark) { :root { --back: #0f1216; --card: #171b21; --text: #e6e9ee; --weak: #9aa4b0; --line: #303741; --good: #57c26f; --bad: #ff8a80; --accent: #8ab4f8; } }
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, sans-serif }
main { width: min(44rem, 100vw - 2rem); margin: 1rem; padding: 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px }
h1 { margin: 0 0 .25rem; font-size: 1.25rem }
#message { margin: 0 0 1rem; color: var(--weak) }
progress { width: 100%; accent-color: var(--accent) }
ol { list-style: none; margin: 1rem 0 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: .15rem 1.5rem }
li { display: flex; gap: .5rem; color: var(--weak) }
li > span:first-child { width: 1.2em; text-align: center }
li[data-state=running] { color: var(--text); font-weight: 600 }
li[data-state=succeeded] > span:first-child { color: var(--good) }
li[data-state=failed] { color: var(--bad) }
#failure { margin: 1rem 0 0; padding: .75rem 1rem; border: 1px solid var(--bad); border-radius: 8px; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 16rem; overflow: auto }
#actions { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: 1rem }
button { font: inherit; padding: .4rem .9rem; border: 1px solid var(--line); border-radius: 8px; background: transparent; color: inherit; cursor: pointer }
button.primary { border-color: var(--accent); color: var(--accent); font-weight: 600 }
button:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
details { margin-top: 1rem } summary { cursor: pointer; color: var(--weak) }
pre { max-height: 14rem; overflow: auto; margin: .5rem 0 0; padding: .5rem; background: var(--back); border-radius: 8px; font: 12px/1.45 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere }
[hidden] { display: none !important }
`

/** Runs in the page. Messages are JSON: \`{id, channel, payload}\` asks, \`{id, result | error}\` answers, others are events. */
const SCRIPT = `
'use strict'
const part = (id) => document.getElementById(id)
const MARKS = { running: '\\u25cf', succeeded: '\\u2713', skipped: '\\u2013', failed: '\\u2717' }
const TEXTS = { running: 'running', succeeded: 'done', skipped: 'skipped', failed: 'failed' }
const waiting = new Map()
const given = new URLSearchParams(location.hash.slice(1))
const profile = given.get('profile') || sessionStorage.getItem('profile') || 'default'
let ticket = given.get('ticket')
let socket, count = 0, delay = 250, stages = [], states = {}
sessionStorage.setItem('profile', profile)
history.replaceState(null, '', '/')

function connect() {
  const key = ticket ? 'ticket=' + ticket : 'key=' + (sessionStorage.getItem('key') || '')
  ticket = null
  socket = new WebSocket(location.origin.replace('http', 'ws') + '/channels?' + key + '&profile=' + encodeURIComponent(profile))
  socket.onopen = async () => {
    delay = 250
    show(await ask('svc:bootstrap:get'))
    progress(await ask('svc:boot-progress:get'))
  }
  socket.onmessage = ({ data }) => take(JSON.parse(data))
  socket.onclose = () => {
    for (const { reject } of waiting.values()) reject(new Error('closed'))
    waiting.clear()
    part('title').textContent = 'svc is not running'
    part('message').textContent = 'The launcher has ended. Start svc desktop again; this page connects by itself.'
    setTimeout(connect, delay)
    delay = Math.min(delay * 2, 3000)
  }
}

function ask(channel, payload) {
  const id = ++count
  socket.send(JSON.stringify({ id, channel, payload }))
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
}

function take({ id, result, error, channel, payload }) {
  if (id !== undefined) {
    const asked = waiting.get(id)
    waiting.delete(id)
    if (asked) error === undefined ? asked.resolve(result) : asked.reject(new Error(error))
  } else if (channel === 'svc:session') sessionStorage.setItem('key', payload.key)
  else if (channel === 'svc:bootstrap:event') event(payload)
  else if (channel === 'svc:boot-progress') progress(payload)
  else if (channel === 'svc:connection' && payload.url !== null) location.replace(payload.url)
}

function show(snapshot) {
  states = snapshot.stages
  list(snapshot.manifest ? snapshot.manifest.stages : [])
  part('log').textContent = snapshot.log.map(({ line }) => line).join('\\n')
  part('logs').hidden = snapshot.log.length === 0
  part('cancel').hidden = !snapshot.active
}

function list(next) {
  stages = next
  part('stages').replaceChildren(...stages.map(({ name, title }) => {
    const item = document.createElement('li')
    const { state } = states[name] || {}
    const [mark, text] = [document.createElement('span'), document.createElement('span')]
    item.dataset.state = state || ''
    mark.textContent = MARKS[state] || '\\u00b7'
    mark.setAttribute('aria-hidden', 'true')
    text.textContent = title
    item.setAttribute('aria-label', title + ': ' + (TEXTS[state] || 'waiting'))
    item.append(mark, text)
    return item
  }))
}

function event(each) {
  if (each.type === 'manifest') { if (each.stages.length === 0) states = {}; list(each.stages) }
  if (each.type === 'stage') { states[each.name] = each; list(stages) }
  if (each.type === 'log') {
    part('logs').hidden = false
    part('log').textContent = (part('log').textContent + '\\n' + each.line).split('\\n').slice(-500).join('\\n')
    part('log').scrollTop = part('log').scrollHeight
  }
  part('cancel').hidden = each.type === 'complete' || each.type === 'failed'
}

function progress(now) {
  const failed = now.error !== null
  part('title').textContent = failed ? 'svc could not start' : now.isReconnect ? 'svc starts again' : 'svc starts'
  part('message').textContent = failed ? 'Nothing is tried again until you say so.' : now.message
  part('bar').value = now.progress
  part('bar').hidden = failed
  part('failure').hidden = part('retry').hidden = part('repair').hidden = !failed
  part('failure').textContent = now.error || ''
  if (failed) {
    part('cancel').hidden = true
    part('retry').focus()
    if (document.hidden && 'Notification' in window && Notification.permission === 'granted') new Notification('svc could not start')
  }
}

for (const [id, channel] of [['retry', 'svc:bootstrap:reset'], ['repair', 'svc:bootstrap:repair'], ['cancel', 'svc:bootstrap:cancel']])
  part(id).onclick = () => ask(channel).catch(() => undefined)
connect()
`

const PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>svc</title><meta name="viewport" content="width=device-width, initial-scale=1">
<style nonce="%NONCE%">${STYLE}</style></head>
<body><main aria-live="polite">
<h1 id="title">svc starts</h1><p id="message">Connecting</p>
<progress id="bar" max="100" value="0" aria-label="Progress of the start"></progress>
<div id="failure" role="alert" tabindex="0" hidden></div>
<ol id="stages" aria-label="Stages"></ol>
<div id="actions"><button id="retry" class="primary" hidden>Try again</button><button id="repair" hidden>Repair</button><button id="cancel" hidden>Cancel</button></div>
<details id="logs" hidden><summary>Log</summary><pre id="log" tabindex="0"></pre></details>
</main><script nonce="%NONCE%">${SCRIPT}</script></body></html>
`
