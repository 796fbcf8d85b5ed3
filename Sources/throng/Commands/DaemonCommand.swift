import ArgumentParser
import Foundation
import ThrongIngest
import ThrongPlan
import ThrongStore
import ThrongSystem

struct DaemonCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "daemon", abstract: "Lists a database's daemons; lets them join or leave.",
        discussion: """
            Identifiers are shared out among daemons by 256 slots. The first daemon of a database counts all of them; one that \
            comes later hands on what it is sent until it joins.

            EXAMPLE
              throng daemon list --database postgresql://db.example/throng
            """, subcommands: [ListCommand.self, JoinCommand.self, LeaveCommand.self])

    struct Admin {
        let admin: MemberAdmin
        /// The number that decisions are made by: see ``MemberAdmin/lastNumber()``.
        let lastNumber: Int64
        let members: [EnrolledMember]
        let epochs: [OwnershipEpoch]
        let inForce: [RegisteredPlan]
        /// The plans by which daemons count.
        let plans: [MemberPlan]

        var last: OwnershipEpoch? { epochs.last { $0.isInForce } }

        static func use<Value: Sendable>(
            _ place: Place, _ work: @Sendable (Admin) async throws -> Value
        ) async throws -> Value {
            try await DatabaseAccess.connect(place) { connection in
                try await Migrator(connection).verify()
                let admin = MemberAdmin(connection)
                let registry = PlanRegistry(connection)
                return try await work(
                    Admin(
                        admin: admin, lastNumber: try await admin.lastNumber(), members: try await admin.members(),
                        epochs: try await admin.epochs(),
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
            guard let epoch = try await admin.propose(owners, in: seconds, after: lastNumber) else {
                throw ValidationError(
                    "Another change is under way. `throng daemon list` says which; try again once it is decided.")
            }
            Terminal.talk("Proposed as epoch \(epoch), which begins in \(seconds) s if all agree by then.")
            var told: [DaemonID] = []
            while true {
                let (state, awaited) = try await admin.standing(of: epoch)
                switch state {
                case .inForce:
                    Terminal.talk("All have agreed.")
                    return
                case .void:
                    Terminal.talk(
                        """
                        Not in force: \(awaited.map(\.description).joined(separator: ", ")) did not agree in time. Nothing has \
                        changed. Start them, or let those that are lost leave, and try again.
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
    }

    struct ListCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Lists the daemons of a database, which slots they count, and by which plans.",
            discussion: """
                One plan of each app is in force. A daemon that counts by another one releases, reports and deletes nothing: \
                give it the plan in force and send it SIGHUP, or bring its own into force by `throng plan apply`. Plans are \
                named by the first digits of the SHA-256 of their text.

                A balancer that knows the map sends each batch to who counts it; one that does not costs a second hop and \
                changes nothing else. Deploy/proxy/haproxy-daemons.cfg uses it.

                EXAMPLE
                  throng daemon list --map --database postgresql://db.example/throng
                """)

        @OptionGroup var place: Place
        @Flag(help: "Prints the list as JSON.") var json = false
        @Flag(help: "Prints which daemon counts which slot instead, as a map for haproxy.") var map = false

        private struct Line: Encodable {
            let daemon: String
            let shard: Int16
            let address: String?
            let slots: Int
            let state: String
            let silentSeconds: Int64?
            let owesFrom, lostSince: String?
            let plans: [PlanLine]
        }

        private struct PlanLine: Encodable {
            let app: String
            /// SHA-256 of its text, in hexadecimal.
            let plan: String
            let isInForce: Bool
        }

        func run() async throws {
            if map { return try await printMap() }
            let (lines, proposal, inForce) = try await Admin.use(place) { admin in
                let lines = admin.members.map { member in
                    let slots = admin.last?.owners.count { $0 == member.shard } ?? 0
                    let isOwner = admin.epochs.contains { $0.isInForce && $0.owners.contains(member.shard) }
                    let state =
                        member.retiredAt != nil
                        ? "retired" : slots > 0 ? "counts" : isOwner ? "drains, or counts no more" : "hands on"
                    return Line(
                        daemon: member.daemon.description, shard: member.shard, address: member.address, slots: slots,
                        state: state, silentSeconds: member.hasLeft ? nil : member.silence,
                        owesFrom: member.owesFrom.map(Terminal.instant),
                        lostSince: member.lostSince.map(Terminal.instant), plans: Self.plans(of: member.daemon, admin))
                }
                return (lines, admin.epochs.last.flatMap { $0.isInForce ? nil : $0.number }, admin.inForce)
            }
            if json { return try Terminal.json(lines) }
            for line in lines {
                let rest =
                    if let since = line.lostSince {
                        "lost what it acknowledged since \(since)"
                    } else if let start = line.owesFrom {
                        "stopped, and releases wait for it from \(start) on: start it again"
                    } else if let silence = line.silentSeconds { "heard of \(silence) s ago" } else {
                        "stopped, nothing left behind"
                    }
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

        private func printMap() async throws {
            let lines = try await Admin.use(place) { admin in
                let addresses = Dictionary(
                    admin.members.map { ($0.shard, $0.daemon.description) }, uniquingKeysWith: { first, _ in first })
                return (admin.last?.owners ?? []).enumerated().map { "\($0) \(addresses[$1] ?? "")" }
            }
            for line in lines { Terminal.data(line) }
        }

        private static func plans(of daemon: DaemonID, _ admin: Admin) -> [PlanLine] {
            let behind = admin.inForce.behind(admin.plans, of: daemon)
            return admin.plans.filter { $0.daemon == daemon }.map {
                PlanLine(app: $0.app.text, plan: $0.plan.hex, isInForce: !behind.contains($0))
            }
        }
    }

    // MARK: Joining, leaving

    struct JoinCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "join",
            abstract: "Lets a daemon that runs count its share of the windows that begin from then on.",
            discussion: """
                All daemons that count have to agree; until they do, nothing changes. Windows that are open already stay with who \
                counts them: a window is a rotation of the identifier, and is opened one rotation before it begins.

                EXAMPLE
                  throng daemon join 3f9c1b7a --database postgresql://db.example/throng
                """)

        @OptionGroup var change: ChangeOptions

        func run() async throws {
            try await Admin.use(change.place) { admin in
                let member = try admin.member(change.daemon)
                guard member.retiredAt == nil else {
                    throw ValidationError(
                        "\(member.daemon) was retired: it counts no more. Start a new, empty data directory.")
                }
                guard member.address != nil else {
                    throw ValidationError(
                        "\(member.daemon) can't be reached by others: "
                            + "start it with --members, and --advertise where others know it by another address.")
                }
                guard let last = admin.last else {
                    throw ValidationError(
                        "No daemon counts into this database yet: the first that attaches counts everything.")
                }
                for other in admin.members where last.owners.contains(other.shard) && other.address == nil {
                    throw ValidationError(
                        "\(other.daemon) counts and can't be reached by others: start it with --members first.")
                }
                let owners = SlotTable.joined(by: member.shard, last.owners)
                guard owners != last.owners else {
                    Terminal.talk("\(member.daemon) counts already.")
                    return
                }
                try await admin.propose(owners, within: change.within)
            }
        }
    }

    struct LeaveCommand: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "leave",
            abstract: "Lets others count what begins from then on in place of a daemon that runs.",
            usage: "throng daemon leave <daemon> [<options>]",
            discussion: """
                It goes on with the windows that are open, at most three rotations of the longest identifier. Stop it once \
                `throng daemon list` says that it counts no more and its windows are over; its data directory can go then.

                With --data-is-lost others count at once in place of a daemon that can't be started again, and it never attaches \
                again. What it acknowledged and PostgreSQL does not have is lost. Whoever it had counted in windows that are open \
                is counted anew in them by others, as if the identifier had changed: floors stay what is proved. Where the data \
                directory is there, start throng on it instead, on any machine.

                EXAMPLE
                  throng daemon leave 3f9c1b7a --database postgresql://db.example/throng
                """)

        @OptionGroup var change: ChangeOptions

        @Flag(name: .customLong("data-is-lost"), help: "Says that its data directory is gone for good; name all of it.")
        var isLost = false

        @Option(
            help: ArgumentHelp(
                "With --data-is-lost: who counts in its place, where it is the only one that counts.",
                valueName: "daemon")) var successor: String?

        func validate() throws {
            guard isLost || successor == nil else {
                throw ValidationError(
                    "--successor is for a daemon that can't be started again: say --data-is-lost, or leave it out.")
            }
        }

        func run() async throws {
            if isLost { return try await retire() }
            try await Admin.use(change.place) { admin in
                let member = try admin.member(change.daemon)
                guard let last = admin.last, last.owners.contains(member.shard) else {
                    Terminal.talk("\(member.daemon) counts nothing that begins from now on.")
                    return
                }
                guard let owners = SlotTable.left(by: member.shard, last.owners) else {
                    throw ValidationError("\(member.daemon) is the only one that counts: let another one join first.")
                }
                try await admin.propose(owners, within: change.within)
                Terminal.talk("It counts windows that are open now to their end; keep it running for up to three days.")
            }
        }

        /// Takes its slots away at once. This can't be undone.
        private func retire() async throws {
            try await Admin.use(change.place) { admin in
                let member = try admin.member(change.daemon)
                guard member.daemon.description == change.daemon.lowercased() else {
                    throw ValidationError("Name all of it: \(member.daemon).")
                }
                guard member.retiredAt == nil else {
                    Terminal.talk("\(member.daemon) was retired before.")
                    return
                }
                guard let last = admin.last else { throw ValidationError("No daemon counts into this database.") }
                // One that counts nothing that begins may still hold windows.
                var owners =
                    last.owners.contains(member.shard) ? SlotTable.left(by: member.shard, last.owners) : last.owners
                if owners == nil, let successor {
                    let next = try admin.member(successor)
                    guard next.retiredAt == nil, next.shard != member.shard else {
                        throw ValidationError("\(next.daemon) can't count in its place.")
                    }
                    owners = last.owners.map { _ in next.shard }
                }
                guard let owners else {
                    throw ValidationError(
                        "\(member.daemon) is the only one that counts. "
                            + "Start another one with --members, and name it with --successor.")
                }
                guard try await admin.admin.retire(member.daemon, owners: owners, after: admin.lastNumber) != nil else {
                    throw ValidationError("Another change was made at the same time; look at `throng daemon list`.")
                }
                let lost = try await admin.admin.members().first { $0.daemon == member.daemon }?.lostSince
                Terminal.talk(
                    """
                    \(member.daemon) is retired; others count in its place from now on. \(lost.map {
                        "What it acknowledged since \(Terminal.instant($0)) may be lost; manifests of reports say so."
                    } ?? "It had left nothing behind: nothing is lost.")
                    """)
            }
        }
    }
}

struct ChangeOptions: ParsableArguments {
    @OptionGroup var place: Place
    @Argument(help: "The daemon's name, or the beginning of it; `throng daemon list` says it.") var daemon: String
    @Option(help: ArgumentHelp("How long all have to agree.", valueName: "seconds")) var within = 60

    func validate() throws {
        guard (5...3600).contains(within) else {
            throw ValidationError("--within takes a whole number of seconds from 5 to 3600; found \(within).")
        }
    }
}
