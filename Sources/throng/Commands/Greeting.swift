import Synchronization
import ThrongJournal
import ThrongSystem

/// The lines that say, once the daemon listens for the first time, where it does and what to do next.
final class Greeting: Sendable {
    /// The addresses by the names of their servers; nil once they were said.
    private let addresses = Mutex<[String: String]?>([:])
    private let awaited: Set<String>
    private let next: String
    private let signIn: String

    init(for sources: [RunningPlan], _ settings: Settings) {
        awaited = settings.value(of: .portal) == nil ? ["clients", "metrics"] : ["clients", "metrics", "people"]
        let place = settings.value(of: .database) == nil ? "--data \(settings.dataPath)" : "--database URL"
        signIn = "throng token new --operator \(place)"
        let plans = sources.map { "--plan \($0.path)" }.joined(separator: " ")
        next = "throng doctor \(plans) \(place)"
    }

    /// Notes that a server listens; with the last of them it says all.
    @Sendable func listens(_ name: String, at url: String) {
        let all = addresses.withLock { addresses -> [String: String]? in
            addresses?[name] = url
            guard let all = addresses, awaited.isSubset(of: all.keys) else { return nil }
            addresses = nil
            return all
        }
        guard let all, let clients = all["clients"] else { return }
        Terminal.talk(
            """
            Clients post to \(clients)/v1/batches; \(clients)/ says what is counted.
            \(all["people"].map { "People sign in at \($0)/ with a token: \(signIn)" }
                ?? "Nobody can look yet: --portal 127.0.0.1:8081 serves pages for partners, analysts and you.")
            Prometheus reads \(all["metrics"] ?? "")/metrics. To see whether all is well: \(next)
            """)
    }
}
