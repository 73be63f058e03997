/** The library of the protocol: a separate file, loaded when an editor connects. */
import { methods as allMethods, agent as makeAgent, RequestError as ProtocolError } from '@agentclientprotocol/sdk'

export const agent: typeof makeAgent = makeAgent
export const methods: typeof allMethods = allMethods
export const RequestError: typeof ProtocolError = ProtocolError
/** The newest version of the protocol that this plugin speaks. */
export const PROTOCOL_VERSION = 1
