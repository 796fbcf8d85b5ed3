import Foundation
import Synchronization
package import ThrongClient

/// A client that records one event after another until its process is killed.
///
/// Event number n is a purchase of n units of the last decimal, so a sum tells whether any was lost or came twice.
package struct DoomedCook {
    private let storage: URL
    private let received: String
    private let company: Company
    private let clock: any ClientClock

    /// Who else uses the directory.
    package enum Company: String, CaseIterable, Sendable {
        /// Nobody.
        case alone
        /// Others, each in turn.
        case turns
        /// Others, and nobody cares: what turns are for.
        case lawless

        func storage(_ directory: URL) throws -> any ClientStorage {
            switch self {
            case .alone: try DirectoryStorage(directory)
            case .turns: try DirectoryStorage(directory, isShared: true)
            case .lawless: try LawlessStorage(directory)
            }
        }
    }

    package init(
        storage: String, received: String, company: Company = .alone, clock: any ClientClock = SystemClock()
    ) {
        self.clock = clock
        self.storage = URL(fileURLWithPath: storage, isDirectory: true)
        self.received = received
        self.company = company
    }

    /// How many it records at most: whoever kills it may be late, and the next one's numbers begin there.
    package static let most = 125

    /// Prints the number of each event once it is on disk; waits to be killed once there were ``most``.
    package func run(from first: Int) async throws {
        guard let url = CookPlan.url else { throw ThrongError.planAddress }
        var options = ThrongOptions(bundledPlan: try CookPlan(CookPlan.unbounded).document)
        options.sendsByItself = false
        options.gap = 0
        options.batchLimit = 7
        // While a lease holds, what is recorded waits.
        options.queueLimit = 100_000
        let throng = try await Throng(
            plan: url, storage: company.storage(storage), transport: LetterBox(path: received), clock: clock,
            options: options)
        try await throng.setConsent(.authorized, for: "product")
        for number in first..<first + Self.most {
            throng.record("purchase", ["amount": Double(number) / 100])
            if await throng.save() { print(number) }
            fflush(nil)
            if number % 3 == 0 { _ = await throng.flush() }
        }
        try await Task.sleep(for: .seconds(3600))
    }
}

/// A daemon that only writes down what it got, and is unreliable about its answers.
package final class LetterBox: ClientTransport {
    private let path: String
    private let count = Mutex(0)

    package init(path: String) { self.path = path }

    package func send(_ request: ClientRequest) async throws(TransportFailure) -> ClientResponse {
        let number = count.withLock { count in
            count += 1
            return count
        }
        if number % 5 == 1 { throw .notSent }
        // One write of one line: a kill leaves all of it or, at worst, a part that is no line.
        let line = request.body + Data([0x0a])
        let file = open(path, O_WRONLY | O_APPEND | O_CREAT, 0o600)
        let isWritten = line.withUnsafeBytes { write(file, $0.baseAddress, $0.count) } == line.count
        close(file)
        guard isWritten, number % 5 != 3 else { throw .unanswered }
        return ClientResponse(status: 202, body: Data(#"{"accepted":1,"refused":[]}"#.utf8))
    }
}
