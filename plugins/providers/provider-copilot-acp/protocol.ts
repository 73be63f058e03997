/** The library of the protocol: a separate file, loaded at the first call. */
import { methods as allMethods, client as makeClient, RequestError as ProtocolError } from '@agentclientprotocol/sdk'

export const client: typeof makeClient = makeClient
export const methods: typeof allMethods = allMethods
export const RequestError: typeof ProtocolError = ProtocolError
/** The version of the protocol that is spoken. */
export const PROTOCOL_VERSION = 1
