/** How long a server asks to wait: `Retry-After` (RFC 9110, 10.2.3: seconds or a date) or OpenAI's `retry-after-ms`. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const exact = Number.parseFloat(headers['retry-after-ms'] ?? '')
  if (exact >= 0) return exact
  const text = headers['retry-after']?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
