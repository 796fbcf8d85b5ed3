/// Where fair coin flips come from.
///
/// The samplers see single bits and nothing else, so that a test can walk through every sequence of flips and add up
/// the exact probability of each outcome.
package protocol BitSource {
    /// That many independent fair bits, as a number below 2^count.
    ///
    /// - Parameter count: 0 to 64.
    mutating func bits(_ count: Int) -> UInt64
}
