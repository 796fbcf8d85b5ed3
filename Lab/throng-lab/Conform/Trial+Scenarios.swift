internal import Foundation
internal import ThrongWire

extension Trial {
    /// The scenarios that a client lives through, each with a daemon and a folder of its own.
    static let scenarios: [(skew: Int64, play: @Sendable (Trial) throws -> Void)] = [
        (0, rotating), (0, coarsening), (0, losing), (0, waiting), (0, refusing), (0, expiring), (0, agreeing),
        (0, outdating), (0, optingOut), (3 * 86_400, misreadingTheClock), (-3 * 86_400, misreadingTheClock),
    ]

    @Sendable private static func rotating(_ trial: Trial) throws {
        try trial.start()
        try trial.consent(true)
        for _ in 0..<3 {
            for _ in 0..<2 {
                try trial.record("view", ["screen": "390x844"])
                try trial.record("ping", ["screen": "390x844"])
                try trial.send()
                try trial.pass(60)
            }
            try trial.restart()
            try trial.pass(900)
        }
        let all = trial.daemon.batches
        let arrivals = trial.daemon.arrivals.filter { $0.batch != nil }
        trial.require(.counted, trial.daemon.counted("view") == 12, "12 views are \(trial.daemon.counted("view"))")
        trial.require(.counted, trial.daemon.counted("ping") > 0, "no ping was counted")
        for arrival in arrivals {
            guard let batch = arrival.batch else { continue }
            let rotation: Int64 = batch.purpose == "product" ? 900 : 3600
            trial.require(
                .windows, batch.window == arrival.at.flooredQuotient(by: rotation),
                "\(batch.purpose): \(batch.window) at \(arrival.at.value)")
        }
        var owners: [String: String] = [:]
        var known: [String: String] = [:]
        for batch in all where batch.purpose != "tally" {
            let place = "\(batch.purpose) \(batch.window)"
            let id = batch.id ?? ""
            trial.require(.identifiers, id.utf8.count >= 16, "an identifier of \(id.utf8.count) bytes can be guessed")
            trial.require(.identifiers, known[place, default: id] == id, "two in \(place)")
            trial.require(
                .identifiers, owners[id, default: place] == place, "the same in \(place) and \(owners[id] ?? "")")
            (known[place], owners[id]) = (id, place)
        }
        trial.require(.noIdentifier, all.allSatisfy { $0.purpose != "tally" || $0.id == nil }, "tally has an id")
    }

    @Sendable private static func coarsening(_ trial: Trial) throws {
        let cases: [(event: String, field: String, value: any Sendable, label: String)] = [
            ("view", "screen", "844x390", "small"),
            ("view", "page", "https://example.org/product/7?q=1", "/product/:id"),
            ("fact", "degrees", -3, "from -5 to 0"), ("fact", "size", "12.5", "10-100"),
            ("fact", "weight", 1234, "1200"),
            ("fact", "release", "17.4.1", "17"), ("fact", "library", "17", "17.0"),
            ("place", "locale", "de_AT.UTF-8", "de"),
            ("place", "zone", "Europe/Vienna", "UTC+0..UTC+2"), ("place", "country", "at", "DACH"),
            ("place", "from", "http://user@WWW.example.org:80/x", "www.example.org"),
            ("time", "file", "a/b.PDF", "document"),
            ("sale", "drink", "coffee", "hot"),
        ]
        try trial.start()
        for (event, field, value, _) in cases {
            var fields: [String: any Sendable] = [field: value]
            if event == "sale" { fields["price"] = 24.9 }
            try trial.record(event, fields)
        }
        try trial.record("teleport", ["to": "Mars"])
        try trial.record("view", ["mood": "Zq-secret-mood"])
        try trial.send()
        let events = trial.daemon.batches.flatMap { batch in
            batch.events.map { ($0.event, (batch.context).merging($0.fields ?? [:]) { $1 }) }
        }
        for (event, field, _, label) in cases {
            // Some devices say of themselves, beside it, what others leave out.
            let found = Set(events.filter { $0.0 == event }.compactMap { $0.1[field] })
            trial.require(
                .coarsened, found == [.text(label)] || found.isEmpty && trial.daemon.counted(event) > 0,
                "\(field) is not \(label)")
        }
        let sums = events.filter { $0.0 == "sale" }.compactMap { $0.1["price"] }
        trial.require(.counted, sums == [.number(24.9)], "a field that is added up stays a number")
        let bodies = trial.daemon.arrivals.map(\.body).joined()
        trial.require(
            .planned, !bodies.contains("teleport") && !bodies.contains("mood") && !bodies.contains("Mars"),
            "what the plan does not name was sent")
    }

    @Sendable private static func losing(_ trial: Trial) throws {
        try trial.start()
        for (place, network) in [TrialDaemon.Network.answersLost, .busy(retrySeconds: 7)].enumerated() {
            trial.daemon.set(network)
            try trial.record("view", ["page": place == 0 ? "/" : "/cart"])
            try trial.send()
            try trial.restart()
            try trial.record("view", ["page": "/docs/x"])
            trial.daemon.set(.whole)
            try trial.sendPatiently(rounds: 4)
        }
        trial.require(
            .exactlyOnce, trial.daemon.counted("view") == 4, "4 views are counted \(trial.daemon.counted("view")) times"
        )
        let unanswered = trial.daemon.arrivals.filter { $0.batch != nil && [0, 503].contains($0.status) }
        trial.require(.sameBytes, !unanswered.isEmpty, "nothing was sent")
        for arrival in unanswered {
            trial.require(
                .sameBytes, trial.daemon.arrivals.contains { $0.status == 202 && $0.body == arrival.body },
                "a batch that was answered with \(arrival.status == 0 ? "nothing" : "503") came back in other bytes, or never"
            )
        }
    }

