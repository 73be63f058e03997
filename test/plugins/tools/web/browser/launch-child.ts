/** A process that starts a browser with a page, prints the browser's process, and waits to be killed; see `launch.test.ts`. */
import { writeSync } from 'node:fs'
import { CdpConnection } from '../../../../../plugins/tools/web/browser/cdp.ts'
import { launchBrowser } from '../../../../../plugins/tools/web/browser/launch.ts'
import { scriptPorts } from '../../../sessions/storage/script-ports.ts'

const [executable = ''] = process.argv.slice(2)
const { clock } = scriptPorts()
const launched = await launchBrowser(executable, process.env['PATH'] ?? '', clock)
const { browser } = new CdpConnection(launched.open, clock, 30_000)
await browser.send('Target.createTarget', { url: 'about:blank' })
writeSync(1, `${launched.pid}\n`)
setInterval(() => undefined, 60_000)
