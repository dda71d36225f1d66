import { Chat, ChatMessage } from '../events/chat.ts'
import { Agent, AssignedAgent, Call, Department, Organization, Status, Tag, Visitor } from '../events/parts.ts'
import { Geoip, Page, Session, Utm } from '../events/session.ts'
import { wireFormOf } from '../wire-form.ts'

/** The person who writes or calls (protocol, Resources, visitor). */
export const WireVisitor = wireFormOf(Visitor)

/** The company that the client is assigned to. */
export const WireOrganization = wireFormOf(Organization)

/** The client's category. */
export const WireStatus = wireFormOf(Status)

/** The agent that the client is assigned to. */
export const WireAssignedAgent = wireFormOf(AssignedAgent)

/** A tag selected for the client. */
export const WireTag = wireFormOf(Tag)

/** The department that the visitor selected before the chat. */
export const WireDepartment = wireFormOf(Department)

/** An agent (protocol, Resources, agent). */
export const WireAgent = wireFormOf(Agent)

/** The estimated location of the client's address (protocol, Resources, geoip). */
export const WireGeoip = wireFormOf(Geoip)

/** The utm_ parameters with which the visitor arrived (protocol, Resources, utm_json). */
export const WireUtm = wireFormOf(Utm)

/** The visitor's session (protocol, Resources, session). */
export const WireSession = wireFormOf(Session)

/** The page that the visitor is on. */
export const WirePage = wireFormOf(Page)

/** A call (protocol, Resources, call). */
export const WireCall = wireFormOf(Call)

/** One entry of a finished chat's log. The protocol's reference says client, its example says visitor. */
export const WireChatMessage = wireFormOf(ChatMessage)

/** A finished chat (protocol, Resources, chat). */
export const WireChat = wireFormOf(Chat)
