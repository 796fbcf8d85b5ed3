internal import Foundation
internal import Hummingbird
internal import Logging
internal import Synchronization
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongSystem

/// The daemons that count with this one: the owners of identifiers in windows, and the connections to them.
///
/// A daemon that is alone, as most are, pays for one look at a flag.
final class Neighbours: Sendable {
    private let data: DataDirectory
    private let isShared: Bool
    private let links: MemberLinks
    private let known: Mutex<Membership?>
    /// The membership known when this process began, used or not: a PostgreSQL that was set back knows less.
    private let remembered: Membership?
    /// True if everything is counted here, as far as is known.
    private let isAlone: Atomic<Bool>
    private let logger: Logger

    /// Begins with the last known membership.
    ///
    /// A daemon that may have neighbours, and knows of none by its folder, waits for PostgreSQL to tell. So does one
    /// that had some and told them that it stopped: no release waits for it until PostgreSQL knows better.
    ///
    /// - Parameters:
    ///   - isShared: true if others may count and release while this daemon is not there, as PostgreSQL is not its own.
    ///   - isReachable: true if others reach this daemon.
    ///   - authorities: a file of certificates that vouch for daemons, beside the system's.
    /// - Throws: ``JournalError`` if the folder can't be read.
    init(_ data: DataDirectory, isShared: Bool, isReachable: Bool, authorities: String?, logger: Logger) throws {
        (self.data, self.isShared, self.logger) = (data, isShared, logger)
        links = MemberLinks(authorities: authorities)
        let last = try data.members { content -> Membership? in
            do { return try JSONDecoder().decode(Membership.self, from: Data(content)) } catch { return nil }
        }
        remembered = last
        known = Mutex(data.hasLeft ? nil : last)
        isAlone = Atomic(!data.hasLeft && last?.isAlone ?? !(isReachable || isShared))
    }

    var machine: Machine { data.machine }

    var membership: Membership? { known.withLock { $0 } }

    /// The known membership, or the former one: it is told to a PostgreSQL that was set back, which has to confirm it.
    var lastKnown: Membership? { membership ?? remembered }

    /// The number of daemons that count into this one's PostgreSQL, as far as is known; at least 1.
    var counting: Int { membership?.counting ?? 1 }

    /// Returns the owner of an identifier, as the client sent it, in a window; a batch's name stands for a missing one.
    func place(of text: @autoclosure () -> [UInt8], in window: WindowID, isOfKeyHolder: Bool) -> Membership.Owner {
        place { isOfKeyHolder ? $0.keyHolder(in: window) : $0.owner(of: Slot(of: text()), in: window) }
    }

    /// Returns the daemon that has the keys of credentials and of sealed requests now.
    func keyHolder(at now: UnixSeconds) -> Membership.Owner { place { $0.keyHolder(at: now) } }

    func place(of slot: Slot, in window: WindowID) -> Membership.Owner { place { $0.owner(of: slot, in: window) } }

    private func place(_ owner: (Membership) -> Membership.Owner) -> Membership.Owner {
        if isAlone.load(ordering: .acquiring) { return .own(takenOver: nil) }
        // Without a known membership PostgreSQL has to be asked first.
        return membership.map(owner) ?? .undecided
    }

    func admits(_ mark: MemberMark?) -> Bool {
        guard let mark, let secret = membership?.secret else { return false }
        return secret.isSame(as: mark.secret)
    }

    /// Returns true if a request came sealed, to this daemon or to the one that handed it on.
    func isSealed(_ headers: RequestHeaders) -> Bool {
        headers.isSealed || admits(headers.member) && headers.member?.isSealed == true
    }

    // MARK: Changes

    /// Takes PostgreSQL's membership over, once it is on disk; returns true if it is new.
    @discardableResult func learn(_ membership: Membership) throws -> Bool {
        guard membership != self.membership else { return false }
        let bytes = try JSONEncoder.stable().encode(membership)
        // A crash would forget a membership that is in force before it is on disk. Only the flag changes first: owners
        // are looked up from here on.
        if !membership.isAlone { isAlone.store(false, ordering: .releasing) }
        try data.note(members: Array(bytes))
        try data.note(left: false)
        known.withLock { $0 = membership }
        isAlone.store(membership.isAlone, ordering: .releasing)
        links.keep(Set(membership.members.compactMap(\.address)))
        return true
    }

    /// Notes that this daemon stops and leaves nothing behind; call it before PostgreSQL is told. If others may release
    /// then, the next start counts nothing before PostgreSQL knows that the daemon is back.
    func leave() throws {
        if Fault.returnUnheard.isOn { return }
        if isShared || membership?.hasOthers == true { try data.note(left: true) }
    }

    /// Takes PostgreSQL's membership once it was told of the stop. If there is no other daemon, the next start counts
    /// on without PostgreSQL.
    func hasLeft(_ membership: Membership?) throws {
        if Fault.waitAlone.isOn { return }
        if let membership, membership.isAlone, !membership.hasOthers { try data.note(left: false) }
    }

    // MARK: Handing on

    struct HandedOn: Sendable {
        var method = OutgoingRequest.Method.post
        /// The path, such as `/v1/batches`.
        let path: String
        var contentType = "application/json"
        let headers: RequestHeaders
        /// The client's network; nil if it is not known.
        var network: ClientNetwork?
        let isSealed: Bool
        /// The body as it came, compressed or not.
        let body: [UInt8]
    }

    func hand(_ request: HandedOn, to member: Member) async throws(Unavailable) -> ReceivedAnswer {
        guard let address = member.address, let secret = membership?.secret else { throw .unreachable }
        let mark = MemberMark(secret: secret, network: request.network, isSealed: request.isSealed)
        let outgoing = OutgoingRequest(
            request.method, address + request.path,
            headers: [("content-type", request.contentType)] + request.headers.handedOn + [
                (MemberMark.name, mark.text)
            ], body: request.body)
        let answer: ReceivedAnswer?
        do throws(HTTPFault) {
            answer = try await links.send(outgoing, to: address)
        } catch {
            logger.debug("a daemon can't be reached", metadata: ["daemon": "\(member.daemon)", "error": "\(error)"])
            throw .unreachable
        }
        guard let answer else { throw .crowded }
        // That daemon knows another owner, and one of the two will learn better in a moment.
        guard answer.status != 421 else { throw .changing }
        return answer
    }
}

/// Answers other daemons, and nobody else.
struct MembersOnly: RouterMiddleware {
    let neighbours: Neighbours

    func handle(_ request: Request, context: BasicRequestContext, next: NextResponder) async throws -> Response {
        guard neighbours.admits(RequestHeaders(request.headers).member) else {
            return .problem(
                Problem(
                    .misdirectedRequest, "members_only",
                    "Only daemons of the same PostgreSQL are answered at this port; clients post to that of --listen."))
        }
        return try await next(request, context)
    }
}
