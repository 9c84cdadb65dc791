/** Paths as a person reads them: the own home folder as `~`. Nothing else is rewritten (field fault F10). */
export function shortPath(path: string, homeFolder: string): string {
  if (homeFolder === '' || homeFolder === '/') return path
  if (path === homeFolder) return '~'
  return path.startsWith(`${homeFolder}/`) ? `~${path.slice(homeFolder.length)}` : path
}

/** Splits a path before its last part, so that the part that tells most is never cut. */
export function splitPath(path: string): { readonly folder: string; readonly name: string } {
  const cut = path.replace(/\/+$/u, '').lastIndexOf('/')
  return cut <= 0 ? { folder: '', name: path } : { folder: path.slice(0, cut + 1), name: path.slice(cut + 1) }
}

/** 4.8 MB: a size in the unit that fits. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  const units = ['kB', 'MB', 'GB', 'TB']
  let size = bytes / 1000
  let unit = 0
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000
    unit += 1
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${units[unit]}`
}
