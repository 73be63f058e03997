/** Error codes of the plugin `http`. */
import type { ErrorMessages } from 'svc/sdk'

export default {
  HTTP_OPEN_DOOR:
    'Others could reach something that is not locked. Listen on 127.0.0.1, or set the secret that the message names.',
  HTTP_PORT_TAKEN: 'Another program listens on this port. Stop it, or choose another port.',
  HTTP_ADDRESS: 'This address cannot be listened on. Check host and port; ports below 1024 need special rights.',
  HTTP_PATH_TAKEN: 'Another part of svc answers these paths on this port. Choose another port or another path.',
  HTTP_UNAUTHORIZED: 'The request did not prove who it is from. Send the key as `Authorization: Bearer <key>`.',
  HTTP_SIGNATURE: 'The signature of the request is missing or wrong. Check that both sides have the same secret.',
  HTTP_ORIGIN: 'A browser page asked whose origin is not listed. Add it to the origins of this server.',
  HTTP_HOST:
    'A request named a host that this server does not have, as pages do that rebind their name to this machine. Add the name of a reverse proxy to http.hosts.',
  HTTP_GUESSED:
    'Too many requests from this address had a wrong key. A request with the right key is answered at any time.',
  HTTP_NOT_FOUND: 'Nothing is served at this path. Check the address.',
  HTTP_METHOD: 'The path is served, but not with this method. The header Allow names those that are.',
  HTTP_TOO_LARGE: 'The body is larger than this path takes. Send less.',
  HTTP_BAD_REQUEST: 'The request is malformed. Check its first line, its headers and its length.',
  HTTP_TIMEOUT: 'The request took too long to arrive. Send it faster, or raise http.request_timeout.',
  HTTP_HEADERS: 'The headers of the request are too large. Send fewer or shorter ones.',
  HTTP_FAILED: 'The server failed while it answered. Its log says why.',
} satisfies ErrorMessages
