import { ledger } from './ledger.ts'

/** Charges at most once per key: a second call with the same key answers what the first one did. */
export async function chargeOnce(key: string, amount: Money): Promise<Receipt> {
  const known = await ledger.find(key)
  return known ?? ledger.record(key, await provider.charge(key, amount))
}
