/**
 * Loads the code that the processes of a bridge run. `set-up` and the image run this file, so that Node stores the
 * sources without their types.
 */
import '../console/assets.ts'
import './child.ts'
import './start.ts'
import { roleCode } from './parts.ts'

await Promise.all(Object.values(roleCode).map((load) => load()))
