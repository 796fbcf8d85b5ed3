internal import Foundation
internal import Hummingbird
internal import Logging
internal import Synchronization
internal import ThrongIngest
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongStore
internal import ThrongSystem

/// The connections to other daemons, as many to each as are needed at once, up to a limit.
///
/// A daemon that does not answer delays no other requests: only one request at a time tries whether it is back.
final class MemberLinks: Sendable {
    /// A connection with the number of requests under way on it. It serves to choose the least busy.
    private final class Link: Sendable {
        let connection: HTTPConnection
        let underWay = Atomic<Int>(0)

        init(_ rules: ConnectionRules) { connection = HTTPConnection(rules) }
    }

    private struct Way {
        var links: [Link] = []
        /// The memory of requests under way. Unit: bytes.
        var bytes = 0
        /// The time until which nobody tries it, as it did not answer; nil if it did.
        var rests: ContinuousClock.Instant?
    }

    private static let mostLinks = 32
    /// The memory for all requests under way to one daemon. Unit: bytes.
    private static let mostBytes = 32 << 20
    /// The memory of a request besides its body, about. Unit: bytes.
    private static let overhead = 4096
    /// The longest answer to a client. Unit: bytes.
    private static let answerBytes = 4 << 20
    /// The longest time of a request, with the wait for others; clients and balancers wait longer.
    private static let limit = Duration.seconds(8)

    private let rules: ConnectionRules
    private let rest: Duration
    private let ways = Mutex<[String: Way]>([:])

    /// The file of authorities vouches for daemons, beside the system's; nobody tries a silent daemon during the rest.
    init(authorities: String?, rest: Duration = .seconds(1)) {
        self.rest = rest
        var rules = ConnectionRules()
        rules.authorities = authorities
        rules.connectLimit = .seconds(2)
        self.rules = rules
    }

    /// Sends a request to a daemon and returns its answer; nil if too much is under way to it.
    func send(_ request: OutgoingRequest, to address: String) async throws(HTTPFault) -> ReceivedAnswer? {
        let size = request.body.count + Self.overhead
        guard let link = try link(to: address, size: size) else { return nil }
        defer {
            link.underWay.subtract(1, ordering: .relaxed)
            ways.withLock { $0[address]?.bytes -= size }
        }
        do throws(HTTPFault) {
            let answer = try await link.connection.answer(to: request, within: Self.limit, bodyLimit: Self.answerBytes)
            ways.withLock { $0[address]?.rests = nil }
            return answer
        } catch {
            ways.withLock { $0[address]?.rests = error.isAbsence ? .now + rest : nil }
            throw error
        }
    }

    /// Returns the least busy connection; nil if too much is under way, an error if the daemon was late a moment ago.
    private func link(to address: String, size: Int) throws(HTTPFault) -> Link? {
        try ways.withLock { ways throws(HTTPFault) in
            var way = ways[address] ?? Way()
            defer { ways[address] = way }
            if let rests = way.rests, rests > .now { throw .late }
            guard way.bytes + size <= Self.mostBytes else { return nil }
            way.bytes += size
            // This one finds out whether it is back.
            if way.rests != nil { way.rests = .now + Self.limit }
            let idlest = way.links.min { $0.underWay.load(ordering: .relaxed) < $1.underWay.load(ordering: .relaxed) }
            if let idlest, way.links.count >= Self.mostLinks || idlest.underWay.load(ordering: .relaxed) == 0 {
                idlest.underWay.add(1, ordering: .relaxed)
                return idlest
            }
            let link = Link(rules)
            link.underWay.add(1, ordering: .relaxed)
            way.links.append(link)
            return link
        }
    }

    func keep(_ addresses: Set<String>) {
        ways.withLock { ways in
            for address in ways.keys where !addresses.contains(address) { ways[address]?.links = [] }
            // Requests under way to the others are subtracted where they were added.
            ways = ways.filter { addresses.contains($0.key) || $0.value.bytes > 0 }
        }
    }
}

extension HTTPFault {
    /// True if the daemon seems to be away or too busy: another request would wait as long.
    fileprivate var isAbsence: Bool {
        switch self {
        case .late, .notConnected, .unresolved: true
        default: false
        }
    }
}

/// Learns from PostgreSQL which daemons count with this one, and agrees to proposals.
///
/// While PostgreSQL is away, the last known membership holds: no other comes into force without this daemon.
struct MemberWatch {
    let neighbours: Neighbours
    let store: any MemberSource
    let daemon: DaemonID
    let isAttached: @Sendable () -> Bool
    /// Windows that clients have sent to.
    let windows: @Sendable () -> [WindowID]
    let clock: UnixClock
    let logger: Logger

