import * as E from 'fp-ts/lib/Either.js'

/** Why a server cannot run here: one sentence that says what to do. */
export type Problem = { readonly message: string }

/** What the user can do if an embedded server cannot run. */
export const instead = {
  kafka: 'set KAFKA_BROKERS to a broker of your own',
  mongod: 'set MONGODB_URL to a MongoDB replica set of your own, or MONGOD_BINARY to a mongod',
}

export const problem = (message: string): E.Either<Problem, never> => E.left({ message })

/** How to get a program. macOS has a command `java` without a Java, and no pip is needed there. */
const howToInstall = {
  Java: 'Debian, Ubuntu, WSL: sudo apt install default-jre-headless; macOS: brew install --cask temurin@17',
  Maven: 'Debian, Ubuntu, WSL: sudo apt install maven; macOS: brew install maven',
  pip: 'Debian, Ubuntu, WSL: sudo apt install python3-pip',
}

export const missing = (program: keyof typeof howToInstall, whatFor: string, remedy: string) =>
  problem(`${program} is missing, which ${whatFor}: install it (${howToInstall[program]}), or ${remedy}`)
