internal import ThrongPlan
package import ThrongReport
internal import ThrongStore

/// The findings of `throng verify` in a folder of proofs of retention.
///
/// For each proof it checks that a known key signed it when it could, that its entries follow each other and end where
/// it says, and that its page is its own. No two proofs may tell different stories.
///
/// A signature tells that something was changed, the chain tells what. So the chain is also gone through where the
/// signature failed; nothing else of such a proof is believed.
package struct RetentionProofCheck: Sendable, Hashable {
    package private(set) var lines: [FolderCheck.Line] = []
    /// The contents of each good proof: its stem and a sentence.
    package private(set) var contents: [String] = []
    package private(set) var proofs = 0

    package var isGood: Bool { proofs > 0 && lines.allSatisfy(\.isGood) }

    /// The largest document that is read: some hundred thousand entries. Unit: bytes.
    private static let largest = 256 << 20

    package static func concerns(_ folder: String) throws(ReportError) -> Bool {
        try PlainFolder.entries(of: folder).keys.contains { $0.hasSuffix(RetentionProof.documentEnding) }
    }

    /// Checks a folder, in which a file such as the list of keys may be ignored.
    package init(of folder: String, keys: ReportKeyList, ignoring: String? = nil) throws(ReportError) {
        let found = try PlainFolder.entries(of: folder, ignoring: ignoring)
        var known: Set<String> = []
        /// The digest of each place, and which proof says so.
        var told: [Int64: (digest: [UInt8], name: String)] = [:]
        for name in found.keys.sorted() where found[name] == .file && name.hasSuffix(RetentionProof.documentEnding) {
            proofs += 1
            known.insert(name)
            let stem = String(name.dropLast(RetentionProof.documentEnding.count))
            known.formUnion([stem + RetentionProof.signatureEnding, stem + RetentionProof.pageEnding])
            guard let proof = check(stem, in: folder, keys: keys) else { continue }
            compare(proof, name, with: &told)
        }
        for (name, kind) in found.sorted(by: { $0.key < $1.key }) {
            if kind != .file {
                lines.note(false, name, kind.fault)
            } else if !known.contains(name) {
                lines.note(false, name, "is part of no proof: check reports in a folder of their own")
            }
        }
        if proofs == 0 { lines.note(false, folder.printable, "has no proof of retention") }
    }

    /// Checks one proof; nil where nobody who is known signed it.
    private mutating func check(_ stem: String, in folder: String, keys: ReportKeyList) -> RetentionProof.Checked? {
        let (name, signatureName) = (stem + RetentionProof.documentEnding, stem + RetentionProof.signatureEnding)
        guard let document = PlainFolder.contents(folder + "/" + name, atMost: Self.largest) else {
            lines.note(false, name, "can't be read, or is larger than \(Self.largest >> 20) MiB")
            return nil
        }
        let proof = RetentionProof.Checked(document)
        let signature = PlainFolder.contents(folder + "/" + signatureName, atMost: 64).flatMap {
            $0.count == 64 ? $0 : nil
        }
        if signature == nil { lines.note(false, signatureName, "is missing, or is not the 64 bytes of a signature") }
        let signer = signature.flatMap { signature in keys.keys.first { $0.key.accepts(signature, over: document) } }
        if signature != nil, signer == nil {
            let ids = keys.keys.map(\.key.id.hex).joined(separator: ", ")
            lines.note(false, name, "was not signed with \(ids), or was changed since: don't believe anything in it")
        }
        guard let proof else {
            lines.note(
                false, name,
                "is no \(RetentionProof.format), or was changed so that it can't be read: a newer `throng verify` may read it"
            )
            return nil
        }
        let faults = ChainFault.all(in: proof.entries, after: proof.before, through: proof.last.place)
        for fault in faults { lines.note(false, name, fault.description) }
        guard let signer else { return nil }
        let signedAt = Instant.text(proof.made)
        guard proof.key == signer.key.id else {
            lines.note(false, name, "is signed with key \(signer.key.id), but names \(proof.key?.hex ?? "no key")")
            return nil
        }
        guard signer.covers(proof.made) else {
            lines.note(false, name, "is signed with key \(signer.key.id) at \(signedAt), when that key did not sign")
            return nil
        }
        guard stem == RetentionProof.stem(made: proof.made) else {
            lines.note(false, name, "was made at \(signedAt): it was given another name")
            return nil
        }
        lines.note(true, name, "signed with key \(signer.key.id) at \(signedAt)")
        checkEnds(of: proof, name, isWhole: faults.isEmpty)
        checkPage(of: proof, stem, in: folder)
        contents.append("\(name): \(Self.sentence(of: proof))")
        return proof
    }

    /// Checks that the entries lead to where the proof says.
    private mutating func checkEnds(of proof: RetentionProof.Checked, _ name: String, isWhole: Bool) {
        if !proof.holds {
            lines.note(false, name, "says itself that the chain in the database was broken when it was made")
        }
        guard isWhole else { return }
        guard (proof.entries.last?.link ?? proof.before) == proof.last, !proof.isOpen || proof.last == proof.head else {
            return lines.note(false, name, "its entries don't lead to the digest that it gives as the last one")
        }
        let count = proof.entries.count
        lines.note(
            true, name,
            count == 0
                ? "has no entries"
                : "has entries \(proof.before.place + 1) to \(proof.last.place) without a gap, each with the digest of those "
                    + "before it")
    }

    private mutating func checkPage(of proof: RetentionProof.Checked, _ stem: String, in folder: String) {
        let name = stem + RetentionProof.pageEnding
        guard let found = PlainFolder.digest(folder + "/" + name) else {
            return lines.note(false, name, "is missing, or can't be read")
        }
        let isGood = found.sha256 == proof.page
        lines.note(isGood, name, isGood ? "is the page that was signed" : "has other contents than were signed")
    }

    /// Checks that the proof tells of each place what proofs before it told.
    private mutating func compare(
        _ proof: RetentionProof.Checked, _ name: String, with told: inout [Int64: (digest: [UInt8], name: String)]
    ) {
        let links = [proof.before, proof.last, proof.head] + proof.entries.map(\.link)
        for link in Set(links).sorted(by: { $0.place < $1.place }) where link.place > 0 {
            if let other = told[link.place], other.digest != link.digest {
                return lines.note(
                    false, name,
                    "has another entry \(link.place) than \(other.name): one of the two is not what was written")
            }
            told[link.place] = (link.digest, name)
        }
    }

    private static func sentence(of proof: RetentionProof.Checked) -> String {
        let span =
            proof.entries.first.flatMap { first in
                proof.entries.last.map {
                    "\(proof.entries.count) of \(proof.head.place) entries, from \(Instant.text(first.taken)) to "
                        + Instant.text($0.taken)
                }
            } ?? "none of \(proof.head.place) entries"
        let late = proof.overdue == 0 ? "nothing overdue" : "\(proof.overdue) overdue"
        let rest =
            proof.last == proof.head
            ? ""
            : "; what follows entry \(proof.last.place) is not in it, and only a proof up to now shows that it leads on"
        return "\(span); \(late); the last digest is \(proof.head.digest.lowerHex)\(rest)"
    }
}
