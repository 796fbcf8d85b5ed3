/// How far off a metric's published numbers are on purpose, so that nothing about a few devices can be worked out from them.
///
/// The Margins page has how noise is drawn, how large margins are and what they protect.
package enum MetricMargin: String, Sendable, Hashable, Codable, CaseIterable {
    /// Noise of a quarter of k devices in each of two layers, of which one stays with its question from period to period.
    case standard
}
