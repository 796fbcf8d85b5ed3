internal import Crypto
package import Foundation
internal import ThrongPlan
internal import ThrongWire

/// The SHA-256 of a release, by which anybody can later prove what it said.
package struct ReleaseDigest: Hashable, Sendable, CustomStringConvertible {
    /// 64 lower-case hexadecimal digits.
    package let hex: String
    package init(hex: String) { self.hex = hex }
    package var description: String { hex }
}

extension Release {
    /// The digest over the header's JSON (sorted keys), a newline, and one line a cell:
    /// `margin,cell,count,sum…,reach,firsts` in decimal; a hyphen for a sum that is withheld, reach and firsts left out where
    /// they are not published.
    package var digest: ReleaseDigest {
        var hash = SHA256()
        hash.update(data: header.json)
        hash.update(data: Data("\n".utf8))
        for cell in cells {
            var words = ["\(cell.margin.bits)", "\(cell.cell.value)", "\(cell.count)"]
            words += header.layout.sums.indices.map { $0 < cell.sums.count ? "\(cell.sums[$0])" : "-" }
            if let reach = cell.reach { words.append("\(reach.devices)") }
            if let firsts = cell.firsts { words.append("\(firsts)") }
            hash.update(data: Data((words.joined(separator: ",") + "\n").utf8))
        }
        return ReleaseDigest(hex: hash.finalize().lowerHex)
    }
}

extension ReleaseHeader {
    /// The header as JSON with sorted keys: the same bytes for the same header.
    package var json: Data {
        do {
            return try JSONEncoder.stable().encode(self)
        } catch {
            // Strings, whole numbers and finite numbers only: the encoder has nothing to refuse.
            preconditionFailure("a release header could not be written as JSON: \(error)")
        }
    }

    package init(json: Data) throws { self = try JSONDecoder().decode(ReleaseHeader.self, from: json) }
}
