import Logging

/// Hands a daemon's log on to who prints a history.
struct TraceLog: LogHandler {
    let say: @Sendable (String) -> Void
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let facts = (event.metadata ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        say("    daemon: \(event.message) \(facts.joined(separator: " "))")
    }
}
