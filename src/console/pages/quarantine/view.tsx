/** Requests in quarantine are letters: the page tells by its name which it shows. */
export { DeadLettersPage as QuarantinePage } from '../dead-letters/view.tsx'