    @Sendable private static func waiting(_ trial: Trial) throws {
        try trial.start()
        trial.daemon.set(.busy(retrySeconds: 300))
        try trial.record("view", ["screen": "1"])
        try trial.send()
        let first = trial.daemon.arrivals.count
        for _ in 0..<4 {
            try trial.pass(60)
            try trial.send()
        }
        trial.require(.patience, first == 1, "\(first) requests came at once")
        trial.require(.patience, trial.daemon.arrivals.count == first, "a request came before 300 seconds were over")
        trial.daemon.set(.whole)
        try trial.sendPatiently()
        trial.require(.counted, trial.daemon.counted("view") == 1, "after a long 503 nothing more was sent")
    }

    @Sendable private static func refusing(_ trial: Trial) throws {
        try trial.start()
        try trial.record("view", ["screen": "1"])
        trial.daemon.set(.refusing)
        try trial.send()
        try trial.sendPatiently()
        let bodies = trial.daemon.arrivals.filter { $0.batch != nil }.map(\.body)
        trial.require(.refused, bodies.count == Set(bodies).count && !bodies.isEmpty, "it was sent again")
    }

    @Sendable private static func expiring(_ trial: Trial) throws {
        try trial.start()
        trial.daemon.set(.answersLost)
        try trial.record("view", ["screen": "1"])
        try trial.send()
        trial.daemon.set(.whole)
        try trial.pass(3 * 900)
        try trial.sendPatiently()
        trial.require(.expired, trial.daemon.counted("view") == 1, "it counted \(trial.daemon.counted("view")) times")
    }

    @Sendable private static func agreeing(_ trial: Trial) throws {
        try trial.start()
        try trial.record("click", ["screen": "1"])
        try trial.send()
        try trial.consent(true)
        try trial.send()
        trial.require(.consent, trial.batches(of: "adverts").isEmpty, "something of the time before was sent")
        try trial.record("click", ["screen": "1"])
        try trial.send()
        trial.require(.counted, trial.daemon.counted("click") == 1, "after consent nothing was counted")
        let used = trial.batches(of: "adverts").compactMap(\.id)
        try trial.record("click", ["screen": "1"])
        try trial.consent(false)
        try trial.record("click", ["screen": "1"])
        try trial.send()
        try trial.restart()
        try trial.sendPatiently()
        trial.require(
            .consent, trial.batches(of: "adverts").count == used.count, "something was sent after consent went")
        let withdrawn = trial.daemon.arrivals.filter { $0.path == "/v1/withdraw" }.map(\.body).joined()
        trial.require(.takenBack, !used.isEmpty && used.allSatisfy { withdrawn.contains($0) }, "no withdrawal names it")
    }

    @Sendable private static func outdating(_ trial: Trial) throws {
        try trial.start()
        try trial.consent(true)
        try trial.record("click", ["screen": "1"])
        try trial.send()
        try trial.daemon.raiseConsent(to: 2)
        // Longer than a plan may be kept, and than any pause.
        try trial.pass(86_400)
        try trial.send()
        try trial.record("click", ["screen": "1"])
        try trial.sendPatiently()
        let early = trial.batches(of: "adverts").dropFirst()
        trial.require(.consentVersion, early.isEmpty, "by an earlier version something was sent")
        try trial.consent(true, version: 2)
        try trial.record("click", ["screen": "1"])
        try trial.send()
        let last = trial.batches(of: "adverts").last
        trial.require(.consentVersion, last?.consentVersion == 2, "the version that was agreed to is not said")
    }

    @Sendable private static func optingOut(_ trial: Trial) throws {
        try trial.start(signals: ["global_privacy_control"])
        try trial.consent(true)
        try trial.record("view", ["screen": "1"])
        try trial.send()
        trial.require(
            .optOut, trial.daemon.batches.allSatisfy { $0.purpose == "tally" }, "something was sent with the signal on")
        try trial.signals([])
        try trial.record("view", ["screen": "1"])
        try trial.send()
        trial.require(.counted, trial.daemon.counted("view") == 2, "with the signal off nothing was counted")
        let sent = trial.daemon.batches.count
        try trial.signals(["global_privacy_control"])
        try trial.record("view", ["screen": "1"])
        try trial.sendPatiently()
        trial.require(.optOut, trial.daemon.batches.count == sent, "something was sent once the signal came")
    }

    @Sendable private static func misreadingTheClock(_ trial: Trial) throws {
        try trial.start()
        try trial.record("view", ["screen": "1"])
        try trial.send()
        try trial.sendPatiently()
        trial.require(
            .clock, trial.daemon.counted("view") == 1,
            "with a wrong clock a view counted "
                + "\(trial.daemon.counted("view")) times")
    }
}
