import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasNoBrowser, openKernel, openSite, type Site, SKIPPED, type Visitor, visitor } from './support.ts'

const form = `<title>Log in</title><h1>Log in</h1>
<form action="/done"><label>Name <input name="name" required></label>
<label>Password <input type="password" name="secret"></label>
<label>Colour <select name="colour"><option value="r">Red</option><option value="b">Blue</option></select></label>
<label>Day <input type="date" name="day"></label><label><input type="checkbox" name="keep"> Keep</label>
<input value="fixed" aria-label="Fixed" readonly><button disabled>Never</button>
<div contenteditable aria-label="Note" role="textbox">old <b>note</b></div>
<button>Send</button></form><p>Some long story in between.</p>`

const frames = `<title>Frames</title><div style="height:300px">above</div>
<iframe title="near" src="/inner" style="border:7px solid;padding:9px"></iframe>
<iframe title="far" src="OTHER/inner" style="margin-left:40px"></iframe>
<div id="host"></div><script>
const root = document.getElementById('host').attachShadow({ mode: 'closed' })
root.innerHTML = '<button>Shadow</button>'
root.querySelector('button').onclick = () => { document.title = 'shadow clicked' }
</script>`
const inner = `<button onclick="this.textContent = 'pressed'">Inside</button><input aria-label="Field"><p>inner text</p>`

const shapes = `<title>Shapes</title><button id="under">Under</button>
<div id="lid" style="position:fixed;left:0;top:0;width:400px;height:60px;background:#fc0">Cookies?</div>
<div style="margin-top:100px"></div><div id="plain">Plain</div><button id="going" onclick="this.remove()">Going</button>
<button id="later" style="margin-top:3000px" onclick="document.title='reached'">Far down</button>
<script>document.getElementById('plain').addEventListener('click', (e) => { e.target.textContent = 'Clicked it' })
document.addEventListener('keydown', (e) => { document.title = 'key ' + e.key + (e.ctrlKey ? ' control' : '') })</script>`

let site: Site
let you: Visitor

