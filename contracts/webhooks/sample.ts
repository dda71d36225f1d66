/** What the samples of several webhooks have in common, in the service's words. */

export const widget_id = '3948'

export const chat_id = 2037

export const visitor = {
  name: 'John Smith',
  email: 'john.smith@example.com',
  phone: '+14085550142',
  description: 'Asked about delivery',
  number: '2746',
  social: {},
  chats_count: 3,
}

/** What every webhook says of the client. */
export const client = {
  widget_id,
  user_token: 'user-token-1',
  visitor,
  organization: { id: '12', name: 'Example Ltd' },
  status: { id: '4', title: 'Regular customer' },
  assigned_agent: { id: 7, email: 'jane.doe@example.com', name: 'Jane Doe' },
  tags: [
    { id: '21', title: 'delivery' },
    { id: '22', title: 'urgent' },
  ],
}

/** What the service does not know of a client. */
export const unknown = { organization: null, status: null, assigned_agent: null, tags: [] }

export const department = { id: 5, name: 'Sales' }

/** Where the visitor is. */
export const visit = {
  session: {
    geoip: {
      region_code: 'CA',
      country_code: 'US',
      country: 'United States',
      region: 'California',
      city: 'San Francisco',
      latitude: '37.7749',
      longitude: '-122.4194',
      organization: 'Example Networks',
    },
    utm: 'campaign=spring|source=newsletter|content=banner|medium=email|term=shoes',
    utm_json: { source: 'newsletter', campaign: 'spring', content: 'banner', medium: 'email', term: 'shoes' },
    ip_addr: '203.0.113.7',
    user_agent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
  },
  page: { url: 'https://shop.example.com/shoes?size=9', title: 'Shoes' },
}

export const agent = { id: '1', name: 'Agent', email: 'agent@example.com', phone: '+14085550100' }
