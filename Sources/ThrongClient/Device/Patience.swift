/// How long a purpose's batches hold back after failures.
struct Patience: Codable, Sendable {
    /// Failed attempts in a row.
    private var failures = 0
    /// Not before then, unless the app asks. Unit: Unix seconds.
    private(set) var notBefore: Int64 = 0
    /// Not before then, because the daemon said so. Unit: Unix seconds.
    private(set) var retryAfter: Int64 = 0

    /// Notes a failed attempt.
    ///
    /// Full jitter (Brooker, "Exponential Backoff And Jitter", 2015), from twenty seconds to an hour, after what the
    /// daemon asked for.
    mutating func fail(at now: Int64, retryAfter seconds: Int64, random: inout RandomSource) {
        failures = min(failures + 1, 9)
        retryAfter = seconds > 0 ? now + seconds : 0
        let ceiling = min(10 * Double(1 << failures), 3600)
        notBefore = max(retryAfter, now) + Int64(Double.random(in: 1...ceiling, using: &random))
    }
}
