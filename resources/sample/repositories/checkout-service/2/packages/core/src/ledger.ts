/** Append only. A row is never changed; a correction is a row of its own. */
export const ledger = {
  find: (key: string) => db.one('select * from entries where key = $1 order by id limit 1', [key]),
  record: (key: string, receipt: Receipt) => db.insert('entries', { key, ...receipt }),
}
