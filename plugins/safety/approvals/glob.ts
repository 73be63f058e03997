/** Patterns with `*` and `?`, matched in time that grows with the text only. */

/** Whether the whole text fits the pattern. */
export function matchesGlob(pattern: string, text: string): boolean {
  let at = 0
  let star = -1
  let resume = 0
  for (let place = 0; place < text.length; ) {
    const wanted = pattern[at]
    if (wanted === '*') {
      star = at++
      resume = place
    } else if (wanted !== undefined && (wanted === '?' || wanted === text[place])) {
      at++
      place++
    } else if (star >= 0) {
      at = star + 1
      place = ++resume
    } else return false
  }
  while (pattern[at] === '*') at++
  return at === pattern.length
}
