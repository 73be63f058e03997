/** Namespaces of XMPP and of its extensions (xmpp.org/extensions). */

/** XEP-0030 */
export const DISCO_INFO = 'http://jabber.org/protocol/disco#info'
export const DISCO_ITEMS = 'http://jabber.org/protocol/disco#items'
/** XEP-0045 */
export const MUC = 'http://jabber.org/protocol/muc'
export const MUC_USER = 'http://jabber.org/protocol/muc#user'
/** XEP-0059 */
export const PAGES = 'http://jabber.org/protocol/rsm'
/** XEP-0066 */
export const FILE_ADDRESS = 'jabber:x:oob'
/** XEP-0085 */
export const CHAT_STATES = 'http://jabber.org/protocol/chatstates'
/** XEP-0184 */
export const RECEIPTS = 'urn:xmpp:receipts'
/** XEP-0199 */
export const PING = 'urn:xmpp:ping'
/** XEP-0203 */
export const DELAY = 'urn:xmpp:delay'
/** XEP-0280 */
export const CARBONS = 'urn:xmpp:carbons:2'
/** XEP-0297 */
export const FORWARD = 'urn:xmpp:forward:0'
/** XEP-0313 */
export const ARCHIVE = 'urn:xmpp:mam:2'
/** XEP-0334 */
export const HINTS = 'urn:xmpp:hints'
/** XEP-0359 */
export const STANZA_ID = 'urn:xmpp:sid:0'
/** XEP-0363 */
export const UPLOAD = 'urn:xmpp:http:upload:0'
/** XEP-0421 */
export const OCCUPANT_ID = 'urn:xmpp:occupant-id:0'
/** XEP-0444 */
export const REACTIONS = 'urn:xmpp:reactions:0'
/** XEP-0461 */
export const REPLY = 'urn:xmpp:reply:0'
