/** The page of results, as DuckDuckGo builds it. */

/** A result; `href` is what the link leads to. */
export interface Result {
  readonly title: string
  readonly href: string
  readonly snippet: string
  readonly isAd?: boolean
}

/** A link as DuckDuckGo writes it: through itself. */
export function through(target: string): string {
  return `//duckduckgo.com/l/?uddg=${encodeURIComponent(target)}&amp;rut=0a1b2c`
}

export function createPage(results: readonly Result[]): string {
  const list = results.map(({ title, href, snippet, isAd }) => {
    return `<div class="result results_links results_links_deep ${isAd ? 'result--ad' : 'web-result'} ">
      <div class="links_main links_deep result__body">
      <h2 class="result__title">
        <a rel="nofollow" class="result__a" href="${href}">${title}</a>
      </h2>
      <div class="result__extras"><a class="result__url" href="${href}">shown.example</a></div>
      <a class="result__snippet" href="${href}">${snippet}</a>
      <div class="clear"></div></div></div>`
  })
  const body = list.length ? list.join('\n') : '<div class="no-results">No results.</div>'
  return `<!DOCTYPE html><html><head><title>q at DuckDuckGo</title></head><body>
    <div class="serp__results"><div id="links" class="results">${body}</div></div></body></html>`
}

/** The page for those who are taken for a robot. */
export const puzzle =
  '<html><body><form id="challenge-form"><div class="anomaly-modal__title">Select all squares</div></form></body></html>'
