import fc from 'fast-check'
import { MessageFormatter } from 'svc/sdk/platform'
import { expect, onTestFinished, test } from 'vitest'
import { messageText } from '../../../../../plugins/messaging/markup/message-text.ts'
import { fromHtml } from '../../../../../plugins/messaging/platforms/platform-email/html.ts'
import { htmlMarkup, toBodies } from '../../../../../plugins/messaging/platforms/platform-email/html-markup.ts'
import { openStandIn } from '../../../../../plugins/messaging/platforms/platform-email/stand-in/service.ts'
import { parseMail } from '../../../../../plugins/messaging/platforms/platform-email/stand-in/smtp.ts'
import { markdownDocuments } from '../../../../support/markdown-documents.ts'
import { connectedBooth } from '../../../../support/platform-stage.ts'

/** A document as the gateway would send it, and the mail that arrives. */
async function deliverMarkdown(markdown: string, config: object = {}) {
  const fake = await openStandIn()
  onTestFinished(() => fake.close())
  const place = { ...fake, config: { ...fake.config, ...config }, plugins: ['markup'] }
  const { platform, kernel } = await connectedBooth('email', place)
  const [text = ''] = kernel.use(MessageFormatter).pieces(markdown, platform.limits)
  await platform.send({ chatId: 'ann@people.example', text, key: 'k' })
  const raw = fake.sent()[0] ?? ''
  return { raw, ...parseMail(raw) }
}

test('Markdown arrives as HTML and as plain text that say the same', async () => {
  const { headers, text, html } = await deliverMarkdown(
    '## Plan\n\nRead **this** and [that](https://x.example/a?b=1&c=2):\n\n- one\n- two\n\n```js\na < b\n  c\n```\n> said <you>',
  )
  expect(headers.get('content-type')).toMatch(/^multipart\/alternative/)
  expect(text).toBe(
    'Plan\n\nRead this and that (https://x.example/a?b=1&c=2):\n\n• one\n• two\n\na < b\n  c\n\n> said <you>',
  )
  expect(html).toBe(
    [
      '<div dir="auto"><h2>Plan</h2>Read <strong>this</strong> and <a href="https://x.example/a?b=1&amp;c=2">that</a>:<br>',
      '<br>',
      '• one<br>',
      '• two<pre style="padding:8px;background:#f4f4f4;white-space:pre-wrap">a &lt; b',
      '  c</pre><blockquote style="margin:0;padding-left:8px;border-left:3px solid #ccc">said &lt;you&gt;</blockquote></div>',
    ].join('\n'),
  )
})

test('a text without marks stays one plain part', async () => {
  const { headers, text, html } = await deliverMarkdown('Fine, thanks & "bye" <3\nAnn')
  expect(headers.get('content-type')).toMatch(/^text\/plain/)
  expect({ text, html }).toEqual({ text: 'Fine, thanks & "bye" <3\nAnn', html: undefined })
})

test('plain text only, when it is set so', async () => {
  const { headers, text } = await deliverMarkdown('**Bold** and [link](https://x.example)', { html: false })
  expect(headers.get('content-type')).toMatch(/^text\/plain/)
  expect(text).toBe('Bold and link (https://x.example)')
})

test('a subject has no marks, and answers come to where it is set', async () => {
  const { headers } = await deliverMarkdown('# **Cost** & use\n\nLow.', { reply_to: 'team@fake.example' })
  expect(headers.get('subject')).toBe('Cost & use')
  expect(headers.get('reply-to')).toBe('team@fake.example')
})

test.for([
  ['<script>alert(1)</script>'],
  ['<img src="https://spy.example/x.png">'],
  ['<a href="javascript:alert(1)">x</a>'],
  ['<a href="https://x.example" onclick="y()">x</a>'],
  ['<strong style="x">'],
  ['<b>'],
  ['<!-- x -->'],
  ['<pre'],
] as const)('what is no mark of ours is text, wherever it comes from: %s', ([text]) => {
  const { html = '' } = toBodies(`<em>x</em>${text}`)
  expect(html.replace(/<\/?(?:div|em)[^>]*>|<br>|\n|<\/(?:a|strong|pre)>/g, '')).not.toMatch(/[<>]/)
})

test('links lead to the web, to mail and to telephones only', async () => {
  const { html, text } = await deliverMarkdown(
    '[a](file:///etc/passwd) [b](mailto:b@x.example) ![c](https://x.example/c.png)',
  )
  expect(html?.match(/href="[^"]*"/g)).toEqual(['href="mailto:b@x.example"', 'href="https://x.example/c.png"'])
  expect(html).not.toContain('<img')
  expect(html).toContain('>a (file:///etc/passwd) <a ')
  expect(text).toBe('a (file:///etc/passwd) b (mailto:b@x.example) c (https://x.example/c.png)')
})

test('documents say the same in both forms, and every tag of theirs is closed', () => {
  const words = (text: string) => text.replace(/[\s>]/g, '')
  fc.assert(
    fc.property(markdownDocuments, ({ markdown }) => {
      for (const piece of messageText.pieces(markdown, { maxTextLength: 2000, markup: htmlMarkup })) {
        const { text, html = '' } = toBodies(piece)
        const open: string[] = []
        for (const [, slash, name = ''] of html.replace(/<br>/g, '').matchAll(/<(\/?)([a-z1-6]+)/g))
          if (slash) expect(open.pop()).toBe(name)
          else open.push(name)
        expect(open).toEqual([])
        const shown = html.replace(/<a href="([^"]*)">([\s\S]*?)<\/a>/g, (_all, address: string, said: string) =>
          address === said ? said : `${said} (${address})`,
        )
        if (html) expect(words(fromHtml(shown.replace(/blockquote/g, 'div')))).toBe(words(text))
      }
    }),
    { numRuns: 100 },
  )
})