    /// The shortest notice of a proposal that is agreed to: with less, late events would not be known. Unit: seconds.
    private static let shortestNotice: Int64 = 2

    /// Looks before anything is counted: another daemon may have taken the place of this one meanwhile.
    ///
    /// - Parameter patience: the time for which PostgreSQL may fail to answer. After that it counts as away: the last
    ///   known membership holds, and the rounds ask again.
    func lookFirst(patience: Duration = .seconds(10)) async throws {
        let deadline = ContinuousClock.now + patience
        while true {
            do { return try await look() } catch let error as PostgresError where error.isRetryable {
                guard ContinuousClock.now < deadline else {
                    return logger.warning(
                        "PostgreSQL did not say in time who counts; going by what was known last",
                        metadata: ["error": "\(error)"])
                }
                try await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    func look() async throws {
        // A release would leave out a daemon that counted before PostgreSQL knew of it.
        guard neighbours.membership != nil || isAttached() else { return }
        let heard = neighbours.membership?.heard ?? 0
        guard var found = try await store.membership(of: daemon, heard: heard) else { return }
        if let known = neighbours.lastKnown, try await recall(of: known, missingIn: found) {
            guard let renewed = try await store.membership(of: daemon, heard: found.heard) else { return }
            found = renewed
        }
        try await learn(found)
        guard let agreed = agreeable(found) else { return }
        // This daemon first stops counting what the proposal gives to another; only then PostgreSQL learns of its
        // agreement.
        try await learn(agreed)
        if let proposal = agreed.epochs.last, let begins = proposal.begins,
            windows().contains(where: { begins <= $0.opens })
        {
            logger.warning(
                "a change of who counts is not agreed to: windows that it is about are counted here already",
                metadata: ["epoch": "\(proposal.number)"])
            return try await learn(found)
        }
        try await store.hear(agreed.heard, as: daemon)
        if let decided = try await store.membership(of: daemon, heard: agreed.heard) { try await learn(decided) }
    }

    /// Tells a PostgreSQL that was set back to an earlier time the epochs that it has forgotten. Otherwise windows
    /// under way would have another owner, which would count the same devices anew. False if there is none.
    private func recall(of known: Membership, missingIn found: Membership) async throws -> Bool {
        let forgotten = known.forgotten(by: found)
        guard let first = forgotten.first else { return false }
        let facts: Logger.Metadata = ["from": "epoch \(first.number)"]
        if try await store.recall(forgotten, of: known) {
            logger.error("PostgreSQL is older than it was, and was told again who counts", metadata: facts)
        } else {
            logger.error(
                "PostgreSQL is older than it was, and who counts was changed since: what is counted twice by it can't be told",
                metadata: facts)
        }
        return true
    }

    private func learn(_ membership: Membership) async throws {
        let before = neighbours.membership
        let isNew = try await neighbours.machine.onThread { [neighbours] in try neighbours.learn(membership) }
        guard isNew else { return }
        guard before?.last != membership.last || before?.own != membership.own else { return }
        let slots = membership.last?.owners.count { $0 == membership.own } ?? 0
        let facts: Logger.Metadata = [
            "epoch": "\(membership.last?.number ?? 0)", "slots": "\(slots) of \(Slot.count)",
            "begins": "\(membership.last?.begins.map { "\($0)" } ?? "always")",
        ]
        if slots == 0 {
            logger.warning(
                """
                this daemon counts nothing that begins from then on: it hands on what comes. `throng daemon join` makes it count, \
                `throng daemon list` says who does
                """, metadata: facts)
        } else if before != nil || !membership.isAlone {
            logger.notice("who counts is known", metadata: facts)
        }
    }

    /// Returns the membership with this daemon's agreement to a proposal; nil if it is not asked.
    private func agreeable(_ membership: Membership) -> Membership? {
        guard let proposal = membership.epochs.last, !proposal.isInForce, proposal.number > membership.heard,
            proposal.owners.contains(membership.own) || membership.last?.owners.contains(membership.own) == true,
            let begins = proposal.begins, clock.now + Self.shortestNotice < begins
        else { return nil }
        var agreed = membership
        agreed.heard = proposal.number
        return agreed
    }
}

/// The questions to PostgreSQL that this takes; ``MemberStore`` is the real one.
protocol MemberSource: Sendable {
    func membership(of daemon: DaemonID, heard: Int64) async throws -> Membership?
    func recall(_ epochs: [OwnershipEpoch], of known: Membership) async throws -> Bool
    func hear(_ epoch: Int64, as daemon: DaemonID) async throws
}

extension MemberStore: MemberSource {}

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
        do throws(HTTPFault) { answer = try await links.send(outgoing, to: address) } catch {
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
