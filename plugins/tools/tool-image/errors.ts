/** Error codes of the tool that makes pictures. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  IMAGE_FAILED: 'The service that makes pictures refused, failed or could not be asked. See the reason.',
  IMAGE_NO_BACKEND: 'No backend is configured that can create the picture. Set OPENAI_API_KEY, or image.base_url.',
} satisfies ErrorMessages
