internal import Logging
internal import ServiceLifecycle
internal import ThrongIngest
internal import ThrongSchedule

/// Watches the keys of apps for changes, so that a revoked key counts nothing from the next look on.
struct AppKeyWatch: Service {
    let file: AppKeyFile
    let ring: AppKeyRing
    let health: RoundHealth
    let logger: Logger

    /// The time between two looks.
    private static let interval = Duration.milliseconds(500)

    private struct Look {
        var standing: AppKeyFile.Standing?
        /// The keys, or the problem with them; nil if the file was not read.
        var keys: Result<AppKeys, AppKeyError>?
    }

    func run() async throws {
        var last: Look?
        health.expect(.appKeys)
        while !Task.isShuttingDownGracefully {
            let look = await onOwnThread { [last, file] in Self.look(at: file, after: last) }
            switch look.keys {
            case .success(let keys):
                ring.use(keys)
                if last != nil { logger.notice("the keys of apps were read anew") }
            case .failure(let problem):
                if case .failure(problem) = last?.keys { break }
                // The former keys stay good until somebody mends the file.
                logger.error(
                    "the keys of apps can't be read, and the former ones stay in force",
                    metadata: ["error": "\(problem)"])
            case nil: break
            }
            if case .failure(let problem) = look.keys {
                health.failed(.appKeys, problem)
            } else {
                health.ended(.appKeys)
            }
            last = look
            try await pause(Self.interval)
        }
    }

    private static func look(at file: AppKeyFile, after last: Look?) -> Look {
        let standing = AppKeyFile.Standing(of: file.path)
        if let last, last.standing == standing {
            guard case .failure = last.keys else { return Look(standing: standing) }
        }
        return Look(standing: standing, keys: Result { () throws(AppKeyError) in try file.read() })
    }
}
