internal import Foundation
internal import Logging
internal import Synchronization
internal import ThrongCounting
internal import ThrongHTTP
internal import ThrongJournal
internal import ThrongMembers
internal import ThrongPlan

/// The daemons that count with this one: whose an identifier is in a window, and the way there.
///
/// Who is alone, as most are, pays for one look at a flag.
final class Neighbours: Sendable {
    /// Whose an identifier is.
    enum Place {
        /// Counted here; in a window that was taken over under way, with the number of the epoch that did so.
        case here(takenOver: Int64?)
        case elsewhere(Member)
        /// Not to be told now: it is being changed, or PostgreSQL has to say so first.
        case unknown
    }

    private let data: DataDirectory
    private let isShared: Bool
    private let links: MemberLinks
    private let known: Mutex<Membership?>
    /// What was known when this process began, whether it may go by that or not: a PostgreSQL that was set back knows less.
    private let remembered: Membership?
    /// Whether everything is counted here, as far as is known.
    private let isAlone: Atomic<Bool>
    private let logger: Logger

    /// Begins with what was known last.
    ///
    /// - Parameters:
    ///   - isShared: whether others may count and release while this daemon is not there, as PostgreSQL is not its own.
    ///   - isReachable: whether others reach this daemon. One that may have neighbours, and knows of none by its folder, waits for
    ///     PostgreSQL to tell; so does one that had some and told them that it stopped: no release waits for it until PostgreSQL knows
    ///     better.
    ///   - authorities: a file of certificates that vouch for daemons, beside the system's.
    /// - Throws: ``JournalError`` where the folder can't be read.
    init(_ data: DataDirectory, isShared: Bool, isReachable: Bool, authorities: String?, logger: Logger) throws {
        self.data = data
        self.isShared = isShared
        self.logger = logger
        links = MemberLinks(authorities: authorities)
        let last = try data.members { content -> Membership? in
            do { return try JSONDecoder().decode(Membership.self, from: Data(content)) } catch { return nil }
        }
        remembered = last
        known = Mutex(data.hasLeft ? nil : last)
        isAlone = Atomic(!data.hasLeft && last?.isAlone ?? !(isReachable || isShared))
    }

    /// What is known; nil where nothing is.
    var membership: Membership? { known.withLock { $0 } }

    /// What is known, or was; to tell a PostgreSQL that was set back, and to go by only once PostgreSQL says so.
    var lastKnown: Membership? { membership ?? remembered }

    /// How many daemons count into this one's PostgreSQL, as far as is known; at least 1.
    var counting: Int { membership?.counting ?? 1 }

    /// Whose an identifier is in a window.
    ///
    /// - Parameters:
    ///   - text: the identifier as the client sent it; where a purpose has none, the batch's name.
    ///   - isOfDesk: whether the purpose counts devices that prove who they are.
    func place(of text: @autoclosure () -> [UInt8], in window: WindowID, isOfDesk: Bool) -> Place {
        if isAlone.load(ordering: .acquiring) { return .here(takenOver: nil) }
        return isOfDesk ? place { $0.desk(in: window) } : place(of: Slot(of: text()), in: window)
    }

    /// Who has the keys of credentials and of sealed requests now.
    func desk(at now: UnixSeconds) -> Place { place { $0.desk(at: now) } }

    /// Whose a slot is in a window.
    func place(of slot: Slot, in window: WindowID) -> Place {
        place { $0.owner(of: slot, in: window) }
    }

    private func place(_ owner: (Membership) -> Membership.Owner) -> Place {
        if isAlone.load(ordering: .acquiring) { return .here(takenOver: nil) }
        guard let membership else { return .unknown }
        switch owner(membership) {
        case .own(let epoch): return .here(takenOver: epoch)
        case .other(let member): return .elsewhere(member)
        case .undecided: return .unknown
        }
    }

    /// Whether a request was handed on by a daemon.
    func admits(_ mark: MemberMark?) -> Bool {
        guard let mark, let secret = membership?.secret else { return false }
        return secret.isSame(as: mark.secret)
    }

    // MARK: What changes

    /// Takes over what PostgreSQL says, once it is on disk; true where it is news.
    ///
    /// - Throws: ``JournalError`` where it can't be written.
    @discardableResult
    func learn(_ membership: Membership) throws -> Bool {
        guard membership != self.membership else { return false }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = try encoder.encode(membership)
        // What is in force before it is on disk would be forgotten by a crash: a proposal is refused from here on.
        if !membership.isAlone { isAlone.store(false, ordering: .releasing) }
        try data.note(members: Array(bytes))
        try data.note(left: false)
        known.withLock { $0 = membership }
        isAlone.store(membership.isAlone, ordering: .releasing)
        links.keep(Set(membership.members.compactMap(\.address)))
        return true
    }

    /// To be called before PostgreSQL is told that this daemon stops and leaves nothing behind: where others may release then,
    /// the next start counts nothing before PostgreSQL knows that it is back.
    ///
    /// - Throws: ``JournalError`` where it can't be written.
    func leave() throws {
        if isShared || membership?.hasOthers == true { try data.note(left: true) }
    }

    /// To be called with what PostgreSQL says once it has been told: where nobody else is there, the next start counts on without it.
    ///
    /// - Throws: ``JournalError`` where it can't be written.
    func hasLeft(_ membership: Membership?) throws {
        if let membership, membership.isAlone, !membership.hasOthers { try data.note(left: false) }
    }

    // MARK: The way there

    /// A request on its way to another daemon.
    struct HandedOn: Sendable {
        var method = OutgoingRequest.Method.post
        /// Such as `/v1/batches`.
        let path: String
        var contentType = "application/json"
        let headers: RequestHeaders
        /// Where the client is; nil where nobody knows.
        let network: ClientNetwork?
        let isSealed: Bool
        /// As it came, packed or not.
        let body: [UInt8]
    }

    /// Hands a request on to the daemon whose it is; what that says.
    ///
    /// - Throws: ``Unheard``.
    func hand(_ request: HandedOn, to member: Member) async throws(Unheard) -> ReceivedAnswer {
        guard let address = member.address, let secret = membership?.secret else {
            throw .unreachable
        }
        let mark = MemberMark(secret: secret, network: request.network, isSealed: request.isSealed)
        let outgoing = OutgoingRequest(
            request.method, address + request.path,
            headers: [("content-type", request.contentType)] + request.headers.handedOn + [
                (MemberMark.name, mark.text)
            ],
            body: request.body)
        let answer: ReceivedAnswer?
        do throws(HTTPFault) {
            answer = try await links.send(outgoing, to: address)
        } catch {
            logger.debug("a daemon can't be reached", metadata: ["daemon": "\(member.daemon)", "error": "\(error)"])
            throw .unreachable
        }
        guard let answer else { throw .crowded }
        // It knows another owner, and one of us will learn better in a moment.
        guard answer.status != 421 else { throw .changing }
        return answer
    }
}

/// Why another daemon did not answer.
enum Unheard: Error {
    case unreachable
    case changing
    case crowded
}
