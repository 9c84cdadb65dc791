import { existsSync } from 'node:fs'
import { copyFile, link, mkdir, mkdtemp, readdir, readlink, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'

/**
 * The floor Electron takes no app path: it loads `resources/app` beside itself. Several checkouts share one cached copy, so
 * each gets a folder of hard links to it (no space, a few milliseconds) with a `resources/app` of its own.
 * @param {string} shared folder of the cached runtime
 * @param {string} own the folder to make; replaced when it belongs to another checkout or is not whole
 * @param {string} project what `resources/app` leads to
 * @returns {Promise<string>} path of the executable
 */
export async function linkProjectRuntime(shared, own, project) {
  const executable = join(own, 'electron')
  // Written last, so it also says that the links before it are whole.
  const app = await readlink(join(own, 'resources', 'app')).catch(() => undefined)
  if (app === project && existsSync(executable)) return executable
  await mkdir(dirname(own), { recursive: true })
  const work = await mkdtemp(`${own}-partial-`)
  try {
    await linkFolder(shared, work)
    await symlink(project, join(work, 'resources', 'app'), 'dir')
    await rm(own, { recursive: true, force: true })
    await rename(work, own)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return executable
}

/**
 * @param {string} from
 * @param {string} to an existing folder
 */
async function linkFolder(from, to) {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name)
    const target = join(to, entry.name)
    if (entry.isDirectory()) {
      await mkdir(target)
      await linkFolder(source, target)
    } else {
      // Another file system, or one without hard links.
      await link(source, target).catch(() => copyFile(source, target))
    }
  }
}
