package import ThrongStore

/// Knows what time it is by PostgreSQL, and keeps what was believed; `DatabaseClock` is the real one, whose functions these
/// are.
package protocol ClockStore: Sendable {
    /// What time it is by PostgreSQL, and what was believed last.
    func clock() async throws -> StoredClock
    /// Writes down a time of day that is believed.
    func believe(_ time: StoredClock.Believed) async throws
    /// Writes down what time it is, on an operator's word.
    func confirm(_ time: StoredClock.Believed) async throws
}

extension DatabaseClock: ClockStore {}
