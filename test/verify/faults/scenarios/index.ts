import type { Scenario } from '../scenario.ts'
import { codec } from './codec.ts'
import { damage, newestDamage } from './damage.ts'
import { damagedBatch } from './damaged-batch.ts'
import { deploy } from './deploy.ts'
import { egressBotDead } from './egress-bot-dead.ts'
import { egressCapacity } from './egress-capacity.ts'
import { egressStorm } from './egress-storm.ts'
import { erasedLate } from './erased-late.ts'
import { forgotten } from './forgotten.ts'
import { frozen } from './frozen.ts'
import { fullServers } from './full-servers.ts'
import { heavyBacklog } from './heavy-backlog.ts'
import { hostile } from './hostile.ts'
import { cap, fullDisk } from './journal-limits.ts'
import { large } from './large.ts'
import { lastResort } from './last-resort.ts'
import { longChat } from './long-chat.ts'
import { lostEnd } from './lost-end.ts'
import { mongoAway } from './mongo-away.ts'
import { outage } from './outage.ts'
import { paused } from './paused.ts'
import { poison } from './poison.ts'
import { produce } from './produce.ts'
import { sameId } from './same-id.ts'
import { sharedFolder } from './shared-folder.ts'
import { silence } from './silence.ts'
import { botBurst, botKilled, botLoad, inPythonToo } from './slow-bots.ts'
import { soak } from './soak.ts'
import { strangers } from './strangers.ts'
import { stuckAccountFault } from './stuck-account.ts'
import { undone } from './undone.ts'
import { unopenable } from './unopenable.ts'
import { views } from './views.ts'

export const scenarios: ReadonlyArray<Scenario> = [
  produce,
  undone,
  large,
  views,
  outage,
  cap,
  fullDisk,
  damage,
  newestDamage,
  unopenable,
  sharedFolder,
  silence,
  codec,
  damagedBatch,
  lostEnd,
  poison,
  heavyBacklog,
  longChat,
  mongoAway,
  fullServers,
  frozen,
  deploy,
  hostile,
  strangers,
  soak,
  egressStorm,
  egressCapacity,
  egressBotDead,
  stuckAccountFault,
  lastResort,
  botLoad,
  botBurst,
  botKilled,
  ...inPythonToo,
  paused,
  sameId,
  forgotten,
  erasedLate,
]
