/**
 * A page as plain as can be: a field, and a place to which each message of a WebSocket is added. Prints its port; sends a piece every
 * 20 ms to whoever connects, once the page has asked for it.
 */
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'

const page = `<!doctype html><title>bare</title><h1>bare</h1><main></main><textarea></textarea><script type="module">
const socket = new WebSocket(location.href.replace('http', 'ws'))
socket.addEventListener('message', ({ data }) => { document.querySelector('main').append(JSON.parse(data).text) })
document.querySelector('textarea').addEventListener('keydown', ({ key }) => { if (key === 'Enter') socket.send('go') })
</script>`
const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(page))
const sockets = new WebSocketServer({ server })
sockets.on('connection', (socket) => {
  socket.on('message', async () => {
    for (let count = 0; count < 50; count++) {
      socket.send(JSON.stringify({ type: 'message.delta', text: `word ${count} ` }))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`SVC_DASHBOARD_READY port=${server.address().port}\n`))
