/** Error codes of the web tools. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  WEB_SEARCH_FAILED: 'No web backend could search: see what each of them said, and mend or set up one of them.',
  WEB_EXTRACT_FAILED: 'No web backend could read the page: see what each of them said.',
  WEB_TIMEOUT: 'A web backend took longer than a minute. Try again later, or choose another backend.',
  WEB_PAGE_STATUS: 'The website did not give the page out, as its HTTP status says. Check the address.',
  WEB_PAGE_BINARY: 'The address leads to something that is not text, such as a PDF or a picture. Download it instead.',
  WEB_PAGE_DAMAGED: 'The page was sent in a way that cannot be decoded. Try again, or read it through another backend.',
  WEB_PAGE_EMPTY: 'The page has no text. It may need scripts: use the browser or another web backend.',
} satisfies ErrorMessages
