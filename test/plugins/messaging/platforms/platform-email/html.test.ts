import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extractWords, withoutHistory } from '../../../../../plugins/messaging/platforms/platform-email/body-text.ts'
import { fromHtml } from '../../../../../plugins/messaging/platforms/platform-email/html.ts'
import { cpuMs } from '../../../../support/cpu-time.ts'

describe('what no reader sees is not read', () => {
  test.for([
    ['<div style="display:none">hidden</div>'],
    ["<span style='color:red; DISPLAY : None !important'>hidden</span>"],
    ['<div style="display&#58;none">hidden</div>'],
    ['<div style="display/* x */:none">hidden</div>'],
    ['<p style=visibility:hidden>hidden</p>'],
    ['<font style="font-size:0">hidden</font>'],
    ['<span style="font-size: 0.0px;">hidden</span>'],
    ['<div style="opacity:0">hidden</div>'],
    ['<div style="max-height:0;overflow:hidden">hidden</div>'],
    ['<div hidden>hidden</div>'],
    ['<p style="color:#FFFFFF">hidden</p>'],
    ['<font color="white">hidden</font>'],
    ['<p style="background:#fff;color:white">hidden</p>'],
    ['<style>.pre, p.x { display: none }</style><p class="a x">hidden</p><div class=pre>hidden</div>'],
    ['<style>#y{font-size:0}</style><p id="y">hidden</p>'],
    ['<div style="display:none">hidden <div>hidden</div> hidden</div>'],
    ['<div style="display:none">hidden<br>hidden<img src=x>hidden</div>'],
  ] as const)('%s', ([html]) => {
    expect(fromHtml(`<p>before</p>${html}<p>after</p>`).replace(/\s+/g, ' ')).toBe('before after')
  })

  test.for([
    ['<div style="display:block">seen</div>'],
    ['<div style="font-size:0.9em; opacity:0.5">seen</div>'],
    ['<div style="overflow:hidden;height:20px">seen</div>'],
    ['<div title="hidden">seen</div>'],
    ['<p style="color:#ffffee">seen</p>'],
    ['<table bgcolor="#003366"><tr><td style="color:#fff">seen</td></tr></table>'],
    ['<p style="background-color:navy;color:white">seen</p>'],
    ['<style>@media (max-width:600px){.wide{display:none}} .b{color:red}</style><p class="wide b">seen</p>'],
    ['<i><img style="display:none" src=x>seen</i> '],
    ['<p style="display:none">hidden<p>seen</p>'],
  ] as const)('and what they see is: %s', ([html]) => {
    expect(fromHtml(`<p>before</p>${html}<p>after</p>`).replace(/\s+/g, ' ')).toBe('before seen after')
  })

  test('in no page, however its tags are nested', () => {
    const piece = fc.constantFrom('<p>', '</p>', '<div>', '</div>', '<b>', 'words ', '<br>', '<!-- x -->')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (inner) => {
        const balanced = inner.filter((each) => !/div/.test(each)).join('')
        expect(fromHtml(`<div style="display:none">${balanced} secret</div>`)).not.toContain('secret')
      }),
    )
  })
})

describe('what programs quote below an answer in HTML is left out', () => {
  test.for([
    ['<div id="divRplyFwdMsg"><b>From:</b> svc<br><b>Sent:</b> Monday<br><b>Subject:</b> x</div><div>old</div>'],
    ['<div id="x_divRplyFwdMsg">From: svc</div><div>old</div>'],
    [
      '<div style="border-top:solid #E1E1E1 1.0pt"><p><b>From:</b> svc<br><b>Sent:</b> Monday<br><b>Subject:</b> x</p></div><p>old</p>',
    ],
    ['<div class="yahoo_quoted">old</div>'],
    ['<blockquote>old <blockquote>older</blockquote> old</blockquote>'],
  ] as const)('%s', ([quoted]) => {
    expect(extractWords({ html: `<p>answer</p>${quoted}` })).toBe('answer')
  })

  test('unless the mail was forwarded to be read', () => {
    const html = '<p>What do you say?</p><div class="gmail_quote">From: Bob<br><blockquote>the offer</blockquote></div>'
    expect(extractWords({ html, subject: 'Fwd: an offer' })).toContain('the offer')
    const text = 'See below.\n\n---------- Forwarded message ---------\nFrom: Bob\n\nthe offer'
    expect(extractWords({ text, subject: 'WG: Angebot' })).toContain('the offer')
    expect(extractWords({ text, subject: 'Re: Fwd: an offer' })).toBe('See below.')
  })
})

test.for([
  [
    'Yes.\n\nFrom: svc <svc@x.example>\nSent: Monday, 1 January 2026 10:00\nTo: Ann\nSubject: Really?\n\nReally?',
    'Yes.',
  ],
  ['Ja.\n\nVon: svc\nGesendet: Montag\nAn: Ann\nBetreff: Wirklich?\n\nWirklich?', 'Ja.'],
  ['Yes.\n\n*From:* svc\n*Sent:* Monday\n*Subject:* x\n\nold', 'Yes.'],
  ['From: Vienna\nTo: Graz\nHow long?', 'From: Vienna\nTo: Graz\nHow long?'],
] as const)('the head that Outlook writes above old mail ends %j', ([text, words]) => {
  expect(withoutHistory(text)).toBe(words)
})

test('a page made to be slow is read in time', () => {
  const pages = [
    '<div style="display:none">'.repeat(40_000),
    `<style>${'.a{display:none}'.repeat(3000)}</style>${'<p class="a">x</p>'.repeat(20_000)}`,
    `<style>${'@media{'.repeat(5000)}`,
    '<style>'.repeat(50_000),
    'background:'.repeat(50_000),
    `<p style="${'/*'.repeat(50_000)}">`,
    'From:\n'.repeat(50_000),
  ]
  for (const html of pages) {
    const took = cpuMs(() => {
      extractWords({ html })
      extractWords({ text: html })
    })
    expect(took, html.slice(0, 30)).toBeLessThan(5000)
  }
})
