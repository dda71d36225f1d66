import pino from 'pino'
import type { Log } from '../domain/ports.ts'
import type { LogLevel } from './environment.ts'

/** Structured logs on stdout, one JSON object a line. What could carry a secret or a person's data is cut out by its name. */
export const createLog = (level: LogLevel): Log =>
  pino({
    level,
    base: { service: 'livechat-bridge' },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: [
        'token',
        'authorization',
        'password',
        'secondToken',
        'secretKey',
        'secondSecretKey',
        'email',
        'phone',
        'name',
        'text',
        'body',
        '*.token',
        '*.authorization',
        '*.password',
        '*.secondToken',
        '*.secretKey',
        '*.secondSecretKey',
        '*.email',
        '*.phone',
        '*.name',
        '*.text',
        '*.body',
      ],
      censor: '[redacted]',
    },
  })
