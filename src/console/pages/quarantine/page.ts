import { everyone, operators, page } from '../../page.ts'
import { LetterAnswer, LettersAnswer, type LettersNeeds, lettersWith } from '../dead-letters/letters.ts'

export const quarantine = page({
  name: 'quarantine',
  title: 'Quarantine',
  key: 'q',
  roles: everyone,
  routes: {
    'GET /api/accounts/:account/quarantine': { answer: LettersAnswer },
    'POST /api/accounts/:account/quarantine/show': { answer: LetterAnswer, roles: operators },
  },
  handlers: (backend: LettersNeeds) => {
    const { list, show } = lettersWith(backend).quarantine
    return {
      'GET /api/accounts/:account/quarantine': list,
      'POST /api/accounts/:account/quarantine/show': show,
    }
  },
})
