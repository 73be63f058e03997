import { expect, test } from 'vitest'
import { toMarkdown } from '../../../../../plugins/tools/web/tool-web/markdown.ts'

const written = (body: string) => toMarkdown(`<html><body>${body}</body></html>`, 'https://a.example/dir/page')?.text

test('a page without an article is written whole, with links that work elsewhere', () => {
  expect(written('<ul><li><a href="../one">One</a><li><a href="//b.example/x(1)">Two</a></ul>')).toBe(
    '-   [One](https://a.example/one)\n-   [Two](https://b.example/x%281%29)',
  )
})

test('links that lead nowhere are text; pictures without words are left out', () => {
  expect(
    written('<p><a href="#part">part</a> <a href="javascript:x()">run</a> <a href="mailto:a@b.c">mail</a></p>'),
  ).toBe('part run mail')
  expect(
    written('<p>a<img src="x.png">b<img src="y.png" alt="a [cat]"><img alt="z" src="data:image/png;base64,AA"></p>'),
  ).toBe('ab![a cat](https://a.example/dir/y.png)')
})

test('the address that a page names as its base is where links start', () => {
  const page = (body: string) => `<html><head><base href="/other/"></head><body>${body}</body></html>`
  const link = '<p>See <a href="x">this</a></p>'
  const article = `<article>${'<p>Words that make an article, and more of them to come.</p>'.repeat(9)}${link}</article>`
  for (const body of [link, article])
    expect(toMarkdown(page(body), 'https://a.example/dir/page')?.text).toContain(
      'See [this](https://a.example/other/x)',
    )
})

test('tables of data are tables, tables that arrange a page are its blocks', () => {
  expect(written('<table><tr><th>Name</th><th>Age</th></tr><tr><td>Tom | Jerry</td><td>\n 8 </td></tr></table>')).toBe(
    '| Name | Age |\n| --- | --- |\n| Tom \\| Jerry | 8 |',
  )
  expect(
    written('<table><tr><td><table><tr><td>inner</td></tr></table></td></tr><tr><td>outer</td></tr></table>'),
  ).toBe('inner\n\nouter')
})

test('code keeps its form', () => {
  expect(written('<pre><code class="language-js">let a = 1\n  b</code></pre>')).toBe('```js\nlet a = 1\n  b\n```')
})
