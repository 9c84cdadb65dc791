import { expect, test } from 'vitest'
import { missingLibraries } from './system-packages.mjs'

test('libraries that the loader does not find are read from ldd', () => {
  const listing = [
    '\tlinux-vdso.so.1 (0x00007ffd0b5f4000)',
    '\tlibffmpeg.so => /cache/electron/libffmpeg.so (0x00007f3a4a000000)',
    '\tlibnss3.so => not found',
    '\tlibgtk-3.so.0 => not found',
    '\t/lib64/ld-linux-x86-64.so.2 (0x00007f3a5a000000)',
  ].join('\n')
  expect(missingLibraries(listing)).toEqual(['libnss3.so', 'libgtk-3.so.0'])
  expect(missingLibraries('\tnot a dynamic executable\n')).toEqual([])
})
