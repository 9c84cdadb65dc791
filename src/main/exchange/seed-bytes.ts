import type { Result } from '../../shared/result.ts'
import type { LogHeader, SessionEvent } from '../../shared/session-event.ts'
import { withSeedBytes } from '../session-tree/header.ts'

/**
 * Says in a header where the session's own part will begin, so that its title and first prompt are found without walking the
 * seed (design §3). A log that ends within its seed gets no such mark: nothing of it is its own.
 * @param events the log's events from the first; read as far as the seed goes.
 */
export async function markSeed(
  header: LogHeader,
  events: AsyncIterable<Result<SessionEvent>> | Iterable<Result<SessionEvent>>,
): Promise<LogHeader> {
  const seedLength = header.seedLength ?? 0
  if (seedLength === 0) return header
  let seen = 0
  let bytes = 0
  for await (const event of events) {
    if (!event.ok) return header
    bytes += Buffer.byteLength(JSON.stringify(event.value)) + 1
    seen += 1
    if (seen === seedLength) return withSeedBytes(header, bytes)
  }
  return header
}
