import ArgumentParser
import Foundation
import ThrongMembers
import ThrongPlan
import ThrongPostgres
import ThrongStore

struct DaemonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon",
        abstract: "Says which daemons count into a database, and lets one join, leave or be replaced.",
        discussion: """
            Identifiers are shared out among daemons by 256 slots. The first daemon of a database counts all of them; one that \
            comes later hands on what it is sent until it joins.
            """,
        subcommands: [ListCommand.self, JoinCommand.self, LeaveCommand.self, RetireCommand.self, MapCommand.self])

    /// The facts that these commands need of a database.
    struct Desk {
        let desk: MemberDesk
        /// The number that decisions are made by: see ``MemberDesk/lastNumber()``.
        let lastNumber: Int64
        let members: [EnrolledMember]
        let epochs: [Epoch]
        /// The plan in force of each app.
        let inForce: [RegisteredPlan]
        /// The plans by which daemons count.
        let plans: [MemberPlan]

        var last: Epoch? { epochs.last { $0.isInForce } }

        /// Runs something with what the database says now.
        static func use<Value: Sendable>(
            _ place: Place, _ work: @Sendable (Desk) async throws -> Value
        ) async throws -> Value {
            try await DatabaseAccess.use(place) { settings in
                let connection = Connection(settings)
                defer { connection.close() }
                try await Migrator(connection).verify()
                let desk = MemberDesk(connection)
                let registry = PlanRegistry(connection)
                return try await work(
                    Desk(
                        desk: desk, lastNumber: try await desk.lastNumber(), members: try await desk.members(),
                        epochs: try await desk.epochs(),
                        inForce: try await registry.inForce(), plans: try await registry.members()))
            }
        }

        /// The daemon that somebody names by the beginning of its name.
        ///
        /// - Throws: `ValidationError` where there is none or more than one.
        func member(_ name: String) throws -> EnrolledMember {
            let found = members.filter { $0.daemon.description.hasPrefix(name.lowercased()) && !name.isEmpty }
            guard let one = found.first, found.count == 1 else {
                let known = members.filter { $0.retiredAt == nil }.map(\.daemon.description)
                throw ValidationError(
                    """
                    \(found.isEmpty ? "No daemon's name begins" : "More than one daemon's name begins") with '\(name)'. There \
                    are: \(known.isEmpty ? "none" : known.joined(separator: ", ")).
                    """)
            }
            return one
        }

        /// Proposes who counts, and waits until all have agreed or the time is over.
        func propose(_ owners: [Int16], within seconds: Int) async throws {
            guard let epoch = try await desk.propose(owners, in: seconds, after: lastNumber) else {
                throw ValidationError(
                    "Another change is under way. `throng daemon list` says which; try again once it is decided.")
            }
            Terminal.talk("Proposed as epoch \(epoch), which begins in \(seconds) s if all agree by then.")
            var told: [DaemonID] = []
            while true {
                let (state, awaited) = try await desk.standing(of: epoch)
                switch state {
                case .inForce:
                    Terminal.talk("All have agreed.")
                    return
                case .void:
                    Terminal.talk(
                        """
                        Not in force: \(awaited.map(\.description).joined(separator: ", ")) did not agree in time. Nothing has \
                        changed. Start them, or retire those that are lost, and try again.
                        """)
                    throw ExitCode(2)
                case .proposed:
                    if told != awaited {
                        Terminal.talk("Waiting for \(awaited.map(\.description).joined(separator: ", ")).")
                        told = awaited
                    }
                    try await Task.sleep(for: .milliseconds(200))
                }
            }
        }

        /// The end of the longest window that the last epoch leaves as it is; until then the epoch before counts, too.
        /// Nil where no epoch begins.
        var settles: UnixSeconds? { last?.begins.map { $0 + 3 * Rotation.longest.seconds } }
    }

    struct ListCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the daemons of a database, which slots they count, and by which plans.",
            discussion: """
                One plan of each app is in force. A daemon that counts by another one releases, reports and deletes nothing: \
                give it the plan in force and send it SIGHUP, or bring its own into force by `throng plan apply`. Plans are \
                named by the first digits of the SHA-256 of their text.
                """)

        @OptionGroup var place: Place

        @Flag(help: "Prints the list as JSON.")
        var json = false

        private struct Line: Encodable {
            let daemon: String
            let shard: Int16
            let address: String?
            let slots: Int
            let state: String
            let silentSeconds: Int64?
            let owesFrom: String?
            let lostSince: String?
            let plans: [PlanLine]
        }

        private struct PlanLine: Encodable {
            let app: String
            /// SHA-256 of its text, in hexadecimal.
            let plan: String
            let isInForce: Bool
        }

        func run() async throws {
            let (lines, proposal, inForce) = try await Desk.use(place) { desk in
                let lines = desk.members.map { member in
                    let slots = desk.last?.owners.count { $0 == member.shard } ?? 0
                    let isOwner = desk.epochs.contains { $0.isInForce && $0.owners.contains(member.shard) }
                    let state =
                        member.retiredAt != nil
                        ? "retired" : slots > 0 ? "counts" : isOwner ? "drains, or counts no more" : "hands on"
                    return Line(
                        daemon: member.daemon.description, shard: member.shard, address: member.address, slots: slots,
                        state: state, silentSeconds: member.hasLeft ? nil : member.silence,
                        owesFrom: member.owesFrom.map(Terminal.instant),
                        lostSince: member.lostSince.map(Terminal.instant), plans: Self.plans(of: member.daemon, desk))
                }
                return (lines, desk.epochs.last.flatMap { $0.isInForce ? nil : $0.number }, desk.inForce)
            }
            if json { return try Terminal.json(lines) }
            for line in lines {
                let rest =
                    line.lostSince.map { "lost what it acknowledged since \($0)" }
                    ?? line.owesFrom.map { "stopped, and releases wait for it from \($0) on: start it again" }
                    ?? line.silentSeconds.map { "heard of \($0) s ago" } ?? "stopped, nothing left behind"
                Terminal.data(
                    "\(line.daemon)  \(line.slots) of \(Slot.count) slots  \(line.state)  "
                        + "\(line.address ?? "no address")  \(rest)")
                for plan in line.plans where !plan.isInForce {
                    Terminal.data("    counts for \(plan.app) by plan \(plan.plan.prefix(16)), which is not in force")
                }
            }
            for plan in inForce {
                Terminal.talk(
                    "Plan \(plan.plan.short) is in force for \(plan.app) since \(Terminal.instant(plan.since)), brought by "
                        + "\(plan.daemon).")
            }
            if let proposal { Terminal.talk("Epoch \(proposal) is proposed, and not all have agreed yet.") }
        }

        private static func plans(of daemon: DaemonID, _ desk: Desk) -> [PlanLine] {
            let behind = desk.inForce.behind(desk.plans, of: daemon)
            return desk.plans.filter { $0.daemon == daemon }.map {
                PlanLine(app: $0.app.text, plan: $0.plan.hex, isInForce: !behind.contains($0))
            }
        }
    }

    // MARK: Joining, leaving, being replaced

    struct JoinCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "join",
            abstract: "Lets a daemon that runs count its share of the windows that begin from then on.",
            discussion: """
                All daemons that count have to agree; until they do, nothing changes. Windows that are open already stay with who \
                counts them: a window is a rotation of the identifier, and is opened one rotation before it begins.
                """)

        @OptionGroup var change: ChangeOptions

        func run() async throws {
            try await Desk.use(change.place) { desk in
                let member = try desk.member(change.daemon)
                guard member.retiredAt == nil else {
                    throw ValidationError(
                        "\(member.daemon) was retired: it counts no more. Start a new, empty data directory.")
                }
                guard member.address != nil else {
                    throw ValidationError(
                        """
                        \(member.daemon) can't be reached by others: start it with --members, and --advertise where others know \
                        it by another address.
                        """)
                }
                guard let last = desk.last else {
                    throw ValidationError(
                        "No daemon counts into this database yet: the first that attaches counts everything.")
                }
                for other in desk.members where last.owners.contains(other.shard) && other.address == nil {
                    throw ValidationError(
                        "\(other.daemon) counts and can't be reached by others: start it with --members first.")
                }
                let owners = SlotTable.joined(by: member.shard, last.owners)
                guard owners != last.owners else {
                    Terminal.talk("\(member.daemon) counts already.")
                    return
                }
                try await desk.propose(owners, within: change.within)
            }
        }
    }

    struct LeaveCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "leave",
            abstract: "Lets others count what begins from then on in place of a daemon that runs.",
            discussion: """
                It goes on with the windows that are open, at most three rotations of the longest identifier. Stop it once \
                `throng daemon list` says that it counts no more and its windows are over; its data directory can go then.
                """)

        @OptionGroup var change: ChangeOptions

        func run() async throws {
            try await Desk.use(change.place) { desk in
                let member = try desk.member(change.daemon)
                guard let last = desk.last, last.owners.contains(member.shard) else {
                    Terminal.talk("\(member.daemon) counts nothing that begins from now on.")
                    return
                }
                guard let owners = SlotTable.left(by: member.shard, last.owners) else {
                    throw ValidationError("\(member.daemon) is the only one that counts: let another one join first.")
                }
                try await desk.propose(owners, within: change.within)
                Terminal.talk("It counts windows that are open now to their end; keep it running for up to three days.")
            }
        }
    }

    struct RetireCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retire",
            abstract: "Lets others count at once in place of a daemon whose data directory is lost.",
            discussion: """
                What it acknowledged and PostgreSQL does not have is lost. Whoever it had counted in windows that are open is \
                counted anew in them by others, as if the identifier had changed: floors stay what is proved. It never attaches \
                again. Where the data directory is there, start throng on it instead, on any machine.
                """)

        @OptionGroup var place: Place

        @Argument(help: "The daemon's whole name; `throng daemon list` says it.")
        var daemon: String

        @Option(
            help: ArgumentHelp(
                "Who counts in its place, where it is the only one that counts; the name or its beginning.",
                valueName: "daemon"))
        var successor: String?

        @Flag(name: .customLong("data-is-lost"), help: "Says that its data directory is gone for good.")
        var isLost = false

        func run() async throws {
            guard isLost else {
                throw ValidationError(
                    """
                    This can't be undone, and loses what \(daemon) acknowledged and PostgreSQL does not have. Say --data-is-lost \
                    where its data directory is gone for good; otherwise start throng on it.
                    """)
            }
            try await Desk.use(place) { desk in
                let member = try desk.member(daemon)
                guard member.daemon.description == daemon.lowercased() else {
                    throw ValidationError("Name all of it: \(member.daemon).")
                }
                guard member.retiredAt == nil else {
                    Terminal.talk("\(member.daemon) was retired before.")
                    return
                }
                guard let last = desk.last else { throw ValidationError("No daemon counts into this database.") }
                // One that counts nothing that begins may still hold windows.
                var owners =
                    last.owners.contains(member.shard) ? SlotTable.left(by: member.shard, last.owners) : last.owners
                if owners == nil, let successor {
                    let next = try desk.member(successor)
                    guard next.retiredAt == nil, next.shard != member.shard else {
                        throw ValidationError("\(next.daemon) can't count in its place.")
                    }
                    owners = last.owners.map { _ in next.shard }
                }
                guard let owners else {
                    throw ValidationError(
                        """
                        \(member.daemon) is the only one that counts. Start another one with --members, and name it with \
                        --successor.
                        """)
                }
                guard
                    try await desk.desk.retire(
                        member.daemon, owners: owners, after: desk.lastNumber) != nil
                else {
                    throw ValidationError("Another change was made at the same time; look at `throng daemon list`.")
                }
                let lost = try await desk.desk.members().first { $0.daemon == member.daemon }?.lostSince
                Terminal.talk(
                    """
                    \(member.daemon) is retired; others count in its place from now on. \(lost.map {
                        "What it acknowledged since \(Terminal.instant($0)) may be lost; manifests of reports say so."
                    } ?? "It had left nothing behind: nothing is lost.")
                    """)
            }
        }
    }

    struct MapCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "map",
            abstract: "Prints which daemon counts which slot, as a map for haproxy.",
            discussion: """
                A balancer that knows it sends each batch to who counts it; one that does not costs a second hop and changes \
                nothing else. Deploy/proxy/haproxy-daemons.cfg uses the map.
                """)

        @OptionGroup var place: Place

        func run() async throws {
            let lines = try await Desk.use(place) { desk in
                let addresses = Dictionary(
                    desk.members.map { ($0.shard, $0.daemon.description) }, uniquingKeysWith: { first, _ in first })
                return (desk.last?.owners ?? []).enumerated().map { "\($0) \(addresses[$1] ?? "")" }
            }
            for line in lines { Terminal.data(line) }
        }
    }
}

/// The options for a daemon that shall count, or no more, once all agree.
struct ChangeOptions: ParsableArguments {
    @OptionGroup var place: Place

    @Argument(help: "The daemon's name, or the beginning of it; `throng daemon list` says it.")
    var daemon: String

    @Option(help: ArgumentHelp("How long all have to agree.", valueName: "seconds"))
    var within = 60

    func validate() throws {
        guard (5...3600).contains(within) else {
            throw ValidationError("--within takes a whole number of seconds from 5 to 3600; found \(within).")
        }
    }
}
