internal import Crypto
internal import Foundation

/// What noise is derived from, so that a restored database repeats a draw instead of making another.
///
/// The bits of a release's noise are HMAC-SHA-256 under the secret, counted up, of everything that the draw depends on: the
/// release's name, its noise, and **the counted numbers themselves**. The same numbers are thus drawn the same again,
/// which tells nobody anything new. Numbers that differ, because a restore lost events or an event came in between, get
/// noise of their own: two releases that shared their noise would give away the exact difference of their counts.
///
/// The promise of the noise then holds against whoever can't tell HMAC from chance. Whoever knows the secret and a
/// published number can try out what was counted, so it is kept like the counters, and never in the database.
package struct DrawSecret: Sendable {
    let key: SymmetricKey

    /// Derives noise from 32 secret bytes or more. Other uses of the same bytes are told apart by ``label``.
    package init(bytes: some Sequence<UInt8>) {
        key = SymmetricKey(
            data: HMAC<SHA256>.authenticationCode(for: Self.label, using: SymmetricKey(data: Array(bytes))))
    }

    /// What an installation's secret is put to here.
    private static let label = Data("throng noise 1".utf8)

    /// The random numbers of one draw.
    func generator(for release: NoiseReleaseID, terms: NoiseTerms, values: [[Int64]]) -> KeyedGenerator {
        var hash = HMAC<SHA256>(key: key)
        let noise = terms.groupings.map { grouping in
            "\(grouping.cells) \(grouping.distributions.map(\.terms).joined(separator: " "))"
        }
        // Lengths are in the text: no two draws have the same.
        let lines = ["\(terms.unit.rawValue) \(terms.mechanism.cost)", "\(noise.count)"] + noise + ["\(values.count)"]
        hash.update(data: Data((lines.joined(separator: "\n") + "\n").utf8))
        hash.update(data: Data(NoiseDraw(release: release, values: values).canonicalText.utf8))
        return KeyedGenerator(key: SymmetricKey(data: hash.finalize()))
    }
}

extension NoiseDistribution {
    /// Exactly which noise it is.
    fileprivate var terms: String {
        switch self {
        case .laplace(let noise): "laplace \(noise.scale)"
        case .gaussian(let noise): "gaussian \(noise.variance)"
        }
    }
}