describe.skipIf(hasNoBrowser)(`pages in the browser${SKIPPED}`, () => {
  beforeAll(async () => {
    site = await openSite({
      '/': form,
      '/done': '<title>Done</title><h1>Welcome</h1>',
      '/frames': frames,
      '/inner': inner,
      '/shapes': shapes,
      '/images': '<title>Pictures</title><img src="/a.png" alt="a cat"><iframe src="OTHER/more"></iframe>',
      '/more': '<img src="/b.png">',
      '/long': `<title>Long</title>${Array.from({ length: 600 }, (_, at) => `<p>paragraph number ${at}</p>`).join('')}`,
    })
    you = visitor(await openKernel())
  })
  afterAll(async () => {
    await you?.kernel.stop()
    await site?.[Symbol.asyncDispose]()
  })

  test('a form is read, filled in and sent, and the result says where that led', async () => {
    const { text } = await you.use('navigate', { url: site.url })
    expect(text).toContain('- heading "Log in" level=1')
    expect(text).not.toContain('long story')
    const at = (line: RegExp) => you.ref(text, line)
    expect((await you.use('type', { ref: at(/"Name"/), text: 'ada "l"' })).text).toMatch(
      /^Typed into textbox "Name"\.$/,
    )
    expect((await you.use('type', { ref: at(/"Password"/), text: 'hush' })).text).not.toContain('hush')
    await you.use('type', { ref: at(/combobox/), text: 'blue' })
    await you.use('type', { ref: at(/"Day"/), text: '2026-02-03' })
    await you.use('click', { ref: at(/checkbox/) })
    await you.use('type', { ref: at(/"Note"/), text: 'new note' })
    const filled = await you.use('snapshot', { full: true })
    expect(filled.text).toMatch(/textbox "Name" @e\d+ = "ada \\"l\\""/)
    expect(filled.text).toMatch(/checkbox "Keep" @e\d+ checked/)
    expect(filled.text).toMatch(/textbox "Note" @e\d+ = "new note"/)
    expect(filled.text).toContain('Some long story in between.')
    const sent = await you.use('click', { ref: at(/"Send"/) })
    expect(sent.text).toContain('Done\n')
    expect(sent.text).toContain('/done?name=ada+%22l%22&secret=hush&colour=b&day=2026-02-03&keep=on')
    expect((await you.use('click', { ref: at(/"Send"/) })).text).toMatch(
      /^BROWSER_STALE_REF: .*was on a page that is gone/,
    )
    expect((await you.use('back')).text).toContain('Log in')
  })

  test('what cannot be typed into or clicked says why', async () => {
    const { text } = await you.use('navigate', { url: site.url })
    const at = (line: RegExp) => you.ref(text, line)
    const typed = (line: RegExp, value: string) => you.use('type', { ref: at(line), text: value })
    expect((await typed(/combobox/, 'green')).text).toMatch(/^BROWSER_NOT_A_FIELD: .*no such choice; it has Red, Blue/)
    expect((await typed(/"Day"/, 'tomorrow')).text).toMatch(/^BROWSER_NOT_A_FIELD/)
    expect((await typed(/"Send"/, 'x')).text).toMatch(/^BROWSER_NOT_A_FIELD/)
    expect((await typed(/"Fixed"/, 'x')).text).toMatch(/^BROWSER_DISABLED/)
    expect((await you.use('click', { ref: at(/"Never"/) })).text).toMatch(/^BROWSER_DISABLED/)
    expect((await you.use('click', { ref: '@e9999' })).text).toMatch(/^BROWSER_STALE_REF: There is no element/)
    expect((await you.use('press', { key: 'Hyper+q' })).text).toMatch(/^BROWSER_BAD_KEY/)
  })

  test('frames of this and another site and closed shadow roots are read and used', async () => {
    const { text } = await you.use('navigate', { url: `${site.url}/frames` })
    expect(text.match(/button "Inside"/g)).toHaveLength(2)
    for (const [at, line] of text
      .split('\n')
      .filter((each) => each.includes('"Inside"'))
      .entries()) {
      const clicked = await you.use('click', { ref: you.ref(line, /./) })
      expect(clicked.text).toContain('Clicked button "Inside"')
      expect((await you.use('snapshot')).text.match(/button "pressed"/g)).toHaveLength(at + 1)
    }
    for (const line of text.split('\n').filter((each) => each.includes('"Field"')))
      await you.use('type', { ref: you.ref(line, /./), text: 'typed' })
    expect((await you.use('snapshot', { full: true })).text.match(/textbox "Field" @e\d+ = "typed"/g)).toHaveLength(2)
    await you.use('click', { ref: you.ref(text, /"Shadow"/) })
    expect((await you.use('navigate', { url: `${site.url}/shapes` })).text).toContain('Shapes')
  })

  test('an element that is covered, gone or far down is not clicked blindly', async () => {
    const { text } = await you.use('navigate', { url: `${site.url}/shapes` })
    const at = (line: RegExp) => you.ref(text, line)
    const covered = await you.use('click', { ref: at(/"Under"/) })
    expect(covered.text).toMatch(/^BROWSER_COVERED: .*<div#lid> "Cookies\?"/)
    await you.use('click', { ref: at(/clickable "Plain"/) })
    expect((await you.use('snapshot')).text).toContain('clickable "Clicked it"')
    await you.use('click', { ref: at(/"Going"/) })
    expect((await you.use('click', { ref: at(/"Going"/) })).text).toMatch(/^BROWSER_STALE_REF/)
    expect((await you.use('click', { ref: at(/"Far down"/) })).failed).toBe(false)
    expect((await you.use('scroll', { direction: 'down' })).text).toMatch(/pixels, the end/)
    expect((await you.use('scroll', { direction: 'up' })).text).toMatch(/^Scrolled up/)
    await you.use('press', { key: 'Control+k' })
    expect((await you.use('navigate', { url: `${site.url}/images` })).text).toContain('Pictures')
  })

  test('images of the page and of its frames are listed', async () => {
    await you.use('navigate', { url: `${site.url}/images` })
    const { text } = await you.use('get_images')
    expect(text).toContain(`${site.url}/a.png 0x0 "a cat"`)
    expect(text).toContain(`${site.other}/b.png`)
  })

  test('a long page is read in parts that fit together', async () => {
    await you.use('navigate', { url: `${site.url}/long` })
    const seen: string[] = []
    for (let from: string | undefined = '0'; from !== undefined; ) {
      const { text } = await you.use('snapshot', { full: true, from: Number(from) })
      expect(text.length).toBeLessThan(8200)
      seen.push(...(text.match(/number \d+/g) ?? []))
      from = /from=(\d+)/.exec(text)?.[1]
    }
    expect(seen).toEqual(Array.from({ length: 600 }, (_, at) => `number ${at}`))
  })
})
