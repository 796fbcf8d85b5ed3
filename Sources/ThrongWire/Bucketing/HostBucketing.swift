/// A URL to its host, if listed: "https://www.example.org:8443/cart?x=1" to "www.example.org". A host is listed in Unicode or with
/// `xn--`; values may have either.
struct HostBucketing: TabledBucketing {
    let buckets: LabelTable
    private let hosts: ByteTable

    init(known: [String]) throws(BucketingProblem) {
        for host in known {
            guard !host.isEmpty, !host.hasPrefix("."), !host.hasSuffix("."),
                host.utf8.allSatisfy({
                    $0.isDigit || ($0.isASCIILetter && $0.lowercasedASCII == $0) || "-.".utf8.contains($0) || $0 >= 0x80
                })
            else { throw .malformedHost(host) }
        }
        buckets = try LabelTable(known)
        var hosts = ByteTable(.foldingASCII)
        for (bucket, host) in known.enumerated() {
            for spelling in [host, String(decoding: AddressSpelling.host(Array(host.utf8)), as: UTF8.self)] {
                if let first = hosts.insert(spelling, bucket), first != bucket {
                    throw .repeatedAddress(host, first: known[first])
                }
            }
        }
        self.hosts = hosts
    }

    func bucket(_ value: FieldValue) -> Int {
        guard case .text(let text) = value else { return buckets.other }
        if let bucket = buckets[text.bytes] { return bucket }
        if AddressSpelling.isPlain(text.bytes) {
            let host = WebAddress(text.bytes).host
            if let bucket = hosts[host] { return bucket }
            // Only letters and digits of ASCII can be another spelling yet.
            guard host.contains(UInt8(ascii: "-")) else { return buckets.other }
        }
        return AddressSpelling(text.bytes).host.withUnsafeBufferPointer { hosts[$0] } ?? buckets.other
    }
}
