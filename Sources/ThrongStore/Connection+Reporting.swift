extension Connection {
    /// A connection that works as `throng_reporter`, for one store or for several that share it.
    package static func reporting(_ settings: ConnectionSettings) -> Connection {
        Connection(settings.acting(as: .reporter))
    }
}
