/** Error codes of the platform Home Assistant and of its tools. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  HOMEASSISTANT_UNAUTHORIZED:
    'Home Assistant does not accept HASS_TOKEN. Make a new long-lived access token on your profile page there and set it.',
  HOMEASSISTANT_UNREACHABLE:
    'Home Assistant could not be reached, or broke off. It is retried automatically; check HASS_URL if it keeps failing.',
  HOMEASSISTANT_FAILED: 'Home Assistant did not carry out a request, or it is unknown whether it did: see the reason.',
  HOMEASSISTANT_CLOSED:
    'The platform is not connected, so nothing was sent. It is sent once the platform is connected.',
  HOMEASSISTANT_CHAT: 'Home Assistant has one chat, ha_events. Send to that one.',
  HOMEASSISTANT_LENGTH: 'A notification has 1 to 4,096 characters. Send it in pieces.',
  HOMEASSISTANT_ENTITY: 'There is no such entity. Look it up with ha_list_entities.',
  HOMEASSISTANT_FORBIDDEN:
    'Services that run commands, code or requests, or that manage Home Assistant itself, are not called for a model. Call them yourself.',
} satisfies ErrorMessages
