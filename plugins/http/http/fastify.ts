/** The library that routes requests and reads bodies: a separate file, loaded when a server starts. */
import { fastify as makeRouter } from 'fastify'

export const fastify: typeof makeRouter = makeRouter
