internal import Foundation

/// The 256 random bits of an installation from which releases draw their noise, or by which `throng suppress` breaks
/// ties: it chooses which of equally useful numbers stay to protect small ones.
///
/// The same secret over the same numbers draws and decides alike, so that a second run, or a run after a restore, tells
/// nothing that the first one kept back. Anybody who knows it can take the noise off, or replay which tables lead to a
/// published choice. So it is in a file of its own that only its owner may read, outside the database that it is used
/// on, and is never printed or logged.
package struct TieSecret: Sendable {
    package let bytes: [UInt8]

    /// The size of a secret. Unit: bytes.
    static let size = 32

    /// Draws a new one from the system's random source.
    package init() { bytes = (0..<Self.size).map { _ in UInt8.random(in: .min ... .max) } }

    /// Reads 64 hexadecimal digits, with or without blanks around them; nil for anything else.
    package init?(hex text: String) {
        var digits = text.utf8[...]
        let blanks: Set<UInt8> = [0x09, 0x0a, 0x0d, 0x20]
        while let first = digits.first, blanks.contains(first) { digits.removeFirst() }
        while let last = digits.last, blanks.contains(last) { digits.removeLast() }
        guard digits.count == 2 * Self.size else { return nil }
        let values = digits.compactMap { Character(UnicodeScalar($0)).hexDigitValue.map(UInt8.init) }
        guard values.count == digits.count else { return nil }
        bytes = (0..<Self.size).map { values[2 * $0] << 4 | values[2 * $0 + 1] }
    }

    /// The 64 hexadecimal digits that its file holds.
    var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    // The file is a ``KeptFile`` whose content is 64 hexadecimal digits and a line break.

    /// Reads the secret of a file, or makes one if there is none: two processes that do so at once get the same one.
    package static func kept(
        at path: String, as kind: FileKind = .installationSecret
    ) throws(TieSecretError) -> TieSecret {
        do throws(TieSecretError) { return try TieSecret(file: path, as: kind) } catch {
            guard case .missing = error else { throw error }
        }
        do throws(TieSecretError) { return try made(at: path, as: kind) } catch {
            guard case .exists = error else { throw error }
            return try TieSecret(file: path, as: kind)
        }
    }

    /// Draws a secret and writes it to a file that only its owner may read. The file is there with all of it, or not at all.
    package static func made(at path: String, as kind: FileKind) throws(TieSecretError) -> TieSecret {
        let secret = TieSecret()
        do throws(FileFault) {
            let file = try NewFile(path, draft: "\(path).\(UUID()).new")
            try file.write(KeptFile.bytes(Array(secret.hex.utf8) + [0x0a], as: kind))
            try file.allow(0o600)
            try file.giveToOwnerOfFolder()
            try file.finish()
        } catch {
            let code = error.parts.code
            throw code == EEXIST ? .exists(path: path) : .unwritable(path: path, code: code)
        }
        return secret
    }

    package init(file path: String, as kind: FileKind) throws(TieSecretError) {
        guard KeptFile.isThere(path) else { throw .missing(path: path) }
        let (bytes, mode): ([UInt8], mode_t)
        do throws(FileDamage) { (bytes, mode) = try KeptFile.whole(path, as: kind) } catch { throw .damaged(error) }
        // Whatever is in it, others may have read it.
        guard mode & 0o077 == 0 else { throw .exposed(path: path, mode: Int(mode & 0o777)) }
        let content: [UInt8]
        do throws(FileDamage) { content = try KeptFile.content(of: bytes, at: path, as: kind) } catch {
            throw .damaged(error)
        }
        guard let secret = TieSecret(hex: String(decoding: content, as: UTF8.self)) else {
            throw .damaged(FileDamage(path: path, kind: kind, flaw: .content))
        }
        self = secret
    }
}

/// The reason why there is no secret.
package enum TieSecretError: Error, Sendable, Hashable, CustomStringConvertible {
    case missing(path: String)
    case exists(path: String)
    case exposed(path: String, mode: Int)
    case damaged(FileDamage)
    case unwritable(path: String, code: Int32)

    package var description: String {
        switch self {
        case .missing(let path):
            "\(path): there is no such file. Restore the secret from where you keep it, or make a new one."
        case .exists(let path): "\(path) is there already; use it, or name another file for a new secret."
        case .exposed(let path, let mode):
            "\(path) has the permissions \(String(mode, radix: 8)), so that others than its owner may have read it. "
                + "Make a new secret, or `chmod 600` it if you know that nobody did."
        case .damaged(let damage): damage.description
        case .unwritable(let path, let code):
            "\(path) can't be written (\(String(cString: strerror(code)))). Check the folder's owner, permissions and room."
        }
    }
}

/// Random numbers that a seed repeats: SplitMix64.
///
/// For samples, simulations and tests. Anybody who sees a number or two knows all that follow, so secrets and noise are
/// not drawn from it.
///
/// Source: Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators".
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number between 0 and 1; 1 itself never comes.
    package mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }
}
